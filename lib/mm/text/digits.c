/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers of any length. While the entries are read record->integer has offsets: first of the numbers in
 * their piece of the text, then of their digits in record->digits. */
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"
#include "mm/text/internal.h"

#include <stdlib.h>
#include <string.h>

base_status mm_text_keep_digits(mm_text_reader *reader, const mm_text_piece *piece) {
    base_status status;
    mm_record *record = reader->record;
    int64_t *digits_capacity = &reader->digits_capacity;
    for (int64_t i = reader->count; i < reader->count + piece->entries; i++) {
        const char *p = piece->text + record->integer[i];
        bool negative = *p == '-';
        p += *p == '-' || *p == '+';
        while (p[0] == '0' && p[1] >= '0' && p[1] <= '9')
            p++;
        int64_t length = 0;
        while (p[length] >= '0' && p[length] <= '9')
            length++;
        negative = negative && *p != '0';
        BASE_TRY(base_reserve(reader->context, &record->digits, digits_capacity,
                              reader->digits_bytes + length + 2, 1));
        record->integer[i] = reader->digits_bytes;
        if (negative)
            record->digits[reader->digits_bytes++] = '-';
        memcpy(record->digits + reader->digits_bytes, p, (size_t)length);
        reader->digits_bytes += length;
        record->digits[reader->digits_bytes++] = '\0';
    }
    status = BASE_OK;
done:
    return status;
}

base_status mm_text_finish_digits(mm_text_reader *reader) {
    base_status status;
    mm_record *record = reader->record;
    int64_t k, value;
    for (k = 0; k < reader->nnz; k++) {
        const char *p = record->digits + record->integer[k];
        if (mm_decimal_read_int64(&p, &value) != MM_DECIMAL_OK)
            break;
    }
    if (k == reader->nnz) {
        for (k = 0; k < reader->nnz; k++) {
            const char *p = record->digits + record->integer[k];
            mm_decimal_read_int64(&p, &record->integer[k]);
        }
        free(record->digits);
        record->digits = NULL;
        return BASE_OK;
    }
    if (!reader->big_integers)
        mm_text_repair(reader, 1, "integers beyond 64 bits kept as big integers");
    record->digits_start = record->integer;
    record->integer = NULL;
    BASE_TRY(
        base_resize(reader->context, &record->digits_start, reader->nnz + 1, sizeof *record->digits_start));
    record->digits_start[reader->nnz] = reader->digits_bytes;
    BASE_TRY(base_resize(reader->context, &record->digits, reader->digits_bytes, 1));
done:
    return status;
}
