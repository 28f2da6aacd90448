#include "perm/plan/price.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool perm_plan_is_whole(const perm_matrix *matrix) {
    return matrix->field == MM_PATTERN || matrix->field == MM_INTEGER;
}

static bool is_gray(perm_method method) {
    return method == PERM_GRAY || method == PERM_SPARSE_EXACT || method == PERM_EXACT_CUDA;
}

/* Whether a method computes as asked. Where nothing is asked, integers are not given to doubles, nor real
 * numbers to the slower exact kernels, unless they are named. */
bool perm_plan_has_precision(const perm_matrix *matrix, perm_method method,
                             const perm_plan_options *options) {
    switch (options->precision.kind) {
    case PERM_PRECISION_DOUBLE:
        return method == PERM_FRONTIER_DOUBLE || method == PERM_FRONTIER_CUDA ||
               perm_plan_is_sum_of_doubles(method);
    case PERM_PRECISION_KAHAN: return perm_plan_is_sum_of_doubles(method);
    case PERM_PRECISION_TWOFOLD:
        return method == PERM_TWOFOLD || method == PERM_TWOFOLD_CUDA || method == PERM_FRONTIER_QUAD ||
               method == PERM_ARBITRARY;
    case PERM_PRECISION_MPFR: return method == PERM_ARBITRARY;
    case PERM_PRECISION_EXACT:
        return is_gray(method) || method == PERM_FRONTIER_EXACT || method == PERM_FRONTIER_CUDA ||
               method == PERM_REPEATED;
    case PERM_PRECISION_ANY: break;
    }
    return options->kernel || method == PERM_FRONTIER || method == PERM_FRONTIER_CUDA ||
           method == PERM_REPEATED ||
           (perm_plan_is_whole(matrix) ? is_gray(method) : perm_plan_is_sum_of_doubles(method));
}

/* The names of families; "frontier" is a method too where no precision is asked for. */
static bool is_of_family(const perm_plan *plan, const perm_candidate *candidate,
                         const perm_plan_options *options) {
    switch (candidate->method) {
    case PERM_DENSE:
    case PERM_DENSE_CUDA:
    case PERM_PAIRS_CUDA:
    case PERM_TENSOR_CUDA: return strcmp(options->kernel, "dense") == 0;
    case PERM_SPARSE:
    case PERM_SPARSE_CUDA:
        return strcmp(options->kernel, candidate->sparse == &plan->gray ? "sparse-gray" : "sparse") == 0;
    case PERM_GRAY:
    case PERM_EXACT_CUDA: return strcmp(options->kernel, "exact") == 0;
    case PERM_SPARSE_EXACT: return strcmp(options->kernel, "sparse-exact") == 0;
    case PERM_TWOFOLD:
    case PERM_TWOFOLD_CUDA: return strcmp(options->kernel, "dd") == 0;
    case PERM_FRONTIER_DOUBLE:
    case PERM_FRONTIER_EXACT:
    case PERM_FRONTIER_QUAD:
    case PERM_FRONTIER_CUDA:
        return options->precision.kind != PERM_PRECISION_ANY && strcmp(options->kernel, "frontier") == 0;
    default: return false;
    }
}

static bool is_meant(const perm_matrix *matrix, const perm_plan *plan, const perm_candidate *candidate,
                     const perm_plan_options *options) {
    return perm_plan_has_precision(matrix, candidate->method, options) &&
           (!options->kernel || strcmp(options->kernel, candidate->name) == 0 ||
            is_of_family(plan, candidate, options));
}

/* Where nothing is asked for, short times are all the same, and the first method is as good as another; the
 * others lose fewer digits than the sums in doubles. */
double perm_plan_weigh(const perm_matrix *matrix, const perm_candidate *candidate,
                       const perm_plan_options *options) {
    double seconds = candidate->seconds;
    /* Only where every method gives the same digits, which must not depend on the parts. */
    if (options->parts > 1 && perm_plan_can_split(candidate->method) && perm_plan_is_whole(matrix) &&
        (options->precision.kind == PERM_PRECISION_ANY || options->precision.kind == PERM_PRECISION_EXACT))
        seconds /= (double)options->parts;
    if (options->kernel || options->precision.kind != PERM_PRECISION_ANY)
        return seconds;
    if (perm_plan_is_sum_of_doubles(candidate->method))
        seconds = 4 * seconds + perm_plan_digits_seconds(options);
    return fmax(seconds, perm_plan_unnoticed_seconds(options));
}

