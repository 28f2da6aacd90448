/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/record/value.h"
#include "mm/decimal/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TWO_63 = 9223372036854775808.0;

static mm_value integer_value(int64_t integer) {
    return (mm_value){.kind = MM_VALUE_INTEGER, .integer = integer, .real = (double)integer};
}

static mm_value digits_value(const char *digits) {
    const char *text = digits;
    int64_t integer = 0;
    if (mm_decimal_read_int64(&text, &integer) == MM_DECIMAL_OK)
        return integer_value(integer);
    mm_value value = {.kind = MM_VALUE_BIG, .negative = *digits == '-'};
    text = digits;
    if (mm_decimal_read_double(&text, &value.real) != MM_DECIMAL_OK)
        value.real = value.negative ? -INFINITY : INFINITY;
    digits += *digits == '-' || *digits == '+';
    value.digits = digits + strspn(digits, "0");
    return value;
}

mm_value mm_value_of(const mm_record *record, int64_t k) {
    if (record->integer != NULL)
        return integer_value(record->integer[k]);
    if (record->digits != NULL)
        return digits_value(record->digits + record->digits_start[k]);
    if (record->field == MM_COMPLEX)
        return (mm_value){
            .kind = MM_VALUE_COMPLEX, .real = record->real[2 * k], .imaginary = record->real[2 * k + 1]};
    if (record->real != NULL)
        return (mm_value){.kind = MM_VALUE_REAL, .real = record->real[k]};
    return integer_value(1);
}

bool mm_value_is_zero(const mm_value *value) {
    switch (value->kind) {
    case MM_VALUE_INTEGER: return value->integer == 0;
    case MM_VALUE_BIG: return false;
    case MM_VALUE_REAL:
    case MM_VALUE_COMPLEX: break;
    }
    return value->real == 0 && value->imaginary == 0;
}

/* An integer against a double without imaginary part. */
static bool equal_mixed(const mm_value *a, double b) {
    char text[400]; /* the largest double has 309 digits */
    if (trunc(b) != b)
        return false;
    if (a->kind == MM_VALUE_INTEGER)
        return b >= -TWO_63 && b < TWO_63 && (int64_t)b == a->integer;
    snprintf(text, sizeof text, "%.0f", fabs(b));
    return a->negative == (b < 0) && strcmp(a->digits, text) == 0;
}

bool mm_value_equal(const mm_value *a, const mm_value *b) {
    bool a_whole = a->kind <= MM_VALUE_BIG, b_whole = b->kind <= MM_VALUE_BIG;
    if (a_whole != b_whole)
        return a_whole ? b->imaginary == 0 && equal_mixed(a, b->real)
                       : a->imaginary == 0 && equal_mixed(b, a->real);
    if (!a_whole)
        return a->real == b->real && a->imaginary == b->imaginary;
    if (a->kind != b->kind)
        return false;
    if (a->kind == MM_VALUE_INTEGER)
        return a->integer == b->integer;
    return a->negative == b->negative && strcmp(a->digits, b->digits) == 0;
}

void mm_value_print(const mm_value *value, char *text, size_t size) {
    char parts[2 * MM_DECIMAL_LONGEST + 2];
    int length = 0;
    if (value->kind == MM_VALUE_BIG) {
        snprintf(text, size, "%s%s", value->negative ? "-" : "", value->digits);
        return;
    }
    if (value->kind == MM_VALUE_INTEGER)
        length = mm_decimal_write_int64(parts, value->integer);
    else
        length = mm_decimal_write_double(parts, value->real);
    if (value->kind == MM_VALUE_COMPLEX) {
        parts[length++] = ' ';
        length += mm_decimal_write_double(parts + length, value->imaginary);
    }
    snprintf(text, size, "%.*s", length, parts);
}
