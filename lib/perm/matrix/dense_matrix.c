/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/dense_matrix.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mantissas of both parts over the exponent of the larger one, cut to 53 bits; whether anything was cut
 * off is added to *cut. */
static int64_t split_entry(const perm_value *value, double part[2], bool *cut) {
    long size[2];
    if (mpz_sgn(value->im) == 0 && mpz_size(value->re) <= 1 && GMP_NUMB_BITS <= 64) {
        const uint64_t whole = mpz_getlimbn(value->re, 0);
        if (whole >> 53 == 0) {
            part[0] = mpz_sgn(value->re) < 0 ? -(double)whole : (double)whole;
            part[1] = 0;
            return value->exponent;
        }
    }
    for (int i = 0; i < 2; i++) {
        mpz_srcptr integer = i ? value->im : value->re;
        part[i] = mpz_get_d_2exp(&size[i], integer);
        *cut |= mpz_sgn(integer) != 0 && mpz_sizeinbase(integer, 2) - mpz_scan1(integer, 0) > 53;
    }
    int largest = part[0] == 0 || (part[1] != 0 && size[1] > size[0]);
    long gap = size[largest] - size[!largest];
    *cut |= part[!largest] != 0 && gap > 900;
    part[!largest] = gap > 900 ? 0 : ldexp(part[!largest], -(int)gap);
    return value->exponent + size[largest];
}

/* What split_entry has cut off, in the units of its parts. */
static void split_rest(const perm_value *value, const double part[2], int64_t exponent, double rest[2]) {
    mpz_t left;
    mpz_init(left);
    for (int i = 0; i < 2; i++) {
        mpz_srcptr integer = i ? value->im : value->re;
        const size_t bits = mpz_sizeinbase(integer, 2);
        long size;
        rest[i] = 0;
        if (part[i] == 0 || bits <= 53)
            continue;
        mpz_tdiv_r_2exp(left, integer, bits - 53);
        rest[i] = mpz_get_d_2exp(&size, left);
        rest[i] = ldexp(rest[i], (int)(size + value->exponent - exponent));
    }
    mpz_clear(left);
}

static base_status allocate(base_context *context, int64_t n, bool is_complex, bool has_exponents,
                            perm_dense_matrix *dense) {
    double *entries = base_alloc_zero(context, n * n * (is_complex ? 2 : 1), sizeof *entries);
    int64_t *exponents = has_exponents ? base_alloc_zero(context, n * n, sizeof *exponents) : NULL;
    *dense =
        (perm_dense_matrix){.n = n, .is_complex = is_complex, .entries = entries, .exponents = exponents};
    if (entries != NULL && (exponents != NULL || !has_exponents))
        return BASE_OK;
    perm_dense_matrix_free(dense);
    return BASE_MACHINE;
}

/* Where entries have more than 53 bits. */
static base_status fill_rest(base_context *context, const perm_matrix *matrix, perm_dense_matrix *dense) {
    const int64_t n = matrix->n, parts = 1 + dense->is_complex;
    double *rest = base_alloc_zero(context, n * n * parts, sizeof *rest);
    if (rest == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            const int64_t at = matrix->index[e] * n + i;
            double part[2] = {dense->entries[at * parts], 0}, more[2];
            part[1] = dense->is_complex ? dense->entries[at * parts + 1] : 0;
            split_rest(&matrix->entry[e], part, dense->exponents[at], more);
            for (int64_t k = 0; k < parts; k++)
                rest[at * parts + k] = more[k];
        }
    dense->rest = rest;
    return BASE_OK;
}

static void set_entry(perm_dense_matrix *dense, int64_t at, const perm_value *value, bool *cut) {
    double part[2], *entries = (double *)dense->entries;
    ((int64_t *)dense->exponents)[at] = split_entry(value, part, cut);
    for (int64_t k = 0; k < 1 + dense->is_complex; k++)
        entries[at * (1 + dense->is_complex) + k] = part[k];
}

base_status perm_dense_matrix_init(base_context *context, const perm_matrix *matrix,
                                   perm_dense_matrix *dense) {
    base_status status;
    const int64_t n = matrix->n;
    bool cut = false;
    BASE_TRY(allocate(context, n, perm_matrix_look(matrix).complex, true, dense));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            set_entry(dense, matrix->index[e] * n + i, &matrix->entry[e], &cut);
    dense->error = cut ? 0x1p-51 : 0;
    if (cut)
        BASE_TRY(fill_rest(context, matrix, dense));
done:
    return status;
}

