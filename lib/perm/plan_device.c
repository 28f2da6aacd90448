/* Prices of the methods on devices. */
#include "base/device_compile.h"
#include "perm/dense_device.h"
#include "perm/exact_device.h"
#include "perm/plan_price.h"
#include "perm/sparse_cuda.h"
#include "perm/twofold_device.h"
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

/* Where somebody asks, or the best of the processor's methods takes long. */
static bool is_wanted(const perm_matrix *matrix, const perm_plan_options *options, const perm_plan *plan) {
    if (!options->devices)
        return false;
    if (options->list || is_named(options))
        return true;
    if (options->devices->choice == BASE_DEVICE_CPU)
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

static base_status price_exact(base_context *context, const perm_matrix *matrix, double rate,
                               perm_candidate *candidate) {
    perm_exact exact;
    if (!perm_exact_device_is_built()) {
        refuse(candidate, "built without CUDA kernels");
        return BASE_OK;
    }
    const base_status status = perm_exact_init(context, matrix, NULL, &exact);
    if (status == BASE_OK) {
        candidate->seconds = start_seconds + perm_exact_device_seconds(&exact, rate);
        candidate->bytes = 8.0 * (double)(exact.chunk_count * exact.residue_count);
    }
    perm_exact_free(&exact);
    return status;
}

static base_status price_twofold(base_context *context, const perm_matrix *matrix, double rate,
                                 perm_candidate *candidate) {
    perm_twofold twofold;
    const char *reason = perm_matrix_look(matrix).complex  ? "not for complex matrices"
                         : !perm_twofold_device_is_built() ? "built without CUDA kernels"
                                                           : NULL;
    if (reason) {
        refuse(candidate, reason);
        return BASE_OK;
    }
    const base_status status = perm_twofold_init(context, matrix, NULL, &twofold);
    if (status == BASE_OK)
        candidate->seconds = start_seconds + perm_twofold_device_seconds(&twofold, rate);
    perm_twofold_free(&twofold);
    return status;
}

/* Whether a method is listed, named or computes as asked. */
static bool is_priced(const perm_matrix *matrix, const perm_plan_options *options, perm_method method) {
    return options->list || options->kernel || perm_plan_has_precision(matrix, method, options);
}

base_status perm_plan_price_devices(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    if (!is_wanted(matrix, options, plan))
        return BASE_OK;
    const char *reason = find_reason(context, matrix, options->devices);
    static const struct {
        const char *name;
        perm_method method;
    } ways[] = {{"dense-cuda", PERM_DENSE_CUDA},
                {"sparse-cuda", PERM_SPARSE_CUDA},
                {"exact-cuda", PERM_EXACT_CUDA},
                {"dd-cuda", PERM_TWOFOLD_CUDA}};
    const double rate = perm_devices_rate(options->devices);
    if (!reason)
        BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (!is_priced(matrix, options, ways[k].method))
            continue;
        perm_candidate *candidate = perm_plan_add(plan, ways[k].name, ways[k].method);
        if (reason)
            refuse(candidate, reason);
        else if (ways[k].method == PERM_DENSE_CUDA)
            BASE_TRY(price_dense(context, &entries, rate, candidate));
        else if (ways[k].method == PERM_SPARSE_CUDA)
            BASE_TRY(
                price_sparse(context, matrix, &entries, options->devices, candidate, &plan->sparse_cuda));
        else if (ways[k].method == PERM_EXACT_CUDA)
            BASE_TRY(price_exact(context, matrix, rate, candidate));
        else
            BASE_TRY(price_twofold(context, matrix, rate, candidate));
    }
done:
    perm_plan_dense_free(&entries);
    return status;
}
