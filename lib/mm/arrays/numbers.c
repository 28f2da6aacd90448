/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/numbers.h"
#include "base/core/memory.h"
#include "mm/record/width.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 17 }; /* raw bytes at a time: they stay in the second cache until converted */

bool mm_number_type_is_known(mm_number_type type) {
    switch (type.letter) {
    case 'b': return type.bytes == 1;
    case 'u':
    case 'i': return type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
    case 'f': return type.bytes == 4 || type.bytes == 8;
    case 'c': return type.bytes == 8 || type.bytes == 16;
    default: return false;
    }
}

mm_field mm_number_field(mm_number_type type) {
    return type.letter == 'c' ? MM_COMPLEX : type.letter == 'f' ? MM_REAL : MM_INTEGER;
}

/* ---- where bytes come from ---- */

static base_status read_source(base_context *context, void *self, char *to, size_t bytes) {
    size_t size;
    const base_status status = mm_source_read(context, self, to, bytes, &size);
    return status == BASE_OK && size < bytes ? base_fail(context, BASE_DAMAGED, "the file is cut off")
                                             : status;
}

mm_number_bytes mm_number_bytes_of_source(mm_source *source) {
    return (mm_number_bytes){read_source, source, -1};
}

static base_status read_memory(base_context *context, void *self, char *to, size_t bytes) {
    mm_number_memory *memory = self;
    if (bytes > (size_t)(memory->end - memory->at))
        return base_fail(context, BASE_DAMAGED, "the array is cut off");
    memcpy(to, memory->at, bytes);
    memory->at += bytes;
    return BASE_OK;
}

mm_number_bytes mm_number_bytes_of_memory(mm_number_memory *memory) {
    return (mm_number_bytes){read_memory, memory, memory->end - memory->at};
}

/* ---- conversions ---- */

typedef void converter(void *to, const char *from, int64_t count);

#define WIDEN(name, from_type, to_type)                                                                      \
    static void name(void *to, const char *from, int64_t count) {                                            \
        to_type *result = to;                                                                                \
        from_type value;                                                                                     \
        for (int64_t k = 0; k < count; k++) {                                                                \
            memcpy(&value, from + k * (int64_t)sizeof value, sizeof value);                                  \
            result[k] = value;                                                                               \
        }                                                                                                    \
    }
WIDEN(widen_u1, uint8_t, int64_t)
WIDEN(widen_u2, uint16_t, int64_t)
WIDEN(widen_u4, uint32_t, int64_t)
WIDEN(widen_i1, int8_t, int64_t)
WIDEN(widen_i2, int16_t, int64_t)
WIDEN(widen_i4, int32_t, int64_t)
WIDEN(widen_f4, float, double)

/* NULL: the bytes are those of the result already. */
static converter *find_converter(char letter, int bytes) {
    if (letter == 'f')
        return bytes == 4 ? widen_f4 : NULL;
    if (letter == 'i')
        return bytes == 1 ? widen_i1 : bytes == 2 ? widen_i2 : bytes == 4 ? widen_i4 : NULL;
    return bytes == 1 ? widen_u1 : bytes == 2 ? widen_u2 : bytes == 4 ? widen_u4 : NULL;
}

static void swap_bytes(char *data, int64_t count, int bytes) {
    for (int64_t k = 0; k < count; k++, data += bytes)
        for (int i = 0; i < bytes / 2; i++) {
            const char byte = data[i];
            data[i] = data[bytes - 1 - i];
            data[bytes - 1 - i] = byte;
        }
}

/* Tells of the `count` results just made whether they are as they must be; `limit` as given. */
typedef base_status checker(base_context *context, const void *made, int64_t count, int64_t limit,
                            const char *what);

/* An array of `count` numbers of 8 bytes each from numbers of `bytes` bytes. */
static base_status read_array(base_context *context, mm_number_bytes *from, mm_number_type type,
                              int64_t count, checker *check, int64_t limit, const char *what, void *result) {
    base_status status = BASE_OK;
    char *block = NULL, *to = NULL;
    int64_t capacity = 0, raw_bytes = 0;
    converter *convert = find_converter(type.letter, type.bytes);
    const int64_t step = BLOCK_BYTES / type.bytes;
    if (count < 0 || __builtin_mul_overflow(count, type.bytes, &raw_bytes) ||
        (from->available >= 0 && raw_bytes > from->available))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%lld numbers of %d bytes are more than the file has",
                           (long long)count, type.bytes));
    /* No numbers are an array, too: NULL would say that there is none. */
    const int64_t first = from->available >= 0 || count < step ? count : step;
    BASE_TRY(base_reserve(context, &to, &capacity, first > 0 ? first : 1, 8));
    block = base_alloc(context, BLOCK_BYTES, 1);
    if (block == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t done = 0; done < count;) {
        const int64_t some = count - done < step ? count - done : step;
        BASE_TRY(base_reserve(context, &to, &capacity, done + some, 8));
        char *place = to + 8 * done, *raw = convert != NULL ? block : place;
        BASE_TRY(from->read(context, from->self, raw, (size_t)(some * type.bytes)));
        if (type.swapped)
            swap_bytes(raw, some, type.bytes);
        if (convert != NULL)
            convert(place, raw, some);
        BASE_TRY(check(context, place, some, limit, what));
        done += some;
    }
    if (from->available >= 0)
        from->available -= raw_bytes;
