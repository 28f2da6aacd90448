/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/dense.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/subsets/kernel_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of one call to the kernel, whose start then costs less than 1 %, and of a chunk, which takes a
 * millisecond or more. */
enum { LOG2_RUN = 12, LOG2_CHUNK = 14, LOG2_MOST_CHUNKS = 16 };

_Static_assert(1 << LOG2_MOST_CHUNKS == PERM_DENSE_MOST_CHUNKS && 1 << LOG2_RUN <= PERM_DENSE_LONGEST_RUN,
               "the sizes of kernel.h and dense.h");

/* An entry of a table of kernels. */
#define ADDRESS(kernel) &kernel,

const perm_dense_kernel *const *perm_dense_kernels(void) {
    static const perm_dense_kernel *const kernels[] = {PERM_DENSE_KERNELS(ADDRESS) NULL};
    return kernels;
}

/* The kernel of that name, or the fastest here when `name` is NULL. */
static base_status pick_kernel(base_context *context, const char *name, const perm_dense_problem *problem,
                               const perm_dense_kernel **kernel) {
    const unsigned features = base_cpu_features();
    perm_kernel_choice choice = {.wanted = name};
    for (const perm_dense_kernel *const *entry = perm_dense_kernels(); *entry != NULL; entry++)
        perm_kernel_choice_weigh(&choice, *entry, (*entry)->name, (*entry)->fits(problem, features));
    *kernel = choice.kernel;
    return perm_kernel_choice_check(context, &choice, "dense");
}

/* The sizes depend on n alone, so that a chunk means the same on every machine: parts and states rely on it.
 */
static void plan_chunks(perm_dense *dense) {
    const int64_t log2_blocks = dense->problem.n - 1 - PERM_DENSE_LOG2_SUBSETS;
    int64_t log2_chunk = log2_blocks < LOG2_CHUNK ? log2_blocks : LOG2_CHUNK;
    if (log2_blocks - log2_chunk > LOG2_MOST_CHUNKS)
        log2_chunk = log2_blocks - LOG2_MOST_CHUNKS;
    dense->chunk_blocks = INT64_C(1) << log2_chunk;
    dense->chunk_count = INT64_C(1) << (log2_blocks - log2_chunk);
    dense->chunk_subsets = ldexp(1, (int)log2_chunk + PERM_DENSE_LOG2_SUBSETS);
}

base_status perm_dense_init(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                            perm_dense *dense) {
    base_status status;
    perm_dense_matrix padded;
    perm_dense_grid grid = {0};
    double *entries = NULL;
    int64_t *exponents = NULL;
    memset(dense, 0, sizeof *dense);
    BASE_TRY(perm_dense_matrix_check(context, "dense", matrix));
    BASE_TRY(
        perm_dense_matrix_pad(context, matrix, PERM_DENSE_SMALLEST, false, &padded, &entries, &exponents));
    dense->problem.n = padded.n;
    dense->problem.is_complex = padded.is_complex;
    BASE_TRY(pick_kernel(context, kernel, &dense->problem, &dense->kernel));
    dense->is_exact = perm_dense_matrix_has_zero_row(&padded);
    if (dense->is_exact)
        goto done;
    BASE_TRY(perm_dense_grid_init(context, &padded, &grid));
    BASE_TRY(perm_dense_grid_tables(context, &grid, &dense->tables, &dense->problem));
    dense->is_exact = grid.is_exact;
    /* The sum is 2^(n-1) times the permanent of the scaled matrix (common/problem.h), and so are its errors.
     */
    dense->perturbation = ldexp(perm_dense_grid_perturbation(&grid), (int)padded.n - 1);
    perm_dense_grid_changes(&grid, dense->change);
    dense->exponent = 1 - padded.n;
    for (int64_t k = 0; k < padded.n; k++)
        dense->exponent -= grid.row_exponent[k] + grid.column_exponent[k];
    plan_chunks(dense);
    dense->seconds = dense->kernel->fits(&dense->problem, ~0u);
done:
    perm_dense_grid_free(&grid);
    free(entries);
    free(exponents);
    return status;
}

void perm_dense_free(perm_dense *dense) {
    if (dense == NULL)
        return;
    free(dense->tables);
    free(dense->certificate.tables);
    memset(dense, 0, sizeof *dense);
}

