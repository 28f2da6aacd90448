/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/matrix.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status perm_matrix_alloc(base_context *context, int64_t n, int64_t nnz, mm_field field,
                              perm_matrix *result) {
    *result = (perm_matrix){.n = n, .field = field};
    result->start = base_alloc_zero(context, n + 1, sizeof *result->start);
    result->index = base_alloc(context, nnz, sizeof *result->index);
    result->entry = base_alloc(context, nnz, sizeof *result->entry);
    if (result->start == NULL || result->index == NULL || result->entry == NULL) {
        perm_matrix_free(result);
        return BASE_MACHINE;
    }
    for (int64_t e = 0; e < nnz; e++)
        perm_value_init(&result->entry[e]);
    result->nnz = nnz;
    return BASE_OK;
}

void perm_matrix_free(perm_matrix *matrix) {
    if (matrix == NULL)
        return;
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_free(&matrix->entry[e]);
    free(matrix->start);
    free(matrix->index);
    free(matrix->entry);
    *matrix = (perm_matrix){0};
}

base_status perm_matrix_copy(base_context *context, const perm_matrix *matrix, perm_matrix *copy) {
    base_status status;
    BASE_TRY(perm_matrix_alloc(context, matrix->n, matrix->nnz, matrix->field, copy));
    memcpy(copy->start, matrix->start, (size_t)(matrix->n + 1) * sizeof *copy->start);
    memcpy(copy->index, matrix->index, (size_t)matrix->nnz * sizeof *copy->index);
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_copy(&copy->entry[e], &matrix->entry[e]);
done:
    return status;
}

base_status perm_matrix_load_entry(base_context *context, const mm_sparse *matrix, int64_t e,
                                   perm_value *value) {
    if (matrix->field == MM_PATTERN)
        perm_value_set_integer(value, 1);
    else if (matrix->field == MM_REAL)
        perm_value_set_complex(value, matrix->real[e], 0);
    else if (matrix->field == MM_COMPLEX)
        perm_value_set_complex(value, matrix->real[2 * e], matrix->real[2 * e + 1]);
    else if (matrix->integer != NULL)
        perm_value_set_integer(value, matrix->integer[e]);
    else if (!perm_value_set_digits(value, matrix->digits[e]))
        return base_fail(context, BASE_DAMAGED, "'%.60s' is not an integer", matrix->digits[e]);
    return BASE_OK;
}

base_status perm_matrix_from_sparse(base_context *context, const mm_sparse *matrix, perm_matrix *result) {
    base_status status = BASE_OK;
    *result = (perm_matrix){0};
    if (matrix->nrow != matrix->ncol)
        return base_fail(context, BASE_FAILED, "not square: %lld×%lld; this needs a square matrix",
                         (long long)matrix->nrow, (long long)matrix->ncol);
    BASE_TRY(perm_matrix_alloc(context, matrix->ncol, matrix->nnz, matrix->field, result));
    int64_t kept = 0;
    for (int64_t i = 0; i < result->n; i++) {
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            BASE_TRY(perm_matrix_load_entry(context, matrix, e, &result->entry[kept]));
            result->index[kept] = matrix->index[e];
            kept += !perm_value_is_zero(&result->entry[kept]);
        }
        result->start[i + 1] = kept;
    }
    result->nnz = kept;
done:
    if (status != BASE_OK)
        perm_matrix_free(result);
    return status;
}

int64_t perm_matrix_squeeze(perm_matrix *matrix) {
    const int64_t before = matrix->nnz;
    int64_t kept = 0;
    for (int64_t i = 0, e = 0; i < matrix->n; i++) {
        for (; e < matrix->start[i + 1]; e++) {
            if (perm_value_is_zero(&matrix->entry[e]))
                continue;
            if (kept < e) {
                perm_value_move(&matrix->entry[kept], &matrix->entry[e]);
                matrix->index[kept] = matrix->index[e];
            }
            kept++;
        }
        matrix->start[i + 1] = kept;
    }
    for (int64_t e = kept; e < before; e++)
        perm_value_free(&matrix->entry[e]);
    matrix->nnz = kept;
    return before - kept;
}

