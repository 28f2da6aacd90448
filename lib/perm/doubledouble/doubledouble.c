/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/doubledouble/doubledouble.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/subsets/kernel_choice.h"
#include "perm/subsets/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries are high 2^-54 + low 2^-101 with integers high and low, |low| <= 2^46: 63 of them add up exactly.
 */
enum { HIGH_BITS = 54, LOW_BITS = 47, LOG2_RUN = 12, LOG2_CHUNK = 13, LOG2_MOST_CHUNKS = 14 };

/* An entry of a table of kernels. */
#define ADDRESS(kernel) &kernel,

const perm_dd_kernel *const *perm_dd_kernels(void) {
    static const perm_dd_kernel *const kernels[] = {PERM_DD_KERNELS(ADDRESS) NULL};
    return kernels;
}

static base_status pick(base_context *context, const char *name, perm_dd *dd) {
    const unsigned features = base_cpu_features();
    perm_kernel_choice choice = {.wanted = name};
    for (const perm_dd_kernel *const *entry = perm_dd_kernels(); *entry != NULL; entry++)
        perm_kernel_choice_weigh(&choice, *entry, (*entry)->name, (*entry)->fits(&dd->problem, features));
    dd->kernel = choice.kernel;
    dd->seconds = choice.seconds;
    return perm_kernel_choice_check(context, &choice, "double-double");
}

/* The matrix in the corner of the identity, at least 8x8; a copy. */
static base_status pad(base_context *context, const perm_matrix *matrix, perm_matrix *padded) {
    const int64_t n = matrix->n < PERM_DENSE_SMALLEST ? PERM_DENSE_SMALLEST : matrix->n;
    const base_status status =
        perm_matrix_alloc(context, n, matrix->nnz + n - matrix->n, matrix->field, padded);
    if (status != BASE_OK)
        return status;
    memcpy(padded->start, matrix->start, (size_t)(matrix->n + 1) * sizeof *padded->start);
    memcpy(padded->index, matrix->index, (size_t)matrix->nnz * sizeof *padded->index);
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_copy(&padded->entry[e], &matrix->entry[e]);
    for (int64_t k = matrix->n; k < n; k++) {
        const int64_t e = padded->start[k];
        perm_value_set_integer(&padded->entry[e], 1);
        padded->index[e] = k;
        padded->start[k + 1] = e + 1;
    }
    return BASE_OK;
}

/* Whether a row or a column has no entries. */
static bool has_zero_row(const perm_matrix *matrix) {
    bool seen[PERM_DENSE_LARGEST] = {false};
    for (int64_t e = 0; e < matrix->nnz; e++)
        seen[matrix->index[e]] = true;
    for (int64_t k = 0; k < matrix->n; k++)
        if (!seen[k] || matrix->start[k] == matrix->start[k + 1])
            return true;
    return false;
}

/* A part times 2^exponent as an integer, rounded down; whether it was one. */
static bool shift(mpz_srcptr part, int64_t exponent, mpz_t integer) {
    if (exponent >= 0) {
        mpz_mul_2exp(integer, part, (mp_bitcnt_t)exponent);
        return true;
    }
    mpz_fdiv_q_2exp(integer, part, (mp_bitcnt_t)-exponent);
    return mpz_divisible_2exp_p(part, (mp_bitcnt_t)-exponent) != 0;
}

/* An integer in units of 2^-101 as two numbers in units of 2^-54. */
static void split(mpz_t integer, double *high, double *low) {
    mpz_t rounded;
    mpz_init_set_ui(rounded, 1);
    mpz_mul_2exp(rounded, rounded, LOW_BITS - 1);
    mpz_add(rounded, rounded, integer);
    mpz_fdiv_q_2exp(rounded, rounded, LOW_BITS); /* next */
    *high = mpz_get_d(rounded);
    mpz_mul_2exp(rounded, rounded, LOW_BITS);
    mpz_sub(integer, integer, rounded);
    *low = ldexp(mpz_get_d(integer), -LOW_BITS);
    mpz_clear(rounded);
}

/* The exact entries on two grids, in units of the first, part by part: value[2 part] is high, value[2 part +
 * 1] low, n^2 numbers each. *has_low: the low ones are needed. Rows get one bit less than they had in `grid`,
 * room for the rounding. */
static void split_entries(const perm_matrix *matrix, perm_dense_grid *grid, double *value, bool *has_low) {
    const int64_t n = grid->n;
    mpz_t integer;
    mpz_init(integer);
    memset(value, 0, (size_t)(4 * n * n) * sizeof *value);
    memset(grid->change, 0, (size_t)(n * n) * sizeof *grid->change);
    for (int64_t i = 0; i < n; i++) {
        grid->row_exponent[i]--;
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            for (int part = 0; part <= grid->is_complex; part++) {
                const perm_value *entry = &matrix->entry[e];
                const int64_t j = matrix->index[e], at = (2 * part * n + j) * n + i;
                const int64_t exponent =
                    entry->exponent + grid->row_exponent[i] + grid->column_exponent[j] + HIGH_BITS + LOW_BITS;
                if (!shift(part == 0 ? entry->re : entry->im, exponent, integer))
                    grid->change[j * n + i] += ldexp(1, -LOW_BITS);
                split(integer, &value[at], &value[at + n * n]);
                *has_low = *has_low || value[at + n * n] != 0;
            }
    }
    mpz_clear(integer);
}