static void add_lanes(const perm_dense_sums *sums, int parts, perm_dense_partial *partial) {
    for (unsigned lane = 0; lane < PERM_DENSE_LANES; lane++) {
        /* s(d) has a factor -1 for each of the lane's columns that counts +1. Kernels leave it out. */
        const double sign = __builtin_parity(lane) ? -1 : 1;
        for (int part = 0; part < parts; part++)
            perm_dense_add(&partial->high[part], &partial->low[part], sign * sums->high[part][lane],
                           sign * sums->low[part][lane]);
        partial->magnitude += sums->magnitude[lane];
    }
}

/* The sum of the roots of certify.h in a chunk. The smallest n has half a block, whose subsets count twice.
 */
static double add_roots(const perm_dense *dense, int64_t chunk) {
    const perm_dense_certificate *certificate = &dense->certificate;
    const int64_t count = dense->chunk_blocks >> (PERM_PERTURBATION_LOG2_SUBSETS - PERM_DENSE_LOG2_SUBSETS);
    return count > 0 ? certificate->kernel->run(&certificate->problem, chunk * count, count)
                     : certificate->kernel->run(&certificate->problem, 0, 1) / 2;
}

double perm_dense_bound_magnitude(const perm_dense *dense, double bound) {
    double relative_error, absolute_error;
    perm_dense_error(dense, &relative_error, &absolute_error);
    return relative_error > 0 ? bound / relative_error : 0;
}

static void run_chunk(const perm_dense *dense, int64_t chunk, perm_dense_partial *partial) {
    const int64_t run = INT64_C(1) << LOG2_RUN;
    const int64_t first = chunk * dense->chunk_blocks, end = first + dense->chunk_blocks;
    const int64_t count = dense->chunk_blocks < run ? dense->chunk_blocks : run;
    memset(partial, 0, sizeof *partial);
    for (int64_t block = first; block < end; block += count) {
        perm_dense_sums sums;
        dense->kernel->run(&dense->problem, block, count, &sums);
        add_lanes(&sums, dense->problem.is_complex ? 2 : 1, partial);
    }
    if (dense->certificate.kernel != NULL)
        partial->magnitude +=
            perm_dense_bound_magnitude(dense, dense->certificate.factor * add_roots(dense, chunk));
}

void perm_dense_run(base_context *context, const perm_dense *dense, int64_t first, int64_t count,
                    perm_dense_partial *partial) {
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) if (count > 1)
    for (int64_t chunk = 0; chunk < count; chunk++) {
        run_chunk(dense, first + chunk, &partial[chunk]);
        base_progress_add(context, dense->chunk_subsets);
    }
}

/* Step 3 of dense.h. 2 u more than counted there hold the terms in u^2; what underflows below 2^-1074 in a
 * product changes it by at most as much, because later factors are at most 1. */
void perm_dense_error(const perm_dense *dense, double *relative_error, double *absolute_error) {
    const double n = (double)dense->problem.n,
                 roundings = (n - 1) * (dense->problem.is_complex ? 2.25 : 1) + 8;
    *relative_error = *absolute_error = 0;
    if (dense->is_exact)
        return;
    *relative_error = roundings * 0x1p-53 * (1 + 1e-6);
    /* 2^(n-1) products of n factors, a complex one of four products each: at most 4 n subnormals are lost in
     * each. */
    *absolute_error = ldexp(4 * n, (int)dense->problem.n - 1 - 1074);
    if (dense->certificate.kernel == NULL)
        *absolute_error += dense->perturbation;
    else if (!dense->problem.is_complex)
        *absolute_error += ldexp(1, (int)dense->problem.n - 1 - PERM_DENSE_UNDERFLOW);
}

void perm_dense_fold(const perm_dense *dense, const perm_dense_partial *partial, perm_dense_result *result) {
    double relative_error, absolute_error;
    perm_dense_error(dense, &relative_error, &absolute_error);
    perm_dense_add_partials(partial, dense->chunk_count, dense->problem.n, relative_error, absolute_error,
                            result);
    result->exponent = dense->exponent;
}

base_status perm_dense_permanent(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                 perm_dense_result *result) {
    base_status status;
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    BASE_TRY(perm_dense_init(context, matrix, kernel, &dense));
    partial = base_alloc(context, dense.chunk_count, sizeof *partial);
    if (partial == NULL)
        BASE_TRY(BASE_MACHINE);
    perm_dense_run(context, &dense, 0, dense.chunk_count, partial);
    perm_dense_fold(&dense, partial, result);
done:
    free(partial);
    perm_dense_free(&dense);
    return status;
}
