/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a record as arrays of machine types (numbers.h). */
#include "mm/arrays/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_NUMBERS = 1 << 15 }; /* at a time: they are in the cache when they are written */

static base_status least_of_digits(base_context *context, const mm_record *record, mm_number_type *type) {
    *type = (mm_number_type){'u', 8, false};
    for (int64_t k = 0; k < record->nnz; k++) {
        const char *text = record->digits + record->digits_start[k];
        errno = 0;
        strtoull(text, NULL, 10);
        if (*text == '-' || errno != 0)
            return base_fail(context, BASE_FAILED, "the integer %.40s does not fit into 64 bits", text);
    }
    return BASE_OK;
}

static mm_number_type least_of_integers(const mm_record *record) {
    int64_t least = 0, most = 0;
    for (int64_t k = 0; k < record->nnz; k++) {
        least = record->integer[k] < least ? record->integer[k] : least;
        most = record->integer[k] > most ? record->integer[k] : most;
    }
    mm_number_type type = {least < 0 ? 'i' : 'u', 8, false};
    const uint64_t extent =
        least < 0 ? (uint64_t)(-(least + 1) > most ? -(least + 1) : most) * 2 : (uint64_t)most;
    if (extent <= UINT8_MAX)
        type.bytes = 1;
    else if (extent <= UINT16_MAX)
        type.bytes = 2;
    else if (extent <= UINT32_MAX)
        type.bytes = 4;
    return type;
}

base_status mm_numbers_least_type(base_context *context, const mm_record *record, mm_number_type *type) {
    if (record->digits != NULL)
        return least_of_digits(context, record, type);
    if (record->field == MM_INTEGER) {
        *type = least_of_integers(record);
        return BASE_OK;
    }
    const bool is_complex = record->field == MM_COMPLEX;
    const int64_t count = record->nnz << is_complex;
    bool fits = true;
    for (int64_t k = 0; fits && k < count; k++)
        fits = (double)(float)record->real[k] == record->real[k];
    *type = (mm_number_type){is_complex ? 'c' : 'f', (fits ? 4 : 8) << is_complex, false};
    return BASE_OK;
}

#define NARROW(name, to_type, from_type)                                                                     \
    static void name(char *to, const from_type *from, int64_t count) {                                       \
        for (int64_t k = 0; k < count; k++) {                                                                \
            const to_type value = (to_type)from[k];                                                          \
            memcpy(to + k * (int64_t)sizeof value, &value, sizeof value);                                    \
        }                                                                                                    \
    }
NARROW(narrow_1, uint8_t, int64_t)
NARROW(narrow_2, uint16_t, int64_t)
NARROW(narrow_4, uint32_t, int64_t)
NARROW(narrow_float, float, double)

void mm_numbers_put_whole(char *to, mm_number_type type, const int64_t *from, int64_t count) {
    switch (type.bytes) {
    case 1: narrow_1(to, from, count); break;
    case 2: narrow_2(to, from, count); break;
    case 4: narrow_4(to, from, count); break;
    default: memcpy(to, from, 8 * (size_t)count);
    }
}

void mm_numbers_put_values(char *to, mm_number_type type, const mm_record *record, int64_t first,
                           int64_t count) {
    if (record->digits != NULL) {
        for (int64_t k = 0; k < count; k++) {
            const uint64_t value = strtoull(record->digits + record->digits_start[first + k], NULL, 10);
            memcpy(to + 8 * k, &value, sizeof value);
        }
    } else if (record->field == MM_INTEGER) {
        mm_numbers_put_whole(to, type, record->integer + first, count);
    } else {
        const bool is_complex = type.letter == 'c';
        const double *from = record->real + (first << is_complex);
        count <<= is_complex;
        if (type.bytes >> is_complex == 4)
            narrow_float(to, from, count);
        else
            memcpy(to, from, 8 * (size_t)count);
    }
}

const char *mm_numbers_in_place(mm_number_type type, const int64_t *whole, const mm_record *record) {
    const int part_bytes = type.letter == 'c' ? type.bytes / 2 : type.bytes;
    if (part_bytes != 8 || (whole == NULL && record->digits != NULL))
        return NULL;
    if (whole == NULL && record->field != MM_INTEGER)
        return (const char *)record->real;
    return (const char *)(whole != NULL ? whole : record->integer);
}

base_status mm_numbers_write(base_context *context, base_output *output, mm_number_type type,
                             const int64_t *whole, const mm_record *record, int64_t count) {
    base_status status = BASE_OK;
    const char *there = mm_numbers_in_place(type, whole, record);
    if (there != NULL)
        BASE_TRY(base_output_write(context, output, there, (size_t)(count * type.bytes)));
    for (int64_t done = 0, some; there == NULL && done < count; done += some) {
        some = count - done < BLOCK_NUMBERS ? count - done : BLOCK_NUMBERS;
        char *room = base_output_room(context, output, (size_t)(some * type.bytes));
        if (room == NULL)
            BASE_TRY(BASE_MACHINE);
        if (whole != NULL)
            mm_numbers_put_whole(room, type, whole + done, some);
        else
            mm_numbers_put_values(room, type, record, done, some);
        base_output_advance(output, (size_t)(some * type.bytes));
    }
done:
    return status;
}
