/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/minors/minors.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/subsets/kernel_choice.h"
#include "perm/subsets/primes.h"
#include "perm/subsets/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of a chunk, which then takes some hundred microseconds, and chunks of a problem. */
enum { LOG2_CHUNK = 6, LOG2_MOST_CHUNKS = 8 };

/* An entry of a table of kernels. */
#define ADDRESS(kernel) &kernel,

const perm_minors_kernel *const *perm_minors_kernels(void) {
    static const perm_minors_kernel *const kernels[] = {PERM_MINORS_KERNELS(ADDRESS) NULL};
    return kernels;
}

static base_status pick(base_context *context, const char *name, perm_minors *minors) {
    const unsigned features = base_cpu_features();
    perm_kernel_choice choice = {.wanted = name};
    for (const perm_minors_kernel *const *entry = perm_minors_kernels(); *entry != NULL; entry++)
        perm_kernel_choice_weigh(&choice, *entry, (*entry)->name,
                                 (*entry)->fits(&minors->problem[0], features) *
                                     (double)minors->problem_count);
    minors->kernel = choice.kernel;
    minors->seconds = choice.seconds;
    return perm_kernel_choice_check(context, &choice, "minors");
}

static void plan_chunks(perm_minors *minors) {
    const int64_t n = minors->problem[0].sum.n, log2_blocks = n - 1 - PERM_MINORS_FIRST;
    const int64_t middle = log2_blocks < PERM_MINORS_MOST_MIDDLE ? log2_blocks : PERM_MINORS_MOST_MIDDLE;
    int64_t log2_chunk = log2_blocks - middle < LOG2_CHUNK ? log2_blocks - middle : LOG2_CHUNK;
    if (log2_blocks - middle - log2_chunk > LOG2_MOST_CHUNKS)
        log2_chunk = log2_blocks - middle - LOG2_MOST_CHUNKS;
    for (int64_t k = 0; k < minors->problem_count; k++)
        minors->problem[k].middle = middle;
    minors->chunk_runs = INT64_C(1) << log2_chunk;
    minors->chunk_count = INT64_C(1) << (log2_blocks - middle - log2_chunk);
}

static base_status alloc_problems(base_context *context, int64_t count, perm_minors *minors) {
    minors->problem_count = count;
    minors->problem = base_alloc_zero(context, count, sizeof *minors->problem);
    minors->tables = base_alloc_zero(context, count, sizeof *minors->tables);
    return minors->problem != NULL && minors->tables != NULL ? BASE_OK : BASE_MACHINE;
}

/* The scaling of dense/dense.h. */
static base_status prepare_doubles(base_context *context, const perm_matrix *matrix, perm_minors *minors) {
    base_status status;
    perm_dense_matrix entries = {.n = 0}, padded;
    perm_dense_grid grid = {0};
    double *padded_entries = NULL;
    int64_t *padded_exponents = NULL;
    BASE_TRY(perm_dense_matrix_init(context, matrix, &entries));
    BASE_TRY(perm_dense_matrix_pad(context, &entries, PERM_DENSE_SMALLEST, false, &padded, &padded_entries,
                                   &padded_exponents));
    BASE_TRY(perm_dense_grid_init(context, &padded, &grid));
    BASE_TRY(alloc_problems(context, 1, minors));
    BASE_TRY(perm_dense_grid_tables(context, &grid, &minors->tables[0], &minors->problem[0].sum));
    perm_dense_grid_perturbation_minors(&grid, minors->perturbation);
    minors->exponent = 1 - padded.n;
    for (int64_t k = 0; k < padded.n; k++) {
        minors->row_exponent[k] = grid.row_exponent[k];
        minors->column_exponent[k] = grid.column_exponent[k];
        minors->exponent -= minors->row_exponent[k] + minors->column_exponent[k];
    }
done:
    perm_dense_grid_free(&grid);
    free(padded_entries);
    free(padded_exponents);
    perm_dense_matrix_free(&entries);
    return status;
}

