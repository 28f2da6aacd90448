/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/device.h"
#include "base/core/memory.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/perturbation/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(bound_gpu_row) == BOUND_GPU_ROW_DOUBLES * sizeof(double), "no gaps");

extern const base_device_fatbin perm_dense_gpu_fatbin;

/* S of certify.h up to which exp(S) - 1 <= S (1 + S) is what a product moves by. */
static const double most_linear = 0x1p-5;

bool perm_dense_device_is_built(void) {
    return base_device_has_code(&perm_dense_gpu_fatbin);
}

base_status perm_dense_device_load(base_context *context, base_device *device, base_device_module **module) {
    return base_device_load_fatbin(context, device, &perm_dense_gpu_fatbin, module);
}

void perm_dense_device_add(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    const dense_gpu_sums *block = sums;
    perm_dense_partial *partial = total;
    (void)sum;
    for (const dense_gpu_sums *end = block + count; block < end; block++) {
        for (int part = 0; part < 2; part++)
            perm_dense_add(&partial->high[part], &partial->low[part], block->high[part], block->low[part]);
        partial->magnitude += block->magnitude;
    }
}

/* Real: products with a weight within the limit move by at most slope (1 + 2^-5) of them. The rest holds the
 * roundings of weights, 2^-4, and of sums. */
static void add_certified(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    const dense_gpu_certified_sums *block = sums;
    const perm_dense *dense = sum->data;
    perm_dense_partial *partial = total;
    double factor = dense->certificate.factor, bound = 0;
    if (!dense->problem.is_complex)
        factor = dense->certificate.slope * (1 + most_linear) * (1 + 0x1p-4) * (1 + 0x1p-16);
    for (int64_t k = 0; k < count; k++) {
        perm_dense_device_add(sum, &block[k].sums, 1, total);
        bound += block[k].bound;
    }
    partial->magnitude += perm_dense_bound_magnitude(dense, factor * bound);
}

static void fill_real_bound(double slope, double *table) {
    table[BOUND_GPU_SPREAD] = slope / 64 * (1 + 0x1p-16);
    table[BOUND_GPU_INVERSE_SLOPE] = 1 / slope;
    table[BOUND_GPU_LIMIT] = most_linear / slope;
}

/* The pairs of perm/perturbation/gpu.h, made of those of the processor and column 4. */
static void fill_pairs(const perm_perturbation_problem *problem, int row, bound_gpu_row *to) {
    const float *fifth = problem->up + (DENSE_GPU_INNER_COMPLEX - 1) * BOUND_GPU_PARTS * problem->n;
    for (int k = 0; k < BOUND_GPU_PAIRS; k++) {
        const float *pair = problem->pairs + row * (1 + BOUND_GPU_PARTS) * PERM_PERTURBATION_PAIRS + k % 8;
        double square = pair[0];
        for (int part = 0; part < BOUND_GPU_PARTS; part++) {
            const float two_p = pair[(1 + part) * PERM_PERTURBATION_PAIRS],
                        sum = fifth[part * problem->n + row] + (k < 8 ? two_p : -two_p);
            to->pairs[k / 4][1 + part][k % 4] = sum;
            square += 0.25 * ((double)sum * sum - (double)two_p * two_p);
        }
        to->pairs[k / 4][0][k % 4] = nextafterf((float)square, INFINITY);
    }
}

static void fill_complex_bound(const perm_dense *dense, bound_gpu_row *rows) {
    const perm_dense_problem *problem = &dense->problem;
    const int n = (int)problem->n;
    memset(rows, 0, (size_t)(n % 2) * sizeof *rows);
    for (int row = 0; row < n; row++) {
        bound_gpu_row *to = &rows[n % 2 + row];
        *to = (bound_gpu_row){.scale = {dense->certificate.problem.scale[row]}};
        for (int at = 0; at < DENSE_GPU_INNER_COMPLEX * BOUND_GPU_PARTS; at++)
            to->center[at % BOUND_GPU_PARTS] += problem->up[at * n + row] / 2;
        fill_pairs(&dense->certificate.problem, row, to);
    }
}