mm_sparse perm_matrix_pattern(const perm_matrix *matrix) {
    return (mm_sparse){.nrow = matrix->n,
                       .ncol = matrix->n,
                       .nnz = matrix->nnz,
                       .start = matrix->start,
                       .index = matrix->index,
                       .field = MM_PATTERN};
}

perm_matrix_traits perm_matrix_look(const perm_matrix *matrix) {
    perm_matrix_traits traits = {true, true, true, false};
    for (int64_t e = 0; e < matrix->nnz; e++) {
        const perm_value *value = &matrix->entry[e];
        bool real = mpz_sgn(value->im) == 0;
        bool whole =
            value->exponent >= 0 || mpz_divisible_2exp_p(value->re, (mp_bitcnt_t)-value->exponent) != 0;
        traits.complex |= !real;
        traits.integer &= real && whole;
        traits.nonnegative &= real && mpz_sgn(value->re) >= 0;
        traits.ones &= real && value->exponent == 0 && mpz_cmp_ui(value->re, 1) == 0;
    }
    return traits;
}

/* The exponent of |entry| rounded up to a power of two. */
static int64_t size_of(const perm_value *value) {
    perm_bound bound = perm_bound_of(value);
    return bound.exponent;
}

/* The exponent of the lowest bit. */
static int64_t grain_of(const perm_value *value) {
    mp_bitcnt_t re = mpz_sgn(value->re) ? mpz_scan1(value->re, 0) : (mp_bitcnt_t)-1;
    mp_bitcnt_t im = mpz_sgn(value->im) ? mpz_scan1(value->im, 0) : (mp_bitcnt_t)-1;
    return value->exponent + (int64_t)(re < im ? re : im);
}

/* Sweeps over rows and columns in turn; each pass makes the least slack of every one zero. `sign` 1:
 * the largest of measure + row + column becomes 0; -1: the smallest. */
static base_status balance(base_context *context, const perm_matrix *matrix,
                           int64_t (*measure)(const perm_value *), int sign, int sweeps, int64_t *row,
                           int64_t *column) {
    int64_t n = matrix->n, *size = base_alloc(context, matrix->nnz, sizeof *size);
    int64_t *least = base_alloc(context, n, sizeof *least);
    if (size == NULL || least == NULL) {
        free(size);
        free(least);
        return BASE_MACHINE;
    }
    for (int64_t e = 0; e < matrix->nnz; e++)
        size[e] = sign * measure(&matrix->entry[e]);
    for (int64_t i = 0; i < n; i++)
        row[i] = column[i] = 0;
    for (int pass = 0; pass < sweeps; pass++) {
        bool is_row = pass % 2 == 0;
        int64_t *scale = is_row ? row : column;
        for (int64_t i = 0; i < n; i++)
            least[i] = INT64_MIN;
        for (int64_t i = 0; i < n; i++)
            for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
                int64_t at = is_row ? i : matrix->index[e];
                int64_t now = size[e] + row[i] + column[matrix->index[e]];
                if (now > least[at])
                    least[at] = now;
            }
        for (int64_t i = 0; i < n; i++)
            if (least[i] != INT64_MIN)
                scale[i] -= least[i];
    }
    for (int64_t i = 0; i < n; i++) {
        row[i] *= sign;
        column[i] *= sign;
    }
    free(size);
    free(least);
    return BASE_OK;
}

base_status perm_matrix_equilibrate(base_context *context, const perm_matrix *matrix, int64_t *row,
                                    int64_t *column) {
    return balance(context, matrix, size_of, 1, 5, row, column);
}

base_status perm_matrix_clear_fractions(base_context *context, const perm_matrix *matrix, int64_t *row,
                                        int64_t *column) {
    return balance(context, matrix, grain_of, -1, 2, row, column);
}
