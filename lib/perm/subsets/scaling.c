/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/scaling.h"
#include "base/core/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_BITS = PERM_DENSE_GRID_BITS, SWEEPS = 30, LARGEST = 64, EXACT_BITS = 49 };

/* How far the sums of balanced rows may be from 1. */
static const double most_unbalanced = 1.0 / 256;

/* ldexp and ilogb, mostly without a call. */
static inline double scale(double value, int64_t exponent) {
    if (exponent < -1022 || exponent > 1023)
        return ldexp(value, (int)exponent);
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return value * factor;
}

static inline int64_t exponent_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t biased = (int64_t)(bits >> 52 & 0x7ff);
    return biased > 0 && biased < 0x7ff ? biased - 1023 : ilogb(value);
}

static inline double entry_part(const perm_dense_matrix *matrix, int part, int64_t i, int64_t j) {
    const int64_t at = j * matrix->n + i;
    return matrix->entries[matrix->is_complex ? 2 * at + part : at];
}

/* A part of entry (i, j) times 2^exponent; 0 or infinity where that leaves the doubles. */
static double scaled_part(const perm_dense_matrix *matrix, int part, int64_t i, int64_t j, int64_t exponent) {
    const int64_t limit = 10000;
    exponent += matrix->exponents != NULL ? matrix->exponents[j * matrix->n + i] : 0;
    exponent = exponent < -limit ? -limit : exponent > limit ? limit : exponent;
    return scale(entry_part(matrix, part, i, j), exponent);
}

/* e with 2^e <= max(|re|, |im|) < 2^(e+1); for zero so low that it loses every comparison. */
static int64_t entry_exponent(const perm_dense_matrix *matrix, int64_t i, int64_t j) {
    double size = fabs(entry_part(matrix, 0, i, j));
    if (matrix->is_complex)
        size = fmax(size, fabs(entry_part(matrix, 1, i, j)));
    if (size == 0)
        return INT64_MIN / 2;
    return exponent_of(size) + (matrix->exponents != NULL ? matrix->exponents[j * matrix->n + i] : 0);
}

/* Weights of the entries, at most 2: first by exponents, so that all rows and columns have their largest
 * near 1. */
static void fill_weights(const perm_dense_matrix *matrix, int64_t *row, int64_t *column, double *weight) {
    const int64_t n = matrix->n;
    for (int64_t i = 0; i < n; i++) {
        row[i] = INT64_MIN;
        for (int64_t j = 0; j < n; j++) {
            const int64_t exponent = entry_exponent(matrix, i, j);
            row[i] = exponent > row[i] ? exponent : row[i];
        }
    }
    for (int64_t j = 0; j < n; j++) {
        column[j] = INT64_MIN;
        for (int64_t i = 0; i < n; i++) {
            const int64_t exponent = entry_exponent(matrix, i, j) - row[i];
            column[j] = exponent > column[j] ? exponent : column[j];
        }
        for (int64_t i = 0; i < n; i++) {
            const int64_t exponent = -row[i] - column[j];
            double size = fabs(scaled_part(matrix, 0, i, j, exponent));
            if (matrix->is_complex)
                size = hypot(size, scaled_part(matrix, 1, i, j, exponent));
            weight[j * n + i] = size;
        }
    }
}

/* Whether the sums of the rows are near 1, so that another sweep would change no exponent but by chance. */
static bool is_balanced(const double *row_sum, const double *row, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(row_sum[i] * row[i] - 1) < most_unbalanced))
            return false;
    return true;
}

/* Of the scaled columns; several at a time, as each addition waits for the one before. */
static void sum_columns(const double *weight, const double *row, int64_t n, double *sum) {
    enum { TOGETHER = 8 };
    int64_t j = 0;
    for (; j + TOGETHER <= n; j += TOGETHER) {
        double part[TOGETHER] = {0};
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < TOGETHER; k++)
                part[k] += row[i] * weight[(j + k) * n + i];
        memcpy(sum + j, part, sizeof part);
    }
    for (; j < n; j++) {
        sum[j] = 0;
        for (int64_t i = 0; i < n; i++)
            sum[j] += row[i] * weight[j * n + i];
    }
}

