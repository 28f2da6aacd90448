/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/values.h"
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"

#include <stdlib.h>
#include <string.h>

static base_status gather_real(base_context *context, const mm_record *record, int64_t count,
                               const int64_t *from, mm_record *to) {
    int width = record->field == MM_COMPLEX ? 2 : 1;
    base_status status = BASE_OK;
    double *values = base_alloc(context, count, width * (int64_t)sizeof *values);
    if (values == NULL)
        return BASE_MACHINE;
    double mirrored[2] = {1, record->symmetry == MM_HERMITIAN ? -1 : 1};
    if (record->symmetry == MM_SKEW_SYMMETRIC)
        mirrored[0] = mirrored[1] = -1;
    for (int64_t k = 0; k < count; k++)
        for (int part = 0; part < width; part++) {
            int64_t source = from[k];
            if (source == MM_GATHER_ZERO)
                values[width * k + part] = 0;
            else if (source >= 0)
                values[width * k + part] = record->real[width * source + part];
            else
                values[width * k + part] = mirrored[part] * record->real[width * ~source + part];
        }
    mm_record_free_array(to, to->real);
    to->real = values;
    return status;
}

static base_status gather_integer(base_context *context, const mm_record *record, int64_t count,
                                  const int64_t *from, mm_record *to) {
    int64_t *values = base_alloc(context, count, sizeof *values);
    if (values == NULL)
        return BASE_MACHINE;
    int64_t mirrored = record->symmetry == MM_SKEW_SYMMETRIC ? -1 : 1;
    for (int64_t k = 0; k < count; k++) {
        int64_t source = from[k];
        values[k] = source == MM_GATHER_ZERO ? 0
                    : source >= 0            ? record->integer[source]
                                             : mirrored * record->integer[~source];
    }
    mm_record_free_array(to, to->integer);
    to->integer = values;
    return BASE_OK;
}

/* Writes the decimal number of a new entry if `to` is not NULL; returns its length with the NUL. */
static int64_t copy_digits(const mm_record *record, int64_t source, char *to) {
    const char *sign = "", *digits = "0";
    if (source != MM_GATHER_ZERO) {
        digits = record->digits + record->digits_start[source >= 0 ? source : ~source];
        if (source < 0 && record->symmetry == MM_SKEW_SYMMETRIC) {
            sign = *digits == '-' ? "" : "-";
            digits += *digits == '-' || *digits == '+';
        }
    }
    int64_t length = (int64_t)strlen(digits) + 1;
    if (to != NULL) {
        memcpy(to, sign, strlen(sign));
        memcpy(to + strlen(sign), digits, (size_t)length);
    }
    return (int64_t)strlen(sign) + length;
}

static base_status gather_digits(base_context *context, const mm_record *record, int64_t count,
                                 const int64_t *from, mm_record *to) {
    base_status status = BASE_OK;
    char *digits = NULL;
    int64_t *start = base_alloc(context, count + 1, sizeof *start);
    if (start == NULL)
        return BASE_MACHINE;
    start[0] = 0;
    for (int64_t k = 0; k < count; k++)
        start[k + 1] = start[k] + copy_digits(record, from[k], NULL);
    digits = base_alloc(context, start[count], 1);
    if (digits == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < count; k++)
        copy_digits(record, from[k], digits + start[k]);
    mm_record_free_array(to, to->digits);
    free(to->digits_start);
    to->digits = digits;
    to->digits_start = start;
    start = NULL;
done:
    free(start);
    return status;
}

base_status mm_gather_prepare(base_context *context, mm_record *record) {
    if (record->integer == NULL || record->symmetry != MM_SKEW_SYMMETRIC)
        return BASE_OK;
    int64_t k = 0;
    while (k < record->nnz && record->integer[k] != INT64_MIN)
        k++;
    if (k == record->nnz)
        return BASE_OK;
    base_status status = BASE_OK;
    char *digits = base_alloc(context, record->nnz, MM_DECIMAL_LONGEST);
    int64_t *start = base_alloc(context, record->nnz + 1, sizeof *start);
    if (digits == NULL || start == NULL)
        BASE_TRY(BASE_MACHINE);
    start[0] = 0;
    for (k = 0; k < record->nnz; k++) {
        int length = mm_decimal_write_int64(digits + start[k], record->integer[k]);
        digits[start[k] + length] = '\0';
        start[k + 1] = start[k] + length + 1;
    }
    mm_record_free_array(record, record->integer);
    record->integer = NULL;
    record->digits = digits;
    record->digits_start = start;
    digits = NULL;
    start = NULL;
done:
    free(digits);
    free(start);
    return status;
}

base_status mm_gather_into(base_context *context, const mm_record *record, int64_t count, const int64_t *from,
                           mm_record *to) {
    base_status status = BASE_OK;
    if (record->digits != NULL)
        BASE_TRY(gather_digits(context, record, count, from, to));
    else if (record->integer != NULL)
        BASE_TRY(gather_integer(context, record, count, from, to));
    else if (record->real != NULL)
        BASE_TRY(gather_real(context, record, count, from, to));
    to->nnz = count;
done:
    return status;
}

base_status mm_gather(base_context *context, mm_record *record, int64_t count, const int64_t *from) {
    return mm_gather_into(context, record, count, from, record);
}
