/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/sparse.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/subsets/kernel_choice.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2_MOST_CHUNKS = 16 };

_Static_assert(1 << LOG2_MOST_CHUNKS == PERM_SPARSE_MOST_CHUNKS, "the size of sparse.h");

/* An entry of a table of kernels. */
#define ADDRESS(kernel) &kernel,

const perm_sparse_kernel *const *perm_sparse_kernels(void) {
    static const perm_sparse_kernel *const kernels[] = {PERM_SPARSE_KERNELS(ADDRESS) NULL};
    return kernels;
}

const perm_sparse_kernel *const *perm_sparse_exact_kernels(void) {
    static const perm_sparse_kernel *const kernels[] = {PERM_SPARSE_EXACT_KERNELS(ADDRESS) NULL};
    return kernels;
}

static base_status pick_kernel(base_context *context, const char *name, const perm_sparse_problem *problem,
                               const perm_sparse_kernel **kernel) {
    const unsigned features = base_cpu_features();
    perm_kernel_choice choice = {.wanted = name};
    for (const perm_sparse_kernel *const *entry = problem->prime != 0 ? perm_sparse_exact_kernels()
                                                                      : perm_sparse_kernels();
         *entry != NULL; entry++)
        perm_kernel_choice_weigh(&choice, *entry, (*entry)->name, (*entry)->fits(problem, features));
    *kernel = choice.kernel;
    return perm_kernel_choice_check(context, &choice, "sparse");
}

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

static bool is_gray(const char *name) {
    for (const perm_sparse_kernel *const *entry = perm_sparse_kernels(); name != NULL && *entry != NULL;
         entry++)
        if (strcmp(name, (*entry)->name) == 0)
            return (*entry)->is_gray;
    return false;
}

/* Runs of 2^middle blocks, chunks of whole groups of 8 runs. */
static void plan_chunks(const perm_sparse_device *device, perm_sparse *sparse) {
    const int outside = (int)sparse->problem.n - 1 - sparse->plan.order.low,
              most_middle = outside - PERM_SPARSE_LOG2_LANES;
    const int middle =
        clamp(clamp(outside - device->log2_runs, device->least_middle, device->most_middle), 0, most_middle);
    int log2_runs = PERM_SPARSE_LOG2_LANES;
    while (log2_runs < outside - middle &&
           (ldexp(sparse->problem.operations, middle + log2_runs) < device->chunk_operations ||
            outside - middle - log2_runs > LOG2_MOST_CHUNKS))
        log2_runs++;
    sparse->problem.middle = middle;
    sparse->chunk_count = INT64_C(1) << (outside - middle - log2_runs);
    sparse->chunk_runs = INT64_C(1) << log2_runs;
    sparse->chunk_subsets = ldexp(1, log2_runs + middle + sparse->plan.order.low);
}

/* Integers as they are. */
static base_status make_integer_grid(base_context *context, const perm_dense_matrix *matrix,
                                     perm_dense_grid *grid) {
    const int64_t n = matrix->n;
    grid->n = n;
    grid->value = base_alloc(context, n * n, sizeof(double));
    grid->change = base_alloc_zero(context, n * n, sizeof(double));
    if (grid->value == NULL || grid->change == NULL)
        return BASE_MACHINE;
    for (int64_t at = 0; at < n * n; at++)
        grid->value[at] = ldexp(matrix->entries[at], (int)matrix->exponents[at] + PERM_DENSE_GRID_BITS);
    return BASE_OK;
}

static base_status prepare(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                           int64_t prime, const perm_sparse_device *device, perm_sparse *sparse) {
    base_status status;
    perm_dense_grid grid = {0};
    BASE_TRY(prime != 0 ? make_integer_grid(context, matrix, &grid)
                        : perm_dense_grid_init(context, matrix, &grid));
    BASE_TRY(perm_sparse_problem_make(context, &grid, &sparse->plan, &sparse->problem, &sparse->memory));
    sparse->problem.prime = prime;
    plan_chunks(device, sparse);
    BASE_TRY(pick_kernel(context, kernel, &sparse->problem, &sparse->kernel));
    /* A table adds up at most 2^low products, which then fit into a double. */
    sparse->is_exact = grid.is_exact && sparse->plan.order.low <= 4;
    sparse->perturbation = ldexp(perm_dense_grid_perturbation(&grid), (int)grid.n - 1);
    sparse->exponent = 1 - grid.n;
    for (int64_t k = 0; k < grid.n; k++)
        sparse->exponent -= grid.row_exponent[k] + grid.column_exponent[k];
    sparse->seconds = sparse->kernel->fits(&sparse->problem, ~0u) * (double)sparse->chunk_count *
                      ldexp((double)sparse->chunk_runs, (int)sparse->problem.middle) / PERM_SPARSE_LANES;
done:
    perm_dense_grid_free(&grid);
    return status;
}