static bool has_imaginary_part(const mm_sparse *matrix) {
    for (int64_t e = 0; matrix->field == MM_COMPLEX && e < matrix->nnz; e++)
        if (matrix->real[2 * e + 1] != 0)
            return true;
    return false;
}

/* Real entries as they are, others by way of one exact value. */
static base_status fill_entries(base_context *context, const mm_sparse *matrix, perm_value *value,
                                perm_dense_matrix *dense) {
    base_status status = BASE_OK;
    const int64_t n = dense->n;
    double *entries = (double *)dense->entries;
    bool cut = false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            const int64_t at = matrix->index[e] * n + i;
            if (dense->exponents == NULL) {
                entries[at] = matrix->real[e];
                continue;
            }
            BASE_TRY(perm_matrix_load_entry(context, matrix, e, value));
            set_entry(dense, at, value, &cut);
        }
    dense->error = cut ? 0x1p-51 : 0;
done:
    return status;
}

base_status perm_dense_matrix_from_sparse(base_context *context, const mm_sparse *matrix,
                                          perm_dense_matrix *dense) {
    base_status status;
    perm_value value;
    perm_value_init(&value);
    BASE_TRY(allocate(context, matrix->ncol, has_imaginary_part(matrix), matrix->field != MM_REAL, dense));
    status = fill_entries(context, matrix, &value, dense);
    if (status != BASE_OK)
        perm_dense_matrix_free(dense);
done:
    perm_value_free(&value);
    return status;
}

void perm_dense_matrix_free(perm_dense_matrix *dense) {
    if (dense == NULL)
        return;
    free((void *)dense->entries);
    free((void *)dense->exponents);
    free((void *)dense->rest);
    *dense = (perm_dense_matrix){.n = 0};
}

base_status perm_dense_matrix_check(base_context *context, const char *method,
                                    const perm_dense_matrix *matrix) {
    const int64_t n = matrix->n;
    if (n < 0 || n > PERM_DENSE_LARGEST)
        return base_fail(context, BASE_FAILED, "the %s method takes n up to %d, not %lld", method,
                         PERM_DENSE_LARGEST, (long long)n);
    for (int64_t at = 0; at < n * n * (matrix->is_complex ? 2 : 1); at++)
        if (!isfinite(matrix->entries[at]))
            return base_fail(context, BASE_FAILED, "the matrix has an entry that is not finite");
    return BASE_OK;
}

base_status perm_dense_matrix_pad(base_context *context, const perm_dense_matrix *matrix, int64_t least,
                                  bool transpose, perm_dense_matrix *padded, double **entries,
                                  int64_t **exponents) {
    const int64_t n = matrix->n, parts = matrix->is_complex ? 2 : 1;
    *padded = *matrix;
    padded->n = n < least ? least : n;
    *entries = base_alloc_zero(context, padded->n * padded->n * parts, sizeof **entries);
    *exponents = base_alloc_zero(context, padded->n * padded->n, sizeof **exponents);
    if (*entries == NULL || *exponents == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = transpose ? i * n + j : j * n + i, to = j * padded->n + i;
            for (int64_t part = 0; part < parts; part++)
                (*entries)[to * parts + part] = matrix->entries[from * parts + part];
            (*exponents)[to] = matrix->exponents != NULL ? matrix->exponents[from] : 0;
        }
    for (int64_t j = n; j < padded->n; j++)
        (*entries)[(j * padded->n + j) * parts] = 1;
    padded->entries = *entries;
    padded->exponents = *exponents;
    return BASE_OK;
}

bool perm_dense_matrix_has_zero_row(const perm_dense_matrix *matrix) {
    bool row[PERM_DENSE_LARGEST] = {false}, column[PERM_DENSE_LARGEST] = {false};
    const int64_t n = matrix->n, parts = matrix->is_complex ? 2 : 1;
    for (int64_t at = 0; at < n * n * parts; at++)
        if (matrix->entries[at] != 0)
            row[at / parts % n] = column[at / parts / n] = true;
    for (int64_t k = 0; k < n; k++)
        if (!row[k] || !column[k])
            return true;
    return false;
}
