/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/record.h"
#include "base/core/memory.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* Entries between 2^-LARGEST_EXPONENT and 2^LARGEST_EXPONENT are not scaled. */
enum { LARGEST_EXPONENT = 1000 };

static bool is_whole(mm_field field) {
    return field == MM_PATTERN || field == MM_INTEGER;
}

/* An integer that is its mantissa; false if it does not fit 64 bits. */
static bool get_integer(const perm_value *value, int64_t *integer) {
    *integer = mpz_get_si(value->re);
    return mpz_fits_slong_p(value->re) != 0;
}

static base_status write_digits(base_context *context, const perm_matrix *matrix, mm_record *record) {
    base_status status = BASE_OK;
    int64_t bytes = 0, capacity = 0;
    free(record->integer);
    record->integer = NULL;
    record->digits_start = base_alloc(context, matrix->nnz + 1, sizeof *record->digits_start);
    if (record->digits_start == NULL)
        return BASE_MACHINE;
    for (int64_t e = 0; e < matrix->nnz; e++) {
        char *text = NULL;
        BASE_TRY(perm_value_print(context, &matrix->entry[e], MM_INTEGER, &text));
        int64_t length = (int64_t)strlen(text) + 1;
        status = base_reserve(context, &record->digits, &capacity, bytes + length, 1);
        if (status == BASE_OK)
            memcpy(record->digits + bytes, text, (size_t)length);
        free(text);
        if (status != BASE_OK)
            goto done;
        record->digits_start[e] = bytes;
        bytes += length;
    }
    record->digits_start[matrix->nnz] = bytes;
done:
    return status;
}

/* Moves powers of two into the mantissas, which are integers then. */
static void fix_point(perm_matrix *matrix) {
    for (int64_t e = 0; e < matrix->nnz; e++) {
        perm_value *value = &matrix->entry[e];
        if (value->exponent > 0)
            mpz_mul_2exp(value->re, value->re, (mp_bitcnt_t)value->exponent);
        else
            mpz_tdiv_q_2exp(value->re, value->re, (mp_bitcnt_t)-value->exponent);
        value->exponent = 0;
    }
}

static base_status write_integers(base_context *context, perm_matrix *matrix, mm_record *record) {
    if (record->field == MM_PATTERN)
        return BASE_OK;
    fix_point(matrix);
    for (int64_t e = 0; e < matrix->nnz; e++)
        if (!get_integer(&matrix->entry[e], &record->integer[e]))
            return write_digits(context, matrix, record);
    return BASE_OK;
}

/* The double nearest to mantissa·2^exponent; false if that is no normal number. */
static bool get_double(mpz_srcptr mantissa, int64_t exponent, double *value, bool *rounded) {
    mpfr_t number;
    *value = 0;
    if (mpz_sgn(mantissa) == 0)
        return true;
    if (mpz_sizeinbase(mantissa, 2) <= DBL_MANT_DIG && llabs(exponent) < LARGEST_EXPONENT - DBL_MANT_DIG) {
        *value = ldexp(mpz_get_d(mantissa), (int)exponent);
        return true;
    }
    mpfr_init2(number, DBL_MANT_DIG);
    *rounded |= mpfr_set_z_2exp(number, mantissa, exponent, MPFR_RNDN) != 0;
    *value = mpfr_get_d(number, MPFR_RNDN);
    mpfr_clear(number);
    return fabs(*value) >= DBL_MIN && fabs(*value) <= DBL_MAX;
}

static bool is_in_range(const perm_matrix *matrix) {
    for (int64_t e = 0; e < matrix->nnz; e++) {
        mpz_srcptr part[2] = {matrix->entry[e].re, matrix->entry[e].im};
        for (int k = 0; k < 2; k++) {
            double size = (double)mpz_sizeinbase(part[k], 2) + (double)matrix->entry[e].exponent;
            if (mpz_sgn(part[k]) != 0 && fabs(size) > LARGEST_EXPONENT)
                return false;
        }
    }
    return true;
}

/* Whether every entry, none of them complex, is a double. */
static bool is_double(const perm_matrix *matrix) {
    for (int64_t e = 0; e < matrix->nnz; e++) {
        mpz_srcptr mantissa = matrix->entry[e].re;
        if (mpz_sizeinbase(mantissa, 2) - mpz_scan1(mantissa, 0) > DBL_MANT_DIG)
            return false;
    }
    return is_in_range(matrix);
}

typedef base_status find_scaling(base_context *context, const perm_matrix *matrix, int64_t *row,
                                 int64_t *column);

/* Scales rows and columns by powers of two. */
static base_status scale(base_context *context, perm_matrix *matrix, find_scaling *find, perm_value *factor) {
    base_status status;
    int64_t *row = base_alloc(context, matrix->n, sizeof *row);
    int64_t *column = base_alloc(context, matrix->n, sizeof *column);
    if (row == NULL || column == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(find(context, matrix, row, column));
    for (int64_t i = 0; i < matrix->n; i++) {
        perm_value_scale(factor, -row[i] - column[i]);
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            perm_value_scale(&matrix->entry[e], row[i] + column[matrix->index[e]]);
    }
done:
    free(row);
    free(column);
    return status;
}

static base_status write_doubles(base_context *context, const perm_matrix *matrix, mm_record *record,
                                 bool *rounded) {
    bool good = true;
    int64_t words = record->field == MM_COMPLEX ? 2 : 1;
    for (int64_t e = 0; e < matrix->nnz; e++) {
        const perm_value *value = &matrix->entry[e];
        good &= get_double(value->re, value->exponent, &record->real[words * e], rounded);
        if (words == 2)
            good &= get_double(value->im, value->exponent, &record->real[2 * e + 1], rounded);
    }
    return good ? BASE_OK
                : base_fail(context, BASE_FAILED, "the entries of a term are too far apart for doubles");
}

base_status perm_matrix_to_record(base_context *context, perm_matrix *matrix, perm_term_options options,
                                  mm_record *record, perm_value *factor, bool *rounded) {
    base_status status = BASE_OK;
    mm_record_free(record);
    *rounded = false;
    record->field = matrix->field;
    if (matrix->field == MM_PATTERN && !perm_matrix_look(matrix).ones)
        record->field = MM_INTEGER;
    if (matrix->field == MM_REAL && !options.round && !is_double(matrix)) {
        record->field = MM_INTEGER;
        BASE_TRY(scale(context, matrix, perm_matrix_clear_fractions, factor));
    } else if (!is_whole(matrix->field) && !is_in_range(matrix)) {
        BASE_TRY(scale(context, matrix, perm_matrix_equilibrate, factor));
    }
    record->nrow = record->ncol = matrix->n;
    record->nnz = matrix->nnz;
    BASE_TRY(mm_record_alloc(context, record));
    for (int64_t i = 0; i < matrix->n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            record->row[e] = matrix->index[e];
            record->col[e] = i;
        }
    BASE_TRY(is_whole(record->field) ? write_integers(context, matrix, record)
                                     : write_doubles(context, matrix, record, rounded));
done:
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
