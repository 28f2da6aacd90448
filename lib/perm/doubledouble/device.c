/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/doubledouble/device.h"
#include "base/core/memory.h"
#include "perm/common/gray_gpu.h"
#include "perm/doubledouble/gpu.h"

#include <math.h>
#include <string.h>

extern const base_device_fatbin perm_doubledouble_gpu_fatbin;

bool perm_dd_device_is_built(void) {
    return base_device_has_code(&perm_doubledouble_gpu_fatbin);
}

static void add_sums(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    (void)sum;
    perm_dd_partial *partial = total;
    for (const dd_gpu_sums *block = sums, *end = block + count; block < end; block++) {
        for (int part = 0; part < 2; part++)
            perm_dd_add(partial, part, block->high[part], block->middle[part], block->low[part]);
        partial->magnitude += block->magnitude;
    }
}

int64_t perm_dd_device_shared_bytes(const perm_dd *dd) {
    return dd->problem.n * perm_dense_parts(&dd->problem) *
           (GRAY_GPU_THREADS + DD_GPU_INNER + GRAY_GPU_MOST_STEPS) * (int64_t)sizeof(double);
}

base_status perm_dd_device_sum(base_context *context, const perm_dd *dd, perm_device_sum *sum) {
    const perm_dense_problem *problem = &dd->problem;
    const int64_t n = problem->n, numbers = n * perm_dense_parts(problem),
                  column_bytes = numbers * (int64_t)sizeof(double);
#define NAME(name, is_complex, has_low, resident) [is_complex][has_low] = #name,
    static const char *const kernels[2][2] = {DD_GPU_KERNELS(NAME)};
#undef NAME
    *sum = (perm_device_sum){.fatbin = &perm_doubledouble_gpu_fatbin,
                             .kernel = kernels[problem->is_complex][problem->has_low],
                             .n = (int)n,
                             .block_threads = GRAY_GPU_THREADS,
                             .column_bytes = n * column_bytes,
                             .sum_bytes = sizeof(dd_gpu_sums),
                             .partial_bytes = sizeof(perm_dd_partial),
                             .partial_stride = sizeof(perm_dd_partial),
                             .chunk_subsets = dd->chunk_subsets,
                             .add = add_sums};
    perm_device_sum_configure(sum, dd->chunk_count, DD_GPU_INNER, GRAY_GPU_MOST_STEPS);
    sum->shared_bytes = perm_dd_device_shared_bytes(dd);
    perm_device_sum_plan(sum, dd->chunk_count, 1, PERM_DD_DEVICE_LOG2_LAUNCH);
    sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (sum->columns == NULL)
        return BASE_MACHINE;
    memcpy(sum->columns, problem->start, (size_t)column_bytes);
    memcpy((char *)sum->columns + column_bytes, problem->up, (size_t)((n - 1) * column_bytes));
    return BASE_OK;
}

/* 7 instructions a (row, subset) pair where row sums are doubles, else 12, complex 36 and 46; 80 % of the
 * FP64 units' rate. */
double perm_dd_device_seconds(const perm_dd *dd, double rate) {
    static const double instructions[2][2] = {{7, 12}, {36, 46}};
    const perm_dense_problem *problem = &dd->problem;
    return perm_dense_units(problem) * instructions[problem->is_complex][problem->has_low] / (0.8 * rate);
}
