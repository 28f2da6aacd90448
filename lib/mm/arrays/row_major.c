/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/row_major.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status mm_array_to_rows(base_context *context, mm_record *record) {
    base_status status = BASE_OK;
    const int64_t nrow = record->nrow, ncol = record->ncol, length = mm_array_length(nrow, ncol, MM_GENERAL);
    const int words = record->field == MM_COMPLEX ? 2 : 1;
    int64_t *to = NULL, row, col;
    const char *from = record->real != NULL ? (const char *)record->real : (const char *)record->integer;
    if (record->digits != NULL || length < 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "an array of integers beyond 64 bits"));
    to = base_alloc_zero(context, length, 8 * words);
    if (to == NULL)
        BASE_TRY(BASE_MACHINE);
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++, mm_array_next(record, &row, &col)) {
        int64_t *place = to + words * (row * ncol + col), *mirrored = to + words * (col * ncol + row);
        memcpy(place, from + 8 * words * k, 8 * (size_t)words);
        if (record->symmetry == MM_GENERAL || row == col)
            continue;
        memcpy(mirrored, place, 8 * (size_t)words);
        for (int w = 0; w < words; w++)
            if (record->field != MM_INTEGER &&
                (record->symmetry == MM_SKEW_SYMMETRIC || (record->symmetry == MM_HERMITIAN && w == 1)))
                mirrored[w] ^= INT64_MIN; /* the sign of a double */
        if (record->field == MM_INTEGER && record->symmetry == MM_SKEW_SYMMETRIC &&
            __builtin_sub_overflow(0, *place, mirrored))
            BASE_TRY(base_fail(context, BASE_FAILED, "an entry cannot be negated"));
    }
    void *old = record->real != NULL ? (void *)&record->real : (void *)&record->integer;
    mm_record_free_array(record, record->real);
    mm_record_free_array(record, record->integer);
    memcpy(old, &to, sizeof to);
    to = NULL;
    record->nnz = length;
done:
    free(to);
    return status;
}
