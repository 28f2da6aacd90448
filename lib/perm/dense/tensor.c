/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/tensor.h"
#include "base/core/memory.h"
#include "perm/dense/device.h"
#include "perm/dense/tensor_gpu.h"

#include <string.h>

extern const base_device_fatbin perm_dense_tensor_gpu_fatbin;

static int64_t count_pairs(const perm_dense *dense) {
    return (dense->problem.n + 1) / 2;
}

static int count_down(const perm_dense *dense) {
    return count_pairs(dense) > TENSOR_GPU_MANY ? 1 : TENSOR_GPU_DOWN;
}

static int64_t count_shared_bytes(const perm_dense *dense) {
    return count_pairs(dense) * (512 * TENSOR_GPU_TALL * count_down(dense) +
                                 256 * TENSOR_GPU_WIDE * TENSOR_GPU_ACROSS + 4 * (int)sizeof(double));
}

const char *perm_tensor_device_reason(const perm_dense *dense, int64_t shared_bytes) {
    return dense->problem.is_complex                     ? "not for complex matrices"
           : dense->problem.n < PERM_TENSOR_DEVICE_LEAST ? "n is too small"
           : count_shared_bytes(dense) > shared_bytes    ? "n is too large for its shared memory"
                                                         : NULL;
}

/* The columns with a row of ones behind an odd last one. */
static void fill_columns(const perm_dense_problem *problem, double *columns) {
    const int64_t n = problem->n, padded_rows = n + n % 2;
    memset(columns, 0, (size_t)(n * padded_rows) * sizeof *columns);
    columns[padded_rows - 1] = 1;
    for (int64_t column = 0; column < n; column++)
        memcpy(columns + column * padded_rows, column == 0 ? problem->start : problem->up + (column - 1) * n,
               (size_t)n * sizeof *columns);
}

base_status perm_tensor_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum) {
    const perm_dense_problem *problem = &dense->problem;
    const int n = (int)problem->n, down = count_down(dense);
    const int left = n - 1 - (TENSOR_GPU_LOW + TENSOR_GPU_HIGH + down - 1);
    *sum = (perm_device_sum){.fatbin = &perm_dense_tensor_gpu_fatbin,
                             .kernel = "tensor_gpu_real",
                             .n = n,
                             .block_threads = 32 * TENSOR_GPU_ACROSS * down,
                             .column_bytes = (int64_t)sizeof(double) * n * (n + n % 2),
                             .shared_bytes = count_shared_bytes(dense),
                             .sum_bytes = sizeof(dense_gpu_sums),
                             .partial_bytes = sizeof(perm_dense_partial),
                             .partial_stride = sizeof(perm_dense_partial),
                             .chunk_subsets = dense->chunk_subsets,
                             .add = perm_dense_device_add};
    perm_device_sum_configure(sum, dense->chunk_count, TENSOR_GPU_INNER,
                              left < TENSOR_GPU_MOST_STEPS ? left : TENSOR_GPU_MOST_STEPS);
    sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (sum->columns == NULL)
        return BASE_MACHINE;
    fill_columns(problem, sum->columns);
    perm_device_sum_plan(sum, dense->chunk_count, 1, PERM_TENSOR_DEVICE_LOG2_LAUNCH);
    return BASE_OK;
}

/* 6.2 and 1 roundings a pair (tensor_gpu.h), 5 of the 32 products that are added pairwise. */
void perm_tensor_device_error(const perm_dense *dense, double *relative_error, double *absolute_error) {
    perm_dense inexact = *dense;
    double not_this;
    inexact.is_exact = false;
    perm_dense_error(&inexact, &not_this, absolute_error);
    *relative_error = (7.2 * (double)count_pairs(dense) + 8) * 0x1p-53 * (1 + 1e-6);
}

/* As measured on an H200: 6.0e12 pairs of a row and a subset a second, where device.h has 8.0e12. A
 * product of fragments holds the FP64 units up for 24 clocks, the multiplications with it for 8: no less for
 * its 256 pairs than an addition and a multiplication for each. */
double perm_tensor_device_seconds(const perm_dense_problem *problem, double rate) {
    return perm_dense_units(problem) * 2.6 / (0.96 * rate);
}