done:
    free(block);
    if (status != BASE_OK) {
        free(to);
        to = NULL;
    }
    memcpy(result, &to, sizeof to);
    return status;
}

static base_status check_nothing(base_context *context, const void *made, int64_t count, int64_t limit,
                                 const char *what) {
    (void)context, (void)made, (void)count, (void)limit, (void)what;
    return BASE_OK;
}

static base_status check_indices(base_context *context, const void *made, int64_t count, int64_t limit,
                                 const char *what) {
    const int64_t *index = made;
    if (mm_all_below(index, count, limit))
        return BASE_OK;
    while (*index >= 0 && *index < limit)
        index++;
    return base_fail(context, BASE_DAMAGED, "%s %lld (from 0) exceeds %lld", what, (long long)*index,
                     (long long)limit - 1);
}

static base_status check_numbers(base_context *context, const void *made, int64_t count, int64_t limit,
                                 const char *what) {
    (void)limit, (void)what;
    return mm_all_numbers(made, count) ? BASE_OK : base_fail(context, BASE_DAMAGED, "a value is NaN");
}

/* ---- reading ---- */

static base_status refuse_fractions(base_context *context, mm_number_type type, const char *what) {
    return type.letter == 'u' || type.letter == 'i' || type.letter == 'b'
               ? BASE_OK
               : base_fail(context, BASE_DAMAGED, "%s are no whole numbers", what);
}

base_status mm_numbers_read_whole(base_context *context, mm_number_bytes *from, mm_number_type type,
                                  int64_t count, int64_t **result) {
    return mm_numbers_read_indices(context, from, type, count, "number", INT64_MAX, result);
}

base_status mm_numbers_read_indices(base_context *context, mm_number_bytes *from, mm_number_type type,
                                    int64_t count, const char *what, int64_t limit, int64_t **result) {
    *result = NULL;
    const base_status status = refuse_fractions(context, type, "indices");
    return status == BASE_OK ? read_array(context, from, type, count, check_indices, limit, what, result)
                             : status;
}

base_status mm_numbers_check_indices(base_context *context, const int64_t *index, int64_t count,
                                     const char *what, int64_t limit) {
    return check_indices(context, index, count, limit, what);
}

base_status mm_numbers_check_values(base_context *context, const double *value, int64_t count) {
    return check_numbers(context, value, count, 0, NULL);
}

/* Unsigned numbers of 64 bits that came into `integer` as they are; those beyond int64 want digits. */
static base_status keep_large(base_context *context, mm_record *record) {
    base_status status = BASE_OK;
    enum { LONGEST = 21 };
    int64_t used = 0;
    bool fits = true;
    for (int64_t k = 0; k < record->nnz; k++)
        fits = fits && record->integer[k] >= 0;
    if (fits)
        return BASE_OK;
    record->digits = base_alloc(context, record->nnz, LONGEST);
    record->digits_start = base_alloc(context, record->nnz + 1, sizeof *record->digits_start);
    if (record->digits == NULL || record->digits_start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++) {
        char text[LONGEST], *at = text + LONGEST - 1;
        uint64_t value = (uint64_t)record->integer[k];
        *at = '\0';
        do
            *--at = (char)('0' + value % 10);
        while ((value /= 10) > 0);
        record->digits_start[k] = used;
        memcpy(record->digits + used, at, strlen(at) + 1);
        used += (int64_t)strlen(at) + 1;
    }
    record->digits_start[record->nnz] = used;
    free(record->integer);
    record->integer = NULL;
done:
    return status;
}

base_status mm_numbers_read_values(base_context *context, mm_number_bytes *from, mm_number_type type,
                                   mm_record *record) {
    base_status status;
    record->field = mm_number_field(type);
    if (record->field == MM_INTEGER) {
        BASE_TRY(read_array(context, from, type, record->nnz, check_nothing, 0, NULL, &record->integer));
        if (type.letter == 'u' && type.bytes == 8)
            BASE_TRY(keep_large(context, record));
    } else {
        const bool is_complex = type.letter == 'c';
        const mm_number_type part = {'f', type.bytes >> is_complex, type.swapped};
        BASE_TRY(read_array(context, from, part, record->nnz << is_complex, check_numbers, 0, NULL,
                            &record->real));
    }
done:
    return status;
}
