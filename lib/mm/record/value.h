/* SPDX-License-Identifier: BSD-3-Clause */
/* One value of a record, of any field, exactly. */
#ifndef MM_RECORD_VALUE_H
#define MM_RECORD_VALUE_H

#include "mm/record/record.h"

#include <stddef.h>

typedef enum mm_value_kind {
    MM_VALUE_INTEGER, /* fits 64 bits */
    MM_VALUE_BIG,     /* digits */
    MM_VALUE_REAL,
    MM_VALUE_COMPLEX
} mm_value_kind;

typedef struct mm_value {
    mm_value_kind kind;
    int64_t integer;
    double real, imaginary;
    bool negative;      /* of a big one */
    const char *digits; /* its digits without sign and leading zeros; they live in the record */
} mm_value;

/* The value of stored entry k; an entry of a pattern is the integer 1. */
mm_value mm_value_of(const mm_record *record, int64_t k);

bool mm_value_is_zero(const mm_value *value);

/* Whether stored entry k is 0; one of a pattern is not. For loops over all entries. */
static inline bool mm_entry_is_zero(const mm_record *record, int64_t k) {
    if (record->field == MM_PATTERN)
        return false;
    if (record->integer != NULL)
        return record->integer[k] == 0;
    if (record->field == MM_REAL)
        return record->real[k] == 0;
    if (record->field == MM_COMPLEX)
        return record->real[2 * k] == 0 && record->real[2 * k + 1] == 0;
    const mm_value value = mm_value_of(record, k);
    return mm_value_is_zero(&value);
}

/* Equal as numbers, whatever their kinds; exact. */
bool mm_value_equal(const mm_value *a, const mm_value *b);

/* How far two values that are not equal lie apart. */
typedef struct mm_distance {
    double absolute; /* |a - b|, rounded; infinite beyond the range of doubles and from an infinity */
    double relative; /* |a - b| / max(|a|, |b|), rounded, at most 2; infinite from an infinity */
    bool within;     /* |a - b| <= atol + rtol max(|a|, |b|) */
} mm_distance;

/* The distance of two values that are not equal. An infinity, or a complex number with an infinite part, is
 * within no tolerance of another value, as for numpy's isclose. Nothing overflows or underflows on the way;
 * differences of integers, and of integers and doubles, are exact before they are rounded. Both tolerances
 * are finite and at least 0. O(1); for integers beyond 64 bits at most O(digits²). */
void mm_value_distance(const mm_value *a, const mm_value *b, double rtol, double atol, mm_distance *distance);

/* The value as in the text form, cut to `size` bytes with a NUL; the parts of a complex one with a blank
 * between. */
void mm_value_print(const mm_value *value, char *text, size_t size);

#endif
