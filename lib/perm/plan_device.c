/* Prices of the methods on devices. */
#include "base/device_compile.h"
#include "perm/dense_device.h"
#include "perm/plan_price.h"
#include "perm/sparse_cuda.h"
#include <stdio.h>
#include <string.h>

/* What a device must save to be started. */
static const double worth_seconds = 0.5;

/* Of a device; of NVRTC for the code of a sparse permanent. */
static const double start_seconds = 0.4, compile_seconds = 1.2;

static bool is_named(const perm_plan_options *options) {
    const char *suffix = options->kernel ? strrchr(options->kernel, '-') : NULL;
    return suffix && strcmp(suffix, "-cuda") == 0;
}

static bool has_precision(const perm_matrix *matrix, const perm_plan_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    return kind == PERM_PRECISION_DOUBLE || kind == PERM_PRECISION_KAHAN ||
           (kind == PERM_PRECISION_ANY && (!perm_plan_is_whole(matrix) || is_named(options)));
}

/* Where somebody asks, or the best of the processor's methods takes long. */
static bool is_wanted(const perm_matrix *matrix, const perm_plan_options *options, const perm_plan *plan) {
    if (!options->devices)
        return false;
    if (options->list || is_named(options))
        return true;
    if (options->devices->choice == BASE_DEVICE_CPU || !has_precision(matrix, options))
        return false;
    const perm_candidate *cheapest = perm_plan_cheapest(matrix, options, plan);
    return options->devices->choice == BASE_DEVICE_CUDA || !cheapest || cheapest->seconds > worth_seconds;
}

static void refuse(perm_candidate *candidate, const char *reason) {
    snprintf(candidate->reason, sizeof candidate->reason, "%.95s", reason);
}

/* With so few zeros tables save nothing. */
static const double dense_share = 0.9;

/* Why no device can be used; NULL: they can. */
static const char *find_reason(base_context *context, const perm_matrix *matrix, perm_devices *devices) {
    if (matrix->n > PERM_DENSE_LARGEST)
        return "n is too large";
    if (devices->choice == BASE_DEVICE_CPU)
        return "--device cpu";
    if (perm_devices_find(context, devices) != BASE_OK)
        return context->error.cause;
    return base_devices_count(devices->found) > 0 ? NULL : base_devices_reason(devices->found);
}

static base_status price_dense(base_context *context, const perm_dense_matrix *entries, double rate,
                               perm_candidate *candidate) {
    base_status status = BASE_OK;
    perm_dense dense = {0};
    if (!perm_dense_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        goto done;
    }
    BASE_TRY(perm_dense_init(context, entries, NULL, &dense));
    candidate->seconds = start_seconds + perm_dense_device_seconds(&dense.problem, rate);
done:
    perm_dense_free(&dense);
    return status;
}

static base_status price_sparse(base_context *context, const perm_matrix *matrix,
                                const perm_dense_matrix *entries, const perm_devices *devices,
                                perm_candidate *candidate, perm_sparse_plan *plan) {
    base_status status = BASE_OK;
    perm_sparse sparse = {0};
    base_context silent = *context;
    const base_device *device = base_devices_get(devices->found, 0);
    if ((double)matrix->nnz > dense_share * (double)matrix->n * (double)matrix->n) {
        refuse(candidate, "too few zeros");
        goto done;
    }
    if (base_device_check_compiler(&silent, base_device_get_properties(device)->architecture) != BASE_OK) {
        refuse(candidate, silent.error.cause);
        goto done;
    }
    BASE_TRY(perm_sparse_init(context, entries, NULL, &perm_sparse_device_gpu, NULL, &sparse));
    *plan = sparse.plan;
    candidate->seconds =
        start_seconds + compile_seconds + perm_sparse_cuda_seconds(&sparse, perm_devices_rate(devices));
done:
    perm_sparse_free(&sparse);
    return status;
}

base_status perm_plan_price_devices(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    if (!is_wanted(matrix, options, plan))
        return BASE_OK;
    const char *reason = find_reason(context, matrix, options->devices);
    perm_candidate *dense = perm_plan_add(plan, "dense-cuda", PERM_DENSE_CUDA),
                   *sparse = perm_plan_add(plan, "sparse-cuda", PERM_SPARSE_CUDA);
    if (reason) {
        refuse(dense, reason);
        refuse(sparse, reason);
        goto done;
    }
    BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    BASE_TRY(price_dense(context, &entries, perm_devices_rate(options->devices), dense));
    BASE_TRY(price_sparse(context, matrix, &entries, options->devices, sparse, &plan->sparse_cuda));
done:
    perm_plan_dense_free(&entries);
    return status;
}