/* Entries become integers. */
static base_status clear_fractions(base_context *context, perm_matrix *matrix, perm_minors *minors) {
    base_status status;
    BASE_TRY(perm_matrix_clear_fractions(context, matrix, minors->row_exponent, minors->column_exponent));
    for (int64_t i = 0; i < matrix->n; i++) {
        minors->exponent -= minors->row_exponent[i] + minors->column_exponent[i];
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            perm_value_scale(&matrix->entry[e],
                             minors->row_exponent[i] + minors->column_exponent[matrix->index[e]]);
    }
done:
    return status;
}

/* As many primes below 2^50/n as the bound needs. */
static base_status find_primes(base_context *context, const perm_matrix *matrix, int64_t n,
                               perm_minors *minors) {
    base_status status;
    double bits;
    int64_t last = (INT64_C(1) << 50) / n;
    const int64_t parts = minors->is_complex ? 2 : 1;
    BASE_TRY(perm_matrix_bound_minors_log2(context, matrix, &bits));
    const int64_t count = parts * (int64_t)ceil((fmax(bits, 0) + 2) / (49 - log2((double)n)));
    BASE_TRY(alloc_problems(context, count, minors));
    minors->prime = base_alloc(context, count, sizeof *minors->prime);
    minors->root = base_alloc_zero(context, count, sizeof *minors->root);
    if (minors->prime == NULL || minors->root == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < count; k++) {
        const bool again = k % parts != 0;
        last = again ? last : perm_prime_next(last, -1, minors->is_complex);
        minors->prime[k] = last;
        if (minors->is_complex)
            minors->root[k] = again ? -minors->root[k - 1] : perm_prime_root(last);
    }
done:
    return status;
}

static base_status prepare_residues(base_context *context, perm_matrix *matrix, perm_minors *minors) {
    base_status status;
    const int64_t n = matrix->n < PERM_DENSE_SMALLEST ? PERM_DENSE_SMALLEST : matrix->n;
    perm_dense_grid grid = {.n = n};
    minors->is_complex = perm_matrix_look(matrix).complex;
    grid.value = base_alloc_zero(context, n * n, sizeof *grid.value);
    if (grid.value == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(clear_fractions(context, matrix, minors));
    BASE_TRY(find_primes(context, matrix, n, minors));
    for (int64_t k = 0; k < minors->problem_count; k++) {
        const int64_t prime = minors->prime[k];
        for (int64_t i = 0; i < matrix->n; i++)
            for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
                const int64_t residue = perm_prime_residue(&matrix->entry[e], 0, prime, minors->root[k]);
                const double nearest = (double)(residue > prime / 2 ? residue - prime : residue);
                grid.value[matrix->index[e] * n + i] = ldexp(nearest, PERM_DENSE_GRID_BITS);
            }
        for (int64_t i = matrix->n; i < n; i++)
            grid.value[i * n + i] = ldexp(1, PERM_DENSE_GRID_BITS);
        BASE_TRY(perm_dense_grid_tables(context, &grid, &minors->tables[k], &minors->problem[k].sum));
        minors->problem[k].prime = prime;
    }
done:
    perm_dense_grid_free(&grid);
    return status;
}

base_status perm_minors_init(base_context *context, perm_matrix *matrix, bool exact, const char *kernel,
                             perm_minors *minors) {
    base_status status;
    memset(minors, 0, sizeof *minors);
    minors->n = matrix->n;
    if (matrix->n > PERM_MINORS_LARGEST) {
        BASE_TRY(base_fail(context, BASE_FAILED, "minors are computed at once for n up to %d, not %lld",
                           PERM_MINORS_LARGEST, (long long)matrix->n));
    }
    BASE_TRY(exact ? prepare_residues(context, matrix, minors) : prepare_doubles(context, matrix, minors));
    plan_chunks(minors);
    BASE_TRY(pick(context, kernel, minors));
done:
    if (status != BASE_OK)
        perm_minors_free(minors);
    return status;
}

void perm_minors_free(perm_minors *minors) {
    if (minors == NULL)
        return;
    for (int64_t k = 0; minors->tables != NULL && k < minors->problem_count; k++)
        free(minors->tables[k]);
    free(minors->tables);
    free(minors->problem);
    free(minors->prime);
    free(minors->root);
    memset(minors, 0, sizeof *minors);
}
