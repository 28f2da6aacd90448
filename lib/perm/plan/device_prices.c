/* Prices of the methods on devices. */
#include "base/device/compile.h"
#include "perm/dense/device.h"
#include "perm/dense/pairs.h"
#include "perm/dense/tensor.h"
#include "perm/doubledouble/device.h"
#include "perm/exact/device.h"
#include "perm/frontier/device.h"
#include "perm/plan/price.h"
#include "perm/sparse/device.h"
#include <stdio.h>
#include <string.h>

/* For which there is code (configure.ac). */
enum { LEAST_ARCHITECTURE = 80 };

/* Of a device; of NVRTC for the code of a sparse permanent; of a method where devices are there already; of a
 * block that shares its launch with others. */
static const double start_seconds = 0.25, compile_seconds = 0.9, launch_seconds = 2e-3, share_seconds = 1e-5;

/* A sum on a device that takes less than a search for an order. */
static const double quick_seconds = 3e-4;

/* Before the first subset. */
static double count_start(const perm_plan_options *options, bool shared) {
    return !options->started ? start_seconds : shared ? share_seconds : launch_seconds;
}

static bool is_named(const perm_plan_options *options) {
    const char *suffix = options->kernel ? strrchr(options->kernel, '-') : NULL;
    return suffix && strcmp(suffix, "-cuda") == 0;
}

static bool is_called(const perm_plan_options *options, const char *name) {
    return options->kernel && strcmp(options->kernel, name) == 0;
}

/* Whether a device that is there would be chosen for the sum of dense/dense.h. */
static bool is_quicker_there(const perm_matrix *matrix, const perm_plan_options *options,
                             const perm_candidate *cheapest) {
    const perm_candidate there = {.method = PERM_DENSE_CUDA, .seconds = share_seconds};
    return options->started &&
           perm_plan_weigh(matrix, &there, options) < perm_plan_weigh(matrix, cheapest, options);
}

/* Where somebody asks, or the best of the processor's methods takes long. */
static base_status look_whether_wanted(base_context *context, const perm_matrix *matrix,
                                       const perm_plan_options *options, perm_plan *plan, bool *wanted) {
    base_status status = BASE_OK;
    *wanted = options->devices && (options->list || is_named(options));
    if (!options->devices || *wanted || options->devices->choice == BASE_DEVICE_CPU ||
        (options->kernel && options->devices->choice != BASE_DEVICE_CUDA))
        goto done;
    const perm_candidate *cheapest = perm_plan_cheapest(matrix, options, plan);
    *wanted = options->devices->choice == BASE_DEVICE_CUDA || !cheapest ||
              cheapest->seconds > PERM_PLAN_WORTH_SECONDS || is_quicker_there(matrix, options, cheapest);
    if (!*wanted || options->started || options->devices->choice == BASE_DEVICE_CUDA ||
        perm_plan_has_few_zeros(matrix) || !perm_plan_has_precision(matrix, PERM_SPARSE, options))
        goto done;
    BASE_TRY(perm_plan_guess_sparse(context, matrix, plan));
    *wanted = plan->sparse_guess == 0 || plan->sparse_guess > PERM_PLAN_WORTH_SECONDS;
done:
    return status;
}

static void refuse(perm_candidate *candidate, const char *reason) {
    snprintf(candidate->reason, sizeof candidate->reason, "%.95s", reason);
}

/* Why no device can be used; NULL: they can. */
static const char *find_reason(base_context *context, base_device_search *devices) {
    if (devices->choice == BASE_DEVICE_CPU)
        return "--device cpu";
    if (base_devices_find(context, devices) != BASE_OK)
        return context->error.cause;
    for (int k = 0; k < base_devices_count(devices->found); k++)
        if (base_device_get_properties(base_devices_get(devices->found, k))->architecture <
            LEAST_ARCHITECTURE)
            return "a device is older than compute capability 8.0";
    return base_devices_count(devices->found) > 0 ? NULL : base_devices_reason(devices->found);
}

bool perm_plan_finds_devices(base_context *context, base_device_search *devices) {
    base_context silent = *context;
    return devices && find_reason(&silent, devices) == NULL;
}

double perm_plan_quick_seconds(base_context *context, int64_t n, mm_field field,
                               const perm_plan_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    const perm_dense_problem problem = {.n = n, .is_complex = field == MM_COMPLEX};
    if (!options->many || options->kernel || options->list || (field != MM_REAL && field != MM_COMPLEX) ||
        (kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_DOUBLE) || n > PERM_PLAN_SHARED_LARGEST ||
        !perm_dense_device_is_built() || !perm_plan_finds_devices(context, options->devices))
        return 0;
    const double seconds =
        share_seconds + perm_dense_device_seconds(&problem, perm_devices_rate(options->devices));
    return seconds < quick_seconds ? seconds : 0;
}

