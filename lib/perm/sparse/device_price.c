/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the code that is made for a matrix and compiled for devices (device.h): the sum over tables, and
 * two published ways through the subsets without tables. */
#include "base/device/compile.h"
#include "perm/sparse/device.h"
#include "perm/sparse/internal.h"

#include <string.h>

/* Of NVRTC, for the code of a sparse permanent. */
static const double compile_seconds = 0.9;

/* By what was priced before. */
static bool is_beaten(const perm_prices *prices) {
    for (int i = 0; i < prices->count && !perm_prices_want_all(prices); i++) {
        const perm_candidate *other = &prices->candidate[i];
        if (perm_method_has(other->method, PERM_METHOD_ON_DEVICE) && other->seconds > 0 &&
            other->seconds < compile_seconds)
            return true;
    }
    return false;
}

static const char *find_reason(base_context *silent, const perm_method *method, perm_sparse_variant variant,
                               const perm_prices *prices) {
    const perm_plan_options *options = prices->options;
    const base_device *device = base_devices_get(options->devices->found, 0);
    const bool is_named = options->kernel != NULL && strcmp(options->kernel, method->name) == 0;
    if (variant == PERM_SPARSE_TABLES && !is_named && perm_sparse_has_few_zeros(prices->matrix))
        return "too few zeros";
    if (is_beaten(prices))
        return "others take less than to compile code";
    if (variant != PERM_SPARSE_TABLES && perm_matrix_look(prices->matrix).complex)
        return "not for complex matrices";
    if (base_device_check_compiler(silent, base_device_get_properties(device)->architecture) != BASE_OK)
        return silent->error.cause;
    return NULL;
}

static base_status price_way(base_context *context, const perm_method *method, perm_sparse_variant variant,
                             perm_prices *prices) {
    base_status status = BASE_OK;
    perm_sparse sparse = {0};
    base_context silent = *context;
    const perm_dense_matrix *entries;
    const perm_plan_options *options = prices->options;
    perm_candidate *candidate = perm_prices_add(prices, method);
    perm_sparse_plans *plans = perm_sparse_get_plans(context, prices);
    BASE_TRY(plans == NULL ? BASE_MACHINE : BASE_OK);
    const char *reason = find_reason(&silent, method, variant, prices);
    if (reason != NULL) {
        perm_candidate_refuse(candidate, reason);
        goto done;
    }
    BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    BASE_TRY(perm_sparse_cuda_prepare(context, entries, variant, NULL, &sparse));
    if (variant == PERM_SPARSE_TABLES) {
        plans->device = sparse.plan;
        candidate->prepared = &plans->device;
    }
    const perm_sparse_launch launch = variant == PERM_SPARSE_TABLES || sparse.chunk_count == 0
                                          ? perm_sparse_cuda_launch
                                          : perm_sparse_cuda_gray_launch(&sparse.problem, variant);
    perm_candidate_set_seconds(
        candidate, perm_prices_start_seconds(options, false) + compile_seconds,
        perm_sparse_cuda_seconds(&sparse, &launch, perm_devices_rate(options->devices)));
done:
    perm_sparse_free(&sparse);
    return status;
}

static base_status price_tables(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_way(context, method, PERM_SPARSE_TABLES, prices);
}

static base_status price_registers(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_way(context, method, PERM_SPARSE_REGISTERS, prices);
}

static base_status price_hybrid(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_way(context, method, PERM_SPARSE_HYBRID, prices);
}

static base_status emit_tables(base_context *context, const perm_matrix *matrix, char **source) {
    return perm_sparse_emit(context, PERM_SPARSE_TABLES, matrix, source);
}

static base_status emit_registers(base_context *context, const perm_matrix *matrix, char **source) {
    return perm_sparse_emit(context, PERM_SPARSE_REGISTERS, matrix, source);
}

static base_status emit_hybrid(base_context *context, const perm_matrix *matrix, char **source) {
    return perm_sparse_emit(context, PERM_SPARSE_HYBRID, matrix, source);
}

const perm_method perm_sparse_cuda_method = {
    .name = "sparse-cuda",
    .family = "sparse",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_tables,
    .open = perm_sparse_cuda_open,
    .emit = emit_tables,
};

/* Elbek and Kaya: all row sums in registers. */
const perm_method perm_register_cuda_method = {
    .name = "register-cuda",
    .family = "sparse",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES | PERM_METHOD_IS_PUBLISHED,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_registers,
    .open = perm_register_cuda_open,
    .emit = emit_registers,
};

/* Elbek and Kaya: those of the rows that change most often in registers, the others in memory. */
const perm_method perm_hybrid_cuda_method = {
    .name = "hybrid-cuda",
    .family = "sparse",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES | PERM_METHOD_IS_PUBLISHED,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_hybrid,
    .open = perm_hybrid_cuda_open,
    .emit = emit_hybrid,
};
