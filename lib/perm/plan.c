#include "perm/plan.h"
#include "base/memory.h"
#include "perm/gray.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for one transition, measured on one core with tables in memory. */
static const double transition_seconds = 5e-9, limb_seconds = 1e-9, quad_seconds = 80e-9;

/* Entries below 2^-960 of the largest in their line and crossing line are not worth a method without scaling.
 */
static bool to_double(mpz_srcptr integer, int64_t shift, double *value, bool *rounded) {
    long size;
    size_t bits = mpz_sgn(integer) ? mpz_sizeinbase(integer, 2) - mpz_scan1(integer, 0) : 0;
    double leading = mpz_get_d_2exp(&size, integer);
    *rounded |= bits > 53;
    *value = leading == 0 || size + shift < -1000 ? 0 : ldexp(leading, (int)(size + shift));
    return leading == 0 || size + shift > -960;
}

base_status perm_plan_doubles(base_context *context, const perm_matrix *matrix, bool is_complex,
                              double **entries, int64_t *exponent, perm_bound *change) {
    base_status status = BASE_OK;
    int64_t n = matrix->n, parts = is_complex ? 2 : 1, *scale = base_alloc(context, 2 * n, sizeof *scale);
    bool rounded = false;
    double bound;
    *exponent = 0;
    *change = (perm_bound){0, 0};
    *entries = base_alloc_zero(context, n * n * parts, sizeof **entries);
    if (!scale || !*entries) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(perm_matrix_equilibrate(context, matrix, scale, scale + n));
    for (int64_t i = 0; i < 2 * n; i++)
        *exponent -= scale[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            int64_t shift = matrix->entry[e].exponent + scale[i] + scale[n + matrix->index[e]];
            double *to = *entries + (matrix->index[e] * n + i) * parts;
            if (!to_double(matrix->entry[e].re, shift, &to[0], &rounded) ||
                (is_complex && !to_double(matrix->entry[e].im, shift, &to[1], &rounded)))
                BASE_TRY(base_fail(context, BASE_FAILED, "the entries differ by more than doubles can hold"));
        }
    if (rounded) {
        /* Each of n factors of a term is off by at most 2^-52 of itself. */
        BASE_TRY(perm_matrix_bound_log2(context, matrix, &bound));
        *change = perm_bound_multiply((perm_bound){1, (int64_t)ceil(bound) - *exponent},
                                      perm_bound_from_double((double)n * 0x1.00001p-52));
    }
done:
    free(scale);
    if (status != BASE_OK) {
        free(*entries);
        *entries = NULL;
    }
    return status;
}

static perm_candidate *add_candidate(perm_plan *plan, const char *name, perm_method method) {
    perm_candidate *candidate = &plan->candidate[plan->count++];
    *candidate = (perm_candidate){.name = name, .method = method};
    return candidate;
}

static double price_transition(perm_arithmetic arithmetic, int64_t value_bytes) {
    if (arithmetic == PERM_QUAD)
        return quad_seconds * (double)value_bytes / 16;
    if (arithmetic == PERM_DOUBLE || value_bytes <= 16)
        return transition_seconds + 0.5e-9 * (double)(value_bytes / 8);
    return 2 * transition_seconds + limb_seconds * (double)(value_bytes / 8);
}

static base_status price_frontier(base_context *context, const perm_matrix *matrix, perm_plan *plan) {
    static const struct {
        const char *name;
        perm_method method;
        perm_arithmetic arithmetic;
    } ways[] = {{"frontier", PERM_FRONTIER, PERM_DOUBLE},
                {"frontier-exact", PERM_FRONTIER_EXACT, PERM_EXACT},
                {"frontier-double", PERM_FRONTIER_DOUBLE, PERM_DOUBLE},
                {"frontier-quad", PERM_FRONTIER_QUAD, PERM_QUAD}};
    base_status status = BASE_OK;
    bool whole = matrix->field == MM_PATTERN || matrix->field == MM_INTEGER;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        perm_candidate *candidate = add_candidate(plan, ways[i].name, ways[i].method);
        const order_frontier_cost *cost = &plan->order.cost;
        int64_t bytes;
        candidate->arithmetic = whole && ways[i].method == PERM_FRONTIER ? PERM_EXACT : ways[i].arithmetic;
        if (plan->schedule.n == 0) {
            snprintf(candidate->reason, sizeof candidate->reason,
                     "the frontier is %lld wide, %d is the limit", (long long)cost->width,
                     (int)PERM_FRONTIER_WIDEST);
            continue;
        }
        BASE_TRY(perm_frontier_state_bytes(context, matrix, &plan->schedule, candidate->arithmetic, &bytes));
        /* Two layers are held at a time. */
        candidate->bytes = 2 * cost->peak_states * (double)bytes;
        candidate->seconds =
            cost->transitions * price_transition(candidate->arithmetic, bytes - 8) + 1e-6 * (double)matrix->n;
        if (candidate->bytes > (double)context->memory_bytes) {
            snprintf(candidate->reason, sizeof candidate->reason, "up to %.3g GiB of tables, %.3g allowed",
                     candidate->bytes / 0x1p30, (double)context->memory_bytes / 0x1p30);
            candidate->seconds = 0;
        }
    }