static base_status price_dense(base_context *context, const perm_dense_matrix *entries,
                               const perm_plan_options *options, perm_candidate *candidate) {
    base_status status = BASE_OK;
    perm_dense dense = {0};
    if (!perm_dense_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        goto done;
    }
    BASE_TRY(perm_dense_init(context, entries, NULL, &dense));
    candidate->start_seconds = count_start(options, entries->n <= PERM_PLAN_SHARED_LARGEST);
    candidate->seconds = candidate->start_seconds +
                         perm_dense_device_seconds(&dense.problem, perm_devices_rate(options->devices));
done:
    perm_dense_free(&dense);
    return status;
}

static base_status price_pairs(base_context *context, const perm_dense_matrix *entries, int64_t shared_bytes,
                               const perm_plan_options *options, perm_candidate *candidate) {
    base_status status;
    perm_dense dense = {0};
    const double rate = perm_devices_rate(options->devices);
    BASE_TRY(perm_dense_init(context, entries, NULL, &dense));
    const bool tensor = candidate->method == PERM_TENSOR_CUDA;
    const char *reason = tensor ? perm_tensor_device_reason(&dense, shared_bytes)
                                : perm_pairs_device_reason(&dense, shared_bytes);
    candidate->start_seconds = count_start(options, false);
    if (reason)
        refuse(candidate, reason);
    else
        candidate->seconds =
            candidate->start_seconds + (tensor ? perm_tensor_device_seconds(&dense.problem, rate)
                                               : perm_pairs_device_seconds(&dense.problem, rate));
done:
    perm_dense_free(&dense);
    return status;
}

/* By what was priced before. */
static bool is_beaten(const perm_plan_options *options, const perm_plan *plan) {
    for (int i = 0; i < plan->count && !options->kernel && !options->list; i++)
        if (perm_plan_is_on_device(plan->candidate[i].method) && plan->candidate[i].seconds > 0 &&
            plan->candidate[i].seconds < compile_seconds)
            return true;
    return false;
}

static base_status price_sparse(base_context *context, const perm_matrix *matrix,
                                const perm_plan_options *options, const perm_dense_matrix *entries,
                                perm_candidate *candidate, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_sparse sparse = {0};
    base_context silent = *context;
    const base_device_search *devices = options->devices;
    const base_device *device = base_devices_get(devices->found, 0);
    const bool tables = candidate->way == PERM_SPARSE_TABLES;
    if (tables && !is_called(options, candidate->name) && perm_plan_has_few_zeros(matrix)) {
        refuse(candidate, "too few zeros");
        goto done;
    }
    if (is_beaten(options, plan)) {
        refuse(candidate, "others take less than to compile code");
        goto done;
    }
    if (!tables && entries->is_complex) {
        refuse(candidate, "not for complex matrices");
        goto done;
    }
    if (base_device_check_compiler(&silent, base_device_get_properties(device)->architecture) != BASE_OK) {
        refuse(candidate, silent.error.cause);
        goto done;
    }
    BASE_TRY(perm_sparse_cuda_prepare(context, entries, candidate->way, NULL, &sparse));
    if (tables) {
        plan->sparse_cuda = sparse.plan;
        candidate->sparse = &plan->sparse_cuda;
    }
    const perm_sparse_shape shape = tables || sparse.chunk_count == 0
                                        ? perm_sparse_cuda_shape
                                        : perm_sparse_cuda_gray_shape(&sparse.problem, candidate->way);
    candidate->start_seconds = count_start(options, false) + compile_seconds;
    candidate->seconds =
        candidate->start_seconds + perm_sparse_cuda_seconds(&sparse, &shape, perm_devices_rate(devices));
done:
    perm_sparse_free(&sparse);
    return status;
}

static base_status price_exact(base_context *context, const perm_matrix *matrix,
                               const perm_plan_options *options, perm_candidate *candidate) {
    perm_exact exact;
    if (!perm_exact_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        return BASE_OK;
    }
    const base_status status = perm_exact_init(context, matrix, NULL, &exact);
    if (status == BASE_OK && candidate->skips && !perm_exact_device_can_skip(&exact)) {
        refuse(candidate, "not for this matrix");
    } else if (status == BASE_OK) {
        candidate->start_seconds = count_start(options, false);
        candidate->seconds =
            candidate->start_seconds +
            perm_exact_device_seconds(&exact, candidate->skips, perm_devices_rate(options->devices));
        candidate->bytes = 8.0 * (double)(exact.chunk_count * exact.residue_count);
    }
    perm_exact_free(&exact);
    return status;
}

static base_status price_twofold(base_context *context, const perm_matrix *matrix, int64_t shared_bytes,
                                 const perm_plan_options *options, perm_candidate *candidate) {
    perm_twofold twofold;
    if (!perm_twofold_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        return BASE_OK;
    }
    const base_status status = perm_twofold_init(context, matrix, NULL, &twofold);
    if (status == BASE_OK && perm_twofold_device_shared_bytes(&twofold) > shared_bytes)
        refuse(candidate, "n is too large for its shared memory");
    else if (status == BASE_OK) {
        candidate->start_seconds = count_start(options, false);
        candidate->seconds = candidate->start_seconds +
                             perm_twofold_device_seconds(&twofold, perm_devices_rate(options->devices));
    }
    perm_twofold_free(&twofold);
    return status;
}