static void plan_chunks(perm_dd *dd) {
    const int64_t log2_blocks = dd->problem.n - 1 - PERM_DENSE_LOG2_SUBSETS;
    int64_t log2_chunk = log2_blocks < LOG2_CHUNK ? log2_blocks : LOG2_CHUNK;
    if (log2_blocks - log2_chunk > LOG2_MOST_CHUNKS)
        log2_chunk = log2_blocks - LOG2_MOST_CHUNKS;
    dd->chunk_blocks = INT64_C(1) << log2_chunk;
    dd->chunk_count = INT64_C(1) << (log2_blocks - log2_chunk);
    dd->chunk_subsets = ldexp(1, (int)log2_chunk + PERM_DENSE_LOG2_SUBSETS);
}

/* The sizes of the parts, for the bound of the change. */
static void fill_sizes(const double *value, perm_dense_grid *grid) {
    const int64_t entries = grid->n * grid->n;
    for (int part = 0; part <= grid->is_complex; part++)
        for (int64_t at = 0; at < entries; at++)
            grid->value[part * entries + at] =
                fabs(value[2 * part * entries + at]) + fabs(value[(2 * part + 1) * entries + at]);
}

static base_status fill_problem(base_context *context, const perm_matrix *matrix, perm_dd *dd) {
    base_status status;
    const int64_t n = matrix->n;
    perm_dense_matrix entries = {.n = 0};
    perm_dense_grid grid = {0};
    double *value = base_alloc(context, 4 * n * n, sizeof *value), *sizes;
    BASE_TRY(value != NULL ? BASE_OK : BASE_MACHINE);
    BASE_TRY(perm_dense_matrix_init(context, matrix, &entries));
    BASE_TRY(perm_dense_grid_init(context, &entries, &grid));
    split_entries(matrix, &grid, value, &grid.has_low);
    fill_sizes(value, &grid);
    dd->perturbation = ldexp(perm_dense_grid_perturbation(&grid), (int)n - 1);
    if (!grid.has_low) /* the imaginary parts behind the real ones */
        memmove(value + n * n, value + 2 * n * n, (size_t)(n * n) * sizeof *value);
    sizes = grid.value;
    grid.value = value;
    status = perm_dense_grid_tables(context, &grid, &dd->tables, &dd->problem);
    grid.value = sizes;
    dd->exponent = 1 - n;
    for (int64_t k = 0; k < n; k++)
        dd->exponent -= grid.row_exponent[k] + grid.column_exponent[k];
done:
    free(value);
    perm_dense_grid_free(&grid);
    perm_dense_matrix_free(&entries);
    return status;
}

base_status perm_dd_init(base_context *context, const perm_matrix *matrix, const char *kernel, perm_dd *dd) {
    base_status status;
    perm_matrix padded = {0};
    memset(dd, 0, sizeof *dd);
    if (matrix->n > PERM_DENSE_LARGEST)
        return base_fail(context, BASE_FAILED, "double-double arithmetic takes matrices with n up to %d",
                         PERM_DENSE_LARGEST);
    BASE_TRY(pad(context, matrix, &padded));
    dd->problem.n = padded.n;
    dd->problem.is_complex = perm_matrix_look(matrix).complex;
    if (!has_zero_row(&padded)) {
        BASE_TRY(fill_problem(context, &padded, dd));
        plan_chunks(dd);
    }
    BASE_TRY(pick(context, kernel, dd));
done:
    perm_matrix_free(&padded);
    if (status != BASE_OK)
        perm_dd_free(dd);
    return status;
}

void perm_dd_free(perm_dd *dd) {
    if (dd == NULL)
        return;
    free(dd->tables);
    memset(dd, 0, sizeof *dd);
}

static double two_sum(double a, double b, double *error) {
    const double sum = a + b, rest = sum - a;
    *error = (a - (sum - rest)) + (b - rest);
    return sum;
}

void perm_dd_add(perm_dd_partial *partial, int part, double high, double middle, double low) {
    double first, second, third;
    partial->high[part] = two_sum(partial->high[part], high, &first);
    partial->middle[part] = two_sum(partial->middle[part], middle, &second);
    partial->middle[part] = two_sum(partial->middle[part], first, &third);
    partial->low[part] += low + second + third;
}

static void run_chunk(const perm_dd *dd, int64_t chunk, perm_dd_partial *partial) {
    const int64_t run = INT64_C(1) << LOG2_RUN;
    const int64_t first = chunk * dd->chunk_blocks, end = first + dd->chunk_blocks;
    const int64_t count = dd->chunk_blocks < run ? dd->chunk_blocks : run;
    memset(partial, 0, sizeof *partial);
    for (int64_t block = first; block < end; block += count) {
        perm_dd_sums sums;
        dd->kernel->run(&dd->problem, block, count, &sums);
        for (unsigned lane = 0; lane < PERM_DENSE_LANES; lane++) {
            const double sign = __builtin_parity(lane) ? -1 : 1;
            for (int part = 0; part <= dd->problem.is_complex; part++)
                perm_dd_add(partial, part, sign * sums.high[part][lane], sign * sums.middle[part][lane],
                            sign * sums.low[part][lane]);
            partial->magnitude += sums.magnitude[lane];
        }
    }
}

void perm_dd_run(base_context *context, const perm_dd *dd, int64_t first, int64_t count,
                 perm_dd_partial *partial) {
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) if (count > 1)
    for (int64_t chunk = 0; chunk < count; chunk++) {
        run_chunk(dd, first + chunk, &partial[chunk]);
        base_progress_add(context, (int64_t)dd->chunk_subsets);
    }
}