/* Column exponents that bring the matrix near to a doubly stochastic one (Sinkhorn). Any would be correct. */
static void balance(const perm_dense_matrix *matrix, double *weight, int64_t *column) {
    const int64_t n = matrix->n;
    int64_t row_exponent[LARGEST];
    double row[LARGEST], factor[LARGEST];
    fill_weights(matrix, row_exponent, column, weight);
    for (int64_t i = 0; i < n; i++)
        row[i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double row_sum[LARGEST] = {0};
        sum_columns(weight, row, n, factor);
        for (int64_t j = 0; j < n; j++) {
            factor[j] = 1 / factor[j];
            for (int64_t i = 0; i < n; i++)
                row_sum[i] += factor[j] * weight[j * n + i];
        }
        const bool balanced = is_balanced(row_sum, row, n);
        for (int64_t i = 0; i < n; i++)
            row[i] = 1 / row_sum[i];
        if (balanced)
            break;
    }
    for (int64_t j = 0; j < n; j++)
        column[j] = (int64_t)rint(log2(factor[j] / factor[0])) - column[j];
}

/* The sum of |re| or of |im| of row i, whichever is larger, times 2^exponent. */
static double row_size(const perm_dense_grid *grid, const perm_dense_matrix *matrix, int64_t i,
                       int64_t exponent) {
    double sum[2] = {0};
    for (int part = 0; part <= grid->is_complex; part++)
        for (int64_t j = 0; j < grid->n; j++)
            sum[part] += fabs(scaled_part(matrix, part, i, j, exponent + grid->column_exponent[j]));
    return fmax(sum[0], sum[1]);
}

/* Rounds one part of an entry, `exact` in units of the grid, and adds to *change what it was off. What has
 * left the range of doubles was less than DBL_MIN. */
static double round_part(double exact, double error, double *change) {
    const double value = rint(exact);
    *change += fabs(exact - value) + error * fabs(exact);
    if (fabs(exact) < DBL_MIN)
        *change += DBL_MIN;
    return value;
}

/* Rounds row i, scaled by 2^exponent; false if the rounded row exceeds 2^53. */
static bool round_row(perm_dense_grid *grid, const perm_dense_matrix *matrix, int64_t i, int64_t exponent) {
    const int64_t n = grid->n;
    double size[2] = {0};
    grid->row_exponent[i] = exponent;
    for (int64_t j = 0; j < n; j++) {
        double *change = &grid->change[j * n + i];
        *change = 0;
        for (int part = 0; part <= grid->is_complex; part++) {
            double *value = &grid->value[(part * n + j) * n + i];
            *value = 0;
            if (entry_part(matrix, part, i, j) != 0)
                *value = round_part(
                    scaled_part(matrix, part, i, j, exponent + grid->column_exponent[j] + GRID_BITS),
                    matrix->error, change);
            size[part] += fabs(*value);
        }
    }
    return fmax(size[0], size[1]) <= 0x1p53;
}

static void round_rows(perm_dense_grid *grid, const perm_dense_matrix *matrix) {
    for (int64_t i = 0; i < grid->n; i++) {
        int64_t largest = INT64_MIN;
        for (int64_t j = 0; j < grid->n; j++) {
            const int64_t exponent = entry_exponent(matrix, i, j) + grid->column_exponent[j];
            largest = exponent > largest ? exponent : largest;
        }
        int64_t exponent = -largest - ilogb(row_size(grid, matrix, i, -largest)) - 2;
        while (!round_row(grid, matrix, i, exponent))
            exponent--;
    }
}

/* The most that |x_i| can be, in units of the largest power of two that divides every x_i: all x_i are
 * congruent modulo twice the one that divides the entries. */
