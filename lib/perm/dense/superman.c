/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/superman.h"
#include "base/core/memory.h"
#include "perm/dense/device.h"
#include "perm/superman/code.h"
#include "perm/superman/gpu.h"

#include <math.h>

extern const base_device_fatbin perm_superman_gpu_fatbin;

#define ROW(name, function, ...) {name, "superman_gpu_" #function, __VA_ARGS__},
const perm_superman_variant perm_superman_variants[] = {PERM_SUPERMAN_VARIANTS(ROW){.name = NULL}};
#undef ROW

static int64_t count_shared_bytes(const perm_superman_variant *variant, int64_t n) {
    const int64_t doubles =
        (variant->is_x_shared ? n * SUPERMAN_GPU_THREADS : 0) + (variant->is_matrix_shared ? n * n : 0);
    const int64_t least = 3 * SUPERMAN_GPU_THREADS;
    return (doubles > least ? doubles : least) * (int64_t)sizeof(double);
}

const char *perm_superman_reason(const perm_superman_variant *variant, const perm_dense *dense,
                                 int64_t shared_bytes) {
    return dense->problem.is_complex ? "not for complex matrices"
           : count_shared_bytes(variant, dense->problem.n) > shared_bytes
               ? "n is too large for its shared memory"
               : NULL;
}

base_status perm_superman_device_sum(base_context *context, const perm_superman_variant *variant,
                                     const perm_dense *dense, perm_device_sum *sum) {
    base_status status = BASE_MACHINE;
    const int64_t n = dense->problem.n;
    *sum = (perm_device_sum){.fatbin = &perm_superman_gpu_fatbin,
                             .kernel = variant->kernel,
                             .n = (int)n,
                             .block_threads = SUPERMAN_GPU_THREADS,
                             .column_bytes = (n + 1) * n * (int64_t)sizeof(double),
                             .shared_bytes = count_shared_bytes(variant, n),
                             .sum_bytes = sizeof(dense_gpu_sums),
                             .partial_bytes = sizeof(perm_dense_partial),
                             .partial_stride = sizeof(perm_dense_partial),
                             .chunk_subsets = dense->chunk_subsets,
                             .add = perm_dense_device_add};
    perm_device_sum_configure(sum, dense->chunk_count, 0, SUPERMAN_GPU_MOST_STEPS);
    sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (sum->columns == NULL)
        goto done;
    perm_dense_device_fill(dense, sum->columns);
    if (variant->is_code) {
        sum->code = perm_superman_print_code((int)n, variant->is_ceg);
        if (sum->code == NULL)
            BASE_TRY(base_fail(context, BASE_MACHINE, "out of memory"));
    }
    perm_device_sum_plan(sum, dense->chunk_count, 1, PERM_SUPERMAN_LOG2_LAUNCH);
    status = BASE_OK;
done:
    if (status != BASE_OK)
        perm_device_sum_free(sum);
    return status;
}