/* The processor's arithmetic where it has a name of its own. */
static base_status price_frontier(base_context *context, const perm_matrix *matrix,
                                  const perm_plan_options *options, perm_candidate *candidate,
                                  perm_plan *plan) {
    base_status status = BASE_OK;
    const perm_precision_kind kind = options->precision.kind;
    const bool exact = kind == PERM_PRECISION_EXACT ||
                       (kind == PERM_PRECISION_ANY && plan->candidate[0].arithmetic == PERM_EXACT);
    const base_device *device = base_devices_get(options->devices->found, 0);
    perm_frontier_device_cost cost;
    if (!perm_frontier_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        goto done;
    }
    candidate->arithmetic = exact ? PERM_EXACT : PERM_DOUBLE;
    BASE_TRY(perm_frontier_device_price(context, matrix, &plan->schedule, candidate->arithmetic, &cost));
    candidate->bytes = cost.bytes;
    if (cost.reason)
        refuse(candidate, cost.reason);
    else if (!perm_frontier_device_fits(device, &cost))
        snprintf(candidate->reason, sizeof candidate->reason, "%.3g GiB of tables, the device has %.3g",
                 cost.bytes / 0x1p30, (double)base_device_get_properties(device)->memory_bytes / 0x1p30);
    else {
        candidate->start_seconds = count_start(options, false);
        candidate->seconds = candidate->start_seconds + perm_frontier_device_seconds(&cost);
    }
done:
    return status;
}

typedef struct device_way {
    const char *name;
    perm_method method;
    perm_sparse_way way;
} device_way;

static const device_way ways[] = {{"frontier-cuda", PERM_FRONTIER_CUDA, PERM_SPARSE_TABLES},
                                  {"dense-cuda", PERM_DENSE_CUDA, PERM_SPARSE_TABLES},
                                  {"dense-pairs-cuda", PERM_PAIRS_CUDA, PERM_SPARSE_TABLES},
                                  {"dense-tensor-cuda", PERM_TENSOR_CUDA, PERM_SPARSE_TABLES},
                                  {"sparse-cuda", PERM_SPARSE_CUDA, PERM_SPARSE_TABLES},
                                  {"exact-cuda", PERM_EXACT_CUDA, PERM_SPARSE_TABLES},
                                  {"sieve-cuda", PERM_EXACT_CUDA, PERM_SPARSE_TABLES},
                                  {"dd-cuda", PERM_TWOFOLD_CUDA, PERM_SPARSE_TABLES},
                                  {"register-cuda", PERM_SPARSE_CUDA, PERM_SPARSE_REGISTERS},
                                  {"hybrid-cuda", PERM_SPARSE_CUDA, PERM_SPARSE_HYBRID}};

bool perm_plan_is_device(const char *name) {
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (strcmp(name, ways[k].name) == 0)
            return true;
    return false;
}

/* Whether a method is listed, named, alone or with its family, or computes as asked. */
static bool is_priced(const perm_matrix *matrix, const perm_plan_options *options, const device_way *way) {
    if (options->list)
        return true;
    if (options->kernel)
        return strncmp(way->name, options->kernel, strlen(options->kernel)) == 0;
    return way->way == PERM_SPARSE_TABLES && perm_plan_has_precision(matrix, way->method, options);
}

base_status perm_plan_price_devices(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    bool wanted;
    BASE_TRY(look_whether_wanted(context, matrix, options, plan, &wanted));
    if (!wanted)
        goto done;
    const char *reason = find_reason(context, options->devices);
    const int64_t shared_bytes =
        reason ? 0
               : base_device_get_properties(base_devices_get(options->devices->found, 0))
                     ->shared_bytes_per_block;
    const bool is_large = matrix->n > PERM_DENSE_LARGEST;
    if (!reason && !is_large)
        BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (!is_priced(matrix, options, &ways[k]))
            continue;
        perm_candidate *candidate = perm_plan_add(plan, ways[k].name, ways[k].method);
        candidate->way = ways[k].way;
        candidate->skips = strcmp(ways[k].name, "sieve-cuda") == 0;
        if (reason)
            refuse(candidate, reason);
        else if (ways[k].method == PERM_FRONTIER_CUDA)
            BASE_TRY(price_frontier(context, matrix, options, candidate, plan));
        else if (is_large)
            refuse(candidate, "n is too large");
        else if (ways[k].method == PERM_DENSE_CUDA)
            BASE_TRY(price_dense(context, &entries, options, candidate));
        else if (ways[k].method == PERM_PAIRS_CUDA || ways[k].method == PERM_TENSOR_CUDA)
            BASE_TRY(price_pairs(context, &entries, shared_bytes, options, candidate));
        else if (ways[k].method == PERM_SPARSE_CUDA)
            BASE_TRY(price_sparse(context, matrix, options, &entries, candidate, plan));
        else if (ways[k].method == PERM_EXACT_CUDA)
            BASE_TRY(price_exact(context, matrix, options, candidate));
        else
            BASE_TRY(price_twofold(context, matrix, shared_bytes, options, candidate));
    }
done:
    perm_plan_dense_free(&entries);
    return status;
}