static double row_span(const perm_dense_grid *grid, int64_t i) {
    const int64_t n = grid->n;
    uint64_t bits = 0, sum[2] = {0};
    for (int part = 0; part <= grid->is_complex; part++)
        for (int64_t j = 0; j < n; j++) {
            const uint64_t size = (uint64_t)fabs(grid->value[(part * n + j) * n + i]);
            bits |= size;
            sum[part] += size;
        }
    const uint64_t last = bits & -bits;
    const bool even = ((sum[0] | sum[1]) & last) == 0;
    return (double)(sum[0] + sum[1]) / (double)last / (even ? 2 : 1);
}

/* Fewer significant bits than a row's x_i may have, added up until they exceed those of is_exact. */
static bool may_be_exact(const perm_dense_matrix *matrix) {
    int64_t bits = 0;
    for (int64_t i = 0; i < matrix->n && bits <= EXACT_BITS; i++) {
        int64_t most = 2;
        for (int64_t j = 0; j < matrix->n; j++) {
            const double size = fabs(entry_part(matrix, 0, i, j));
            const uint64_t whole = size > 0 ? (uint64_t)scale(size, 52 - exponent_of(size)) : 0;
            const int64_t count = whole != 0 ? 53 - __builtin_ctzll(whole) : 0;
            most = count > most ? count : most;
        }
        bits += most - 2;
    }
    return bits <= EXACT_BITS;
}

static bool is_exact(const perm_dense_grid *grid) {
    double product = 1;
    for (int64_t i = 0; i < grid->n; i++) {
        for (int64_t j = 0; j < grid->n; j++)
            if (grid->change[j * grid->n + i] != 0)
                return false;
        product *= row_span(grid, i);
    }
    /* 16 of them fit into a double, and all subsets into two. */
    return product <= ldexp(1, EXACT_BITS) && grid->n <= 50;
}

base_status perm_dense_grid_init(base_context *context, const perm_dense_matrix *matrix,
                                 perm_dense_grid *grid) {
    base_status status = BASE_MACHINE;
    const int64_t n = matrix->n;
    memset(grid, 0, sizeof *grid);
    grid->n = n;
    grid->is_complex = matrix->is_complex;
    grid->value = base_alloc(context, n * n * (matrix->is_complex ? 2 : 1), sizeof(double));
    grid->change = base_alloc(context, n * n, sizeof(double));
    if (grid->value == NULL || grid->change == NULL)
        goto done;
    if (may_be_exact(matrix)) {
        round_rows(grid, matrix);
        grid->is_exact = is_exact(grid);
    }
    if (!grid->is_exact) {
        balance(matrix, grid->change, grid->column_exponent);
        round_rows(grid, matrix);
    }
    status = BASE_OK;
done:
    if (status != BASE_OK)
        perm_dense_grid_free(grid);
    return status;
}

void perm_dense_grid_free(perm_dense_grid *grid) {
    free(grid->value);
    free(grid->change);
    grid->value = grid->change = NULL;
}

base_status perm_dense_grid_tables(base_context *context, const perm_dense_grid *grid, double **tables,
                                   perm_dense_problem *problem) {
    const int64_t n = grid->n, parts = (grid->is_complex ? 2 : 1) * (grid->has_low ? 2 : 1);
    const int64_t inner_length = n * parts * PERM_DENSE_INNER, column_length = parts * n;
    double *start =
        base_alloc_aligned(context, column_length + inner_length + 2 * n * column_length, sizeof(double));
    if (start == NULL)
        return BASE_MACHINE;
    double *inner = start + column_length, *up = inner + inner_length, *down = up + n * column_length;
    memset(start, 0, (size_t)column_length * sizeof(double));
    for (int64_t j = 0; j < n; j++)
        for (int64_t at = 0; at < column_length; at++) {
            const int64_t part = at / n, i = at % n;
            const double value = scale(grid->value[(part * n + j) * n + i], -GRID_BITS);
            start[at] += j == n - 1 ? value : -value;
            up[j * column_length + at] = 2 * value;
            down[j * column_length + at] = -2 * value;
            if (j < PERM_DENSE_INNER)
                inner[(i * parts + part) * PERM_DENSE_INNER + j] = 2 * value;
        }
    *tables = start;
    *problem = (perm_dense_problem){n, grid->is_complex, grid->has_low, start, inner, up, down};
    return BASE_OK;
}