done:
    return status;
}

static base_status price_gray(base_context *context, const perm_matrix *matrix, perm_plan *plan) {
    perm_candidate *candidate = add_candidate(plan, "gray-integer", PERM_GRAY);
    base_status status = perm_gray_price(context, matrix, &candidate->seconds);
    if (candidate->seconds == 0)
        snprintf(candidate->reason, sizeof candidate->reason, "for integers and n up to %d",
                 PERM_GRAY_LARGEST);
    return status;
}

static base_status price_dense(base_context *context, const perm_matrix *matrix, perm_plan *plan) {
    base_status status = BASE_OK;
    bool is_complex = perm_matrix_look(matrix).complex;
    double *entries = NULL;
    int64_t exponent;
    perm_bound change;
    const char *reason = "n is too large";
    if (matrix->field == MM_PATTERN || matrix->field == MM_INTEGER)
        reason = "integers are computed exactly";
    else if (matrix->n <= PERM_DENSE_LARGEST) {
        status = perm_plan_doubles(context, matrix, is_complex, &entries, &exponent, &change);
        if (status == BASE_MACHINE)
            goto done;
        reason = entries ? NULL : context->error.cause;
        status = BASE_OK;
    }
    for (const perm_dense_kernel *const *kernel = perm_dense_kernels(); *kernel; kernel++) {
        perm_candidate *candidate = add_candidate(plan, (*kernel)->name, PERM_DENSE);
        perm_dense dense;
        if (!reason &&
            perm_dense_init(context, matrix->n, is_complex, entries, (*kernel)->name, &dense) == BASE_OK) {
            candidate->seconds = dense.seconds;
            perm_dense_free(&dense);
        } else {
            snprintf(candidate->reason, sizeof candidate->reason, "%.90s",
                     reason ? reason : "not on this processor");
        }
    }
done:
    free(entries);
    return status;
}

/* The names that choose a candidate: its own, "frontier" and "dense" for the best of the family. */
static bool is_meant(const perm_candidate *candidate, const char *kernel) {
    if (!kernel)
        return candidate->method == PERM_FRONTIER || candidate->method == PERM_GRAY ||
               candidate->method == PERM_DENSE;
    return strcmp(kernel, candidate->name) == 0 ||
           (strcmp(kernel, "dense") == 0 && candidate->method == PERM_DENSE);
}

/* The frontier loses fewer digits. */
static double weight(const perm_candidate *candidate) {
    return candidate->method == PERM_DENSE ? 4 * candidate->seconds : candidate->seconds;
}

static base_status choose(base_context *context, const perm_matrix *matrix, const char *kernel, bool list,
                          perm_plan *plan) {
    const perm_candidate *meant = NULL, *first = NULL;
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if (!is_meant(candidate, kernel))
            continue;
        first = first ? first : candidate;
        if (candidate->seconds > 0 && (!meant || weight(candidate) < weight(meant)))
            meant = candidate;
    }
    plan->chosen = meant;
    if (meant || list)
        return BASE_OK;
    if (!first)
        return base_fail(context, BASE_USAGE, "there is no kernel %s (see --kernel list)", kernel);
    return base_fail(
        context, BASE_FAILED,
        "a block of order %lld with %lld entries is too large: %s would need about %.2g transitions "
        "between %.2g states (%s)",
        (long long)matrix->n, (long long)matrix->nnz, first->name, plan->order.cost.transitions,
        plan->order.cost.states, first->reason);
}

base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const char *kernel, bool list,
                           perm_plan *plan) {
    base_status status = BASE_OK;
    mm_sparse pattern = perm_matrix_pattern(matrix);
    order_frontier_options options = order_frontier_default;
    *plan = (perm_plan){.count = 0};
    options.seed = context->seed;
    /* A search need not take longer than Gray code would. */
    double units = ldexp((double)matrix->n, (int)fmin((double)matrix->n, 60) - 1);
    if (units / 32 < (double)options.step_limit)
        options.step_limit = (int64_t)(units / 32);
    BASE_TRY(order_frontier_search(context, &pattern, MM_BY_ROWS, &options, &plan->order));
    const int64_t *order = plan->order.by_columns ? plan->order.col : plan->order.row;
    if (plan->order.cost.width + 64 < 2 * PERM_FRONTIER_WIDEST &&
        perm_schedule_make(context, matrix, order, plan->order.by_columns, &plan->schedule) == BASE_MACHINE) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(price_frontier(context, matrix, plan));
    BASE_TRY(price_gray(context, matrix, plan));
    BASE_TRY(price_dense(context, matrix, plan));
    BASE_TRY(choose(context, matrix, kernel, list, plan));
done:
    if (status != BASE_OK)
        perm_plan_free(plan);
    return status;
}

void perm_plan_free(perm_plan *plan) {
    if (!plan)
        return;
    order_frontier_free(&plan->order);
    perm_schedule_free(&plan->schedule);
    *plan = (perm_plan){.count = 0};
}