/* "block of order 3 with 8 entries (real)" */
static void describe(const perm_matrix *matrix, char text[80]) {
    snprintf(text, 80, "block of order %lld with %lld entries (%s)", (long long)matrix->n,
             (long long)matrix->nnz, mm_field_name(matrix->field));
}

/* A family that was refused as a whole, with the kernel that is named: its reason is that of the kernel. */
static const perm_candidate *find_family(const perm_matrix *matrix, const perm_plan *plan,
                                         const perm_plan_options *options) {
    for (int i = 0; options->kernel && i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        const bool is_family =
            (is_gray(candidate->method) || candidate->method == PERM_SPARSE) &&
            (strncmp(options->kernel, candidate->name, strlen(candidate->name)) == 0 ||
             (candidate->method == PERM_GRAY && strncmp(options->kernel, "sieve", 5) == 0));
        if (is_family && candidate->seconds == 0 &&
            perm_plan_has_precision(matrix, candidate->method, options))
            return candidate;
    }
    return NULL;
}

/* Where nothing is named, the reason of equal lines is not the one that tells most. */
static const perm_candidate *find_first(const perm_matrix *matrix, const perm_plan *plan,
                                        const perm_plan_options *options) {
    const perm_candidate *first = NULL;
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        const bool is_repeated =
            candidate->method == PERM_REPEATED || candidate->method == PERM_REPEATED_DOUBLE;
        if (!is_meant(matrix, plan, candidate, options))
            continue;
        if (options->kernel || !is_repeated)
            return candidate;
        first = candidate;
    }
    return first ? first : find_family(matrix, plan, options);
}

static base_status refuse(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                          const perm_plan_options *options) {
    const perm_candidate *first = find_first(matrix, plan, options);
    const order_frontier_cost *cost = plan->schedule.n > 0 ? &plan->schedule.expected : &plan->order.cost;
    char block[80], precision[40];
    describe(matrix, block);
    perm_precision_print(options->precision, precision);
    if (!first && perm_plan_check_kernel(context, options->kernel, false) != BASE_OK)
        return BASE_USAGE;
    if (!first)
        return base_fail(context, BASE_FAILED,
                         "--kernel %s does not compute with %s. Leave out one of them, or see --kernel list",
                         options->kernel, precision);
    if (first->method <= PERM_FRONTIER_QUAD)
        return base_fail(context, BASE_FAILED,
                         "a %s is too large: %s would need about %.2g transitions between %.2g states (%s)",
                         block, first->name, cost->transitions, cost->states, first->reason);
    if (options->kernel)
        return base_fail(context, BASE_FAILED,
                         "--kernel %s cannot compute this %s: %s. Leave --kernel out, and perm-gpu chooses",
                         options->kernel, block, first->reason);
    return base_fail(
        context, BASE_FAILED,
        "no kernel with %s can compute this %s (%s: %s). Leave --precision out, and perm-gpu chooses",
        precision, block, first->name, first->reason);
}

/* Whether devices are asked for and can do what the method does on the processor. */
static bool is_elsewhere(const perm_matrix *matrix, const perm_candidate *candidate,
                         const perm_plan_options *options, const perm_plan *plan) {
    if (options->kernel || !options->devices || options->devices->choice != BASE_DEVICE_CUDA ||
        (candidate->method != PERM_DENSE && candidate->method != PERM_SPARSE &&
         candidate->method != PERM_GRAY && candidate->method != PERM_TWOFOLD &&
         candidate->method != PERM_ARBITRARY))
        return false;
    for (int i = 0; i < plan->count; i++)
        if (perm_plan_is_on_device(plan->candidate[i].method) && plan->candidate[i].seconds > 0 &&
            perm_plan_has_precision(matrix, plan->candidate[i].method, options))
            return true;
    return false;
}

const perm_candidate *perm_plan_cheapest(const perm_matrix *matrix, const perm_plan_options *options,
                                         const perm_plan *plan) {
    const perm_candidate *best = NULL;
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if (candidate->seconds > 0 && is_meant(matrix, plan, candidate, options) &&
            !is_elsewhere(matrix, candidate, options, plan) &&
            (!best || perm_plan_weigh(matrix, candidate, options) < perm_plan_weigh(matrix, best, options)))
            best = candidate;
    }
    return best;
}

base_status perm_plan_choose(base_context *context, const perm_matrix *matrix,
                             const perm_plan_options *options, perm_plan *plan) {
    plan->chosen = perm_plan_cheapest(matrix, options, plan);
    return plan->chosen || options->list ? BASE_OK : refuse(context, matrix, plan, options);
}
