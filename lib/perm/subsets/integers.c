/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/integers.h"
#include "base/core/memory.h"
#include "perm/subsets/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpz_t *alloc_integers(base_context *context, int64_t count) {
    mpz_t *integer = base_alloc(context, count, sizeof *integer);
    for (int64_t at = 0; integer != NULL && at < count; at++)
        mpz_init(integer[at]);
    return integer;
}

/* The entries times powers of two that clear their fractions. */
static base_status load(base_context *context, const perm_matrix *matrix, perm_integers *integers) {
    base_status status;
    const int64_t n = matrix->n;
    double bound = 0;
    int64_t *scale = base_alloc(context, 2 * n, sizeof *scale);
    if (scale == NULL)
        return BASE_MACHINE;
    BASE_TRY(perm_matrix_clear_fractions(context, matrix, scale, scale + n));
    BASE_TRY(perm_matrix_bound_log2(context, matrix, &bound));
    for (int64_t k = 0; k < 2 * n; k++)
        integers->exponent -= scale[k];
    integers->bits = bound - (double)integers->exponent;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            const perm_value *entry = &matrix->entry[e];
            const int64_t j = matrix->index[e], shift = entry->exponent + scale[i] + scale[n + j];
            for (int part = 0; part <= integers->is_complex; part++) {
                mpz_t *integer = &integers->part[part][j * integers->n + i];
                if (shift >= 0)
                    mpz_mul_2exp(*integer, part == 0 ? entry->re : entry->im, (mp_bitcnt_t)shift);
                else
                    mpz_tdiv_q_2exp(*integer, part == 0 ? entry->re : entry->im, (mp_bitcnt_t)-shift);
            }
        }
done:
    free(scale);
    return status;
}

/* Divides the n entries of a row or column, `stride` apart from `first`, by their greatest common divisor. */
static void reduce_row(perm_integers *integers, int64_t first, int64_t stride, mpz_t divisor) {
    const int64_t end = first + stride * integers->n;
    mpz_set_ui(divisor, 0);
    for (int part = 0; part <= integers->is_complex; part++)
        for (int64_t at = first; at < end; at += stride)
            mpz_gcd(divisor, divisor, integers->part[part][at]);
    if (mpz_sgn(divisor) == 0)
        integers->has_zero_row = true;
    if (mpz_cmp_ui(divisor, 1) <= 0)
        return;
    for (int part = 0; part <= integers->is_complex; part++)
        for (int64_t at = first; at < end; at += stride)
            mpz_divexact(integers->part[part][at], integers->part[part][at], divisor);
    mpz_mul(integers->factor, integers->factor, divisor);
}

static void reduce_rows(perm_integers *integers) {
    mpz_t divisor;
    mpz_init(divisor);
    for (int64_t i = 0; i < integers->n; i++)
        reduce_row(integers, i, integers->n, divisor);
    for (int64_t j = 0; j < integers->n; j++)
        reduce_row(integers, j * integers->n, 1, divisor);
    if (!integers->has_zero_row) {
        long exponent;
        const double leading = mpz_get_d_2exp(&exponent, integers->factor);
        integers->bits -= log2(leading) + (double)exponent;
    }
    mpz_clear(divisor);
}

base_status perm_integers_init(base_context *context, const perm_matrix *matrix, perm_integers *integers) {
    base_status status = BASE_MACHINE;
    const int64_t n = matrix->n < PERM_DENSE_SMALLEST ? PERM_DENSE_SMALLEST : matrix->n;
    memset(integers, 0, sizeof *integers);
    mpz_init_set_ui(integers->factor, 1);
    integers->n = n;
    integers->is_complex = perm_matrix_look(matrix).complex;
    for (int part = 0; part <= integers->is_complex; part++) {
        integers->part[part] = alloc_integers(context, n * n);
        if (integers->part[part] == NULL)
            goto done;
    }
    BASE_TRY(load(context, matrix, integers));
    for (int64_t k = matrix->n; k < n; k++)
        mpz_set_ui(integers->part[0][k * n + k], 1);
    reduce_rows(integers);
done:
    if (status != BASE_OK)
        perm_integers_free(integers);
    return status;
}

void perm_integers_free(perm_integers *integers) {
    if (integers->n == 0)
        return;
    for (int part = 0; part < 2; part++) {
        for (int64_t at = 0; integers->part[part] != NULL && at < integers->n * integers->n; at++)
            mpz_clear(integers->part[part][at]);
        free(integers->part[part]);
    }
    mpz_clear(integers->factor);
    memset(integers, 0, sizeof *integers);
}

void perm_integers_transpose(perm_integers *integers) {
    const int64_t n = integers->n;
    for (int part = 0; part <= integers->is_complex; part++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++)
                mpz_swap(integers->part[part][j * n + i], integers->part[part][i * n + j]);
}

base_status perm_integers_balance(base_context *context, perm_integers *integers) {
    base_status status = BASE_MACHINE;
    const int64_t n = integers->n, parts = integers->is_complex ? 2 : 1;
    perm_dense_grid grid = {0};
    double *entries = base_alloc_zero(context, n * n * parts, sizeof *entries);
    int64_t *exponents = base_alloc_zero(context, n * n, sizeof *exponents), least = INT64_MAX;
    if (entries == NULL || exponents == NULL)
        goto done;
    for (int64_t at = 0; at < n * n; at++) {
        long exponent[2] = {0, 0};
        double leading[2] = {0, 0};
        for (int64_t part = 0; part < parts; part++)
            leading[part] = mpz_get_d_2exp(&exponent[part], integers->part[part][at]);
        exponents[at] = exponent[0] > exponent[1] ? exponent[0] : exponent[1];
        for (int64_t part = 0; part < parts; part++)
            entries[at * parts + part] = ldexp(leading[part], (int)(exponent[part] - exponents[at]));
    }
    const perm_dense_matrix matrix = {n, integers->is_complex, entries, exponents, 0, NULL};
    BASE_TRY(perm_dense_grid_init(context, &matrix, &grid));
    for (int64_t j = 0; j < n; j++)
        least = grid.column_exponent[j] < least ? grid.column_exponent[j] : least;
    for (int64_t j = 0; j < n; j++) {
        const int64_t shift = grid.column_exponent[j] - least;
        for (int64_t at = 0; at < n * parts; at++) {
            mpz_t *entry = &integers->part[at / n][j * n + at % n];
            mpz_mul_2exp(*entry, *entry, (mp_bitcnt_t)shift);
        }
        integers->exponent -= shift;
    }
done:
    perm_dense_grid_free(&grid);
    free(entries);
    free(exponents);
    return status;
}