void perm_dense_device_fill(const perm_dense *dense, void *columns) {
    const perm_dense_problem *problem = &dense->problem;
    const size_t bytes = (size_t)problem->n * (problem->is_complex ? 2 : 1) * sizeof(double);
    memcpy(columns, problem->start, bytes);
    memcpy((char *)columns + bytes, problem->up, (size_t)problem->n * bytes);
    double *table = (double *)((char *)columns + (size_t)(problem->n + 1) * bytes);
    if (dense->certificate.kernel != NULL && problem->is_complex)
        fill_complex_bound(dense, (bound_gpu_row *)table);
    else if (dense->certificate.kernel != NULL)
        fill_real_bound(dense->certificate.slope, table);
}

void perm_dense_device_configure(const perm_dense *dense, perm_device_sum *sum) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n, parts = problem->is_complex ? 2 : 1,
                  column_bytes = n * parts * (int64_t)sizeof(double);
    const int inner = problem->is_complex ? DENSE_GPU_INNER_COMPLEX : DENSE_GPU_INNER_REAL;
    *sum = (perm_device_sum){.fatbin = &perm_dense_gpu_fatbin,
                             .kernel = problem->is_complex ? "dense_gpu_complex" : "dense_gpu_real",
                             .n = (int)n,
                             .block_threads = DENSE_GPU_THREADS,
                             .column_bytes = (n + 1) * column_bytes,
                             .sum_bytes = sizeof(dense_gpu_sums),
                             .partial_bytes = sizeof(perm_dense_partial),
                             .partial_stride = sizeof(perm_dense_partial),
                             .chunk_subsets = dense->chunk_subsets,
                             .add = perm_dense_device_add};
    if (dense->certificate.kernel != NULL) {
        sum->kernel = problem->is_complex ? "dense_gpu_certified_complex" : "dense_gpu_certified_real";
        sum->column_bytes += problem->is_complex ? (n + n % 2) * (int64_t)sizeof(bound_gpu_row)
                                                 : BOUND_GPU_REALS * (int64_t)sizeof(double);
        sum->sum_bytes = sizeof(dense_gpu_certified_sums);
        sum->add = add_certified;
        sum->data = dense;
    }
    perm_device_sum_configure(sum, dense->chunk_count, inner, DENSE_GPU_MOST_STEPS);
    int64_t pair_doubles = parts * (2 * DENSE_GPU_THREADS + DENSE_GPU_COLUMNS);
    if (dense->certificate.kernel != NULL)
        pair_doubles += problem->is_complex ? 2 * BOUND_GPU_ROW_DOUBLES : BOUND_GPU_SPAN_DOUBLES;
    sum->shared_bytes = (n + 1) / 2 * pair_doubles * (int64_t)sizeof(double);
    perm_device_sum_plan(sum, dense->chunk_count, 1, PERM_DENSE_DEVICE_LOG2_LAUNCH);
}

base_status perm_dense_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum) {
    perm_dense_device_configure(dense, sum);
    sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (sum->columns == NULL)
        return BASE_MACHINE;
    perm_dense_device_fill(dense, sum->columns);
    return BASE_OK;
}

/* 96 % of what an addition and a multiplication a (row, subset) pair allow; complex two and four. */
double perm_dense_device_seconds(const perm_dense_problem *problem, double rate) {
    return perm_dense_units(problem) * (problem->is_complex ? 6 : 2) / (0.96 * rate);
}

base_status perm_dense_device_run(base_context *context, base_devices *devices, const perm_dense *dense,
                                  int64_t first, int64_t count, perm_dense_partial *partial) {
    base_status status;
    perm_device_sum sum = {.n = 0};
    BASE_TRY(perm_dense_device_sum(context, dense, &sum));
    perm_device_sum_plan(&sum, count, base_devices_count(devices), PERM_DENSE_DEVICE_LOG2_LAUNCH);
    BASE_TRY(perm_device_sum_run(context, devices, &sum, first, count, partial));
done:
    perm_device_sum_free(&sum);
    return status;
}

base_status perm_dense_device_permanent(base_context *context, base_devices *devices,
                                        const perm_dense_matrix *matrix, perm_dense_result *result) {
    base_status status;
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    BASE_TRY(perm_dense_init(context, matrix, NULL, &dense));
    partial = base_alloc(context, dense.chunk_count, sizeof *partial);
    if (partial == NULL)
        BASE_TRY(BASE_MACHINE);
    if (dense.chunk_count > 0)
        BASE_TRY(perm_dense_device_run(context, devices, &dense, 0, dense.chunk_count, partial));
    perm_dense_fold(&dense, partial, result);
done:
    free(partial);
    perm_dense_free(&dense);
    return status;
}