static base_status init(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                        int64_t prime, const perm_sparse_device *device, const perm_sparse_plan *plan,
                        perm_sparse *sparse) {
    base_status status;
    perm_dense_matrix padded;
    double *entries = NULL, *final_entries = NULL;
    int64_t *exponents = NULL, *final_exponents = NULL;
    memset(sparse, 0, sizeof *sparse);
    BASE_TRY(perm_dense_matrix_check(context, "sparse", matrix));
    BASE_TRY(
        perm_dense_matrix_pad(context, matrix, PERM_SPARSE_SMALLEST, false, &padded, &entries, &exponents));
    sparse->problem = (perm_sparse_problem){.n = padded.n, .low = 1, .operations = 1, .prime = prime};
    sparse->is_exact = perm_dense_matrix_has_zero_row(&padded);
    if (sparse->is_exact) {
        BASE_TRY(pick_kernel(context, kernel, &sparse->problem, &sparse->kernel));
        goto done;
    }
    if (plan != NULL)
        sparse->plan = *plan;
    else if (is_gray(kernel))
        perm_sparse_plan_gray(&padded, &sparse->plan);
    else
        BASE_TRY(perm_sparse_plan_make(context, &padded, device != NULL ? device : &perm_sparse_device_cpu,
                                       &sparse->plan));
    device = device != NULL ? device : sparse->plan.device;
    const perm_dense_matrix whole = padded;
    BASE_TRY(perm_dense_matrix_pad(context, &whole, 0, sparse->plan.is_transposed, &padded, &final_entries,
                                   &final_exponents));
    BASE_TRY(prepare(context, &padded, kernel, prime, device, sparse));
done:
    free(entries);
    free(exponents);
    free(final_entries);
    free(final_exponents);
    if (status != BASE_OK)
        perm_sparse_free(sparse);
    return status;
}

base_status perm_sparse_init(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                             const perm_sparse_device *device, const perm_sparse_plan *plan,
                             perm_sparse *sparse) {
    return init(context, matrix, kernel, 0, device, plan, sparse);
}

base_status perm_sparse_init_modular(base_context *context, const perm_dense_matrix *matrix,
                                     const char *kernel, int64_t prime, const perm_sparse_plan *plan,
                                     perm_sparse *sparse) {
    return init(context, matrix, kernel, prime, NULL, plan, sparse);
}

void perm_sparse_free(perm_sparse *sparse) {
    if (sparse == NULL)
        return;
    free(sparse->memory);
    memset(sparse, 0, sizeof *sparse);
}

void perm_sparse_add_run(const perm_sparse *sparse, int64_t number, const double high[2], const double low[2],
                         double magnitude, perm_dense_partial *partial) {
    const double sign = __builtin_parityll((unsigned long long)number) ? -1 : 1;
    for (int part = 0; part <= sparse->problem.is_complex; part++)
        perm_dense_add(&partial->high[part], &partial->low[part], sign * high[part], sign * low[part]);
    partial->magnitude += magnitude;
}

static void run_chunk(const perm_sparse *sparse, int64_t chunk, double *work, perm_dense_partial *partial) {
    const int64_t first = chunk * sparse->chunk_runs;
    memset(partial, 0, sizeof *partial);
    for (int64_t run = first; run < first + sparse->chunk_runs; run += PERM_SPARSE_LANES) {
        perm_sparse_sums sums;
        sparse->kernel->run(&sparse->problem, run, work, &sums);
        for (int lane = 0; lane < PERM_SPARSE_LANES; lane++) {
            const double high[2] = {sums.high[0][lane], sums.high[1][lane]};
            const double low[2] = {sums.low[0][lane], sums.low[1][lane]};
            perm_sparse_add_run(sparse, run + lane, high, low, sums.magnitude[lane], partial);
        }
    }
}

base_status perm_sparse_run(base_context *context, const perm_sparse *sparse, int64_t first, int64_t count,
                            perm_dense_partial *partial) {
    const int64_t threads = context->threads < count ? context->threads : count;
    const int64_t work_length = sparse->problem.places * PERM_SPARSE_LANES;
    if (count == 0)
        return BASE_OK;
    double *work = base_alloc_aligned(context, threads * work_length, sizeof *work);
    if (work == NULL)
        return BASE_MACHINE;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t chunk = 0; chunk < count; chunk++) {
        run_chunk(sparse, first + chunk, work + omp_get_thread_num() * work_length, &partial[chunk]);
        base_progress_add(context, (int64_t)sparse->chunk_subsets);
    }
    free(work);
    return BASE_OK;
}

/* 6 u more than the header counts hold what TwoSum leaves and the terms in u^2. What underflows below 2^-1074
 * in an operation is multiplied with at most 2^low afterwards. */
void perm_sparse_error(const perm_sparse *sparse, double *relative_error, double *absolute_error) {
    const double n = (double)sparse->problem.n,
                 roundings = (n - 1 + sparse->plan.order.low) * (sparse->problem.is_complex ? 2.25 : 1) + 6;
    *relative_error = *absolute_error = 0;
    if (sparse->is_exact)
        return;
    *relative_error = roundings * 0x1p-53 * (1 + 1e-6);
    *absolute_error =
        ldexp(4 * (sparse->problem.operations + n), (int)sparse->problem.n - 1 - 1074) + sparse->perturbation;
}

void perm_sparse_fold(const perm_sparse *sparse, const perm_dense_partial *partial,
                      perm_dense_result *result) {
    double relative_error, absolute_error;
    perm_sparse_error(sparse, &relative_error, &absolute_error);
    perm_dense_add_partials(partial, sparse->chunk_count, sparse->problem.n, relative_error, absolute_error,
                            result);
    result->exponent = sparse->exponent;
}

base_status perm_sparse_permanent(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                  perm_dense_result *result) {
    base_status status;
    perm_sparse sparse = {0};
    perm_dense_partial *partial = NULL;
    BASE_TRY(perm_sparse_init(context, matrix, kernel, NULL, NULL, &sparse));
    partial = base_alloc(context, sparse.chunk_count, sizeof *partial);
    if (partial == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(perm_sparse_run(context, &sparse, 0, sparse.chunk_count, partial));
    perm_sparse_fold(&sparse, partial, result);
done:
    free(partial);
    perm_sparse_free(&sparse);
    return status;
}
