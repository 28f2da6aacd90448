/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/entries.h"
#include "base/core/memory.h"
#include "flip/scheme/verify.h"

#include <stdlib.h>
#include <string.h>

void flip_entries_free(flip_entries *entries) {
    free(entries->list);
    memset(entries, 0, sizeof *entries);
}

base_status flip_entries_add(base_context *context, flip_entries *entries, flip_entry entry) {
    base_status status =
        base_reserve(context, &entries->list, &entries->capacity, entries->count + 1, sizeof *entries->list);
    if (status == BASE_OK)
        entries->list[entries->count++] = entry;
    return status;
}

int64_t flip_gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

bool flip_rational_multiply(int64_t *numerator, int64_t *denominator, int64_t a, int64_t b) {
    int64_t left = flip_gcd(*numerator, b), right = flip_gcd(a, *denominator);
    left += left == 0;
    right += right == 0;
    return !__builtin_mul_overflow(*numerator / left, a / right, numerator) &&
           !__builtin_mul_overflow(*denominator / right, b / left, denominator) && *numerator != INT64_MIN;
}

/* a = lcm(a, b), both positive. */
static bool make_common(int64_t *a, int64_t b) {
    return !__builtin_mul_overflow(*a / flip_gcd(*a, b), b, a);
}

static base_status find_sizes(base_context *context, const flip_entries *entries, int64_t size[3]) {
    static const int rows_of[] = {0, 1, 2}, cols_of[] = {1, 2, 0};
    memcpy(size, entries->size, 3 * sizeof *size);
    if (size[0] == 0)
        for (int64_t e = 0; e < entries->count; e++) {
            const flip_entry *entry = &entries->list[e];
            int64_t *row = &size[rows_of[entry->position]], *col = &size[cols_of[entry->position]];
            *row = entry->row >= *row ? entry->row + 1 : *row;
            *col = entry->col >= *col ? entry->col + 1 : *col;
        }
    for (int64_t e = 0; e < entries->count; e++) {
        const flip_entry *entry = &entries->list[e];
        if (entry->row < 0 || entry->col < 0 || entry->row >= size[rows_of[entry->position]] ||
            entry->col >= size[cols_of[entry->position]])
            return base_fail(context, BASE_DAMAGED, "an entry outside of its matrix in term %lld",
                             (long long)entry->term + 1);
    }
    if (entries->terms == 0 || entries->count == 0)
        return base_fail(context, BASE_DAMAGED, "a scheme without terms");
    return BASE_OK;
}

/* Entries of one factor get a common denominator, left in `denominators`. */
static bool put_entries(const flip_entries *entries, flip_scheme *scheme, int64_t *denominators) {
    for (int64_t f = 0; f < 3 * scheme->rank; f++)
        denominators[f] = 1;
    for (int64_t e = 0; e < entries->count; e++) {
        const flip_entry *entry = &entries->list[e];
        if (!make_common(&denominators[3 * entry->term + entry->position], entry->denominator))
            return false;
    }
    for (int64_t e = 0; e < entries->count; e++) {
        const flip_entry *entry = &entries->list[e];
        int position = entry->position;
        int64_t place = position == 0   ? entry->row * scheme->size[1] + entry->col
                        : position == 1 ? entry->row * scheme->size[2] + entry->col
                                        : entry->col * scheme->size[2] + entry->row;
        int64_t *target =
            scheme->factor[position] + entry->term * flip_length(scheme->size, position) + place;
        int64_t value;
        if (__builtin_mul_overflow(entry->numerator,
                                   denominators[3 * entry->term + position] / entry->denominator, &value) ||
            __builtin_add_overflow(*target, value, target) || *target == INT64_MIN)
            return false;
    }
    return true;
}

/* Divides a factor by the greatest common divisor of its entries, which is returned. */
static int64_t take_content(int64_t *factor, int64_t length) {
    int64_t content = 0;
    for (int64_t e = 0; e < length; e++)
        content = flip_gcd(content, factor[e]);
    for (int64_t e = 0; e < length && content > 1; e++)
        factor[e] /= content;
    return content;
}

/* Moves the denominators of all factors into the scheme's one. */
static bool collect_denominators(flip_scheme *scheme, int64_t *denominators) {
    int64_t length = flip_length(scheme->size, 2);
    for (int64_t r = 0; r < scheme->rank; r++) {
        int64_t numerator = 1, denominator = 1;
        for (int k = 0; k < 3; k++) {
            int64_t size = flip_length(scheme->size, k);
            int64_t content = take_content(scheme->factor[k] + r * size, size);
            if (!flip_rational_multiply(&numerator, &denominator, content, denominators[3 * r + k]))
                return false;
        }
        denominators[3 * r] = numerator;
        denominators[3 * r + 1] = denominator;
        if (!make_common(&scheme->denominator, denominator))
            return false;
    }
    for (int64_t r = 0; r < scheme->rank; r++) {
        int64_t scale;
        if (__builtin_mul_overflow(denominators[3 * r], scheme->denominator / denominators[3 * r + 1],
                                   &scale))
            return false;
        for (int64_t e = 0; e < length; e++) {
            int64_t *w = scheme->factor[2] + r * length + e;
            if (__builtin_mul_overflow(*w, scale, w) || *w == INT64_MIN)
                return false;
        }
    }
    return true;
}

static base_status find_field(base_context *context, flip_scheme *scheme) {
    bool valid;
    scheme->field = scheme->denominator == 1 ? FLIP_Z : FLIP_Q;
    base_status status = flip_verify(context, scheme, 0, &valid, NULL);
    if (status != BASE_OK || valid || scheme->field == FLIP_Q)
        return status;
    status = flip_verify(context, scheme, 2, &valid, NULL);
    if (valid)
        scheme->field = FLIP_F2;
    return status;
}

base_status flip_entries_finish(base_context *context, const flip_entries *entries, flip_scheme *scheme) {
    base_status status = BASE_OK;
    int64_t size[3] = {0};
    int64_t *denominators = NULL;
    bool fractions = false;
    *scheme = (flip_scheme){0};
    BASE_TRY(find_sizes(context, entries, size));
    BASE_TRY(flip_scheme_alloc(context, size, entries->terms, scheme));
    denominators = base_alloc(context, 3 * entries->terms, sizeof *denominators);
    if (denominators == NULL)
        BASE_TRY(BASE_MACHINE);
    bool fits = put_entries(entries, scheme, denominators);
    for (int64_t f = 0; f < 3 * entries->terms; f++)
        fractions |= denominators[f] != 1;
    if (!fits || (fractions && !collect_denominators(scheme, denominators)))
        BASE_TRY(base_fail(context, BASE_FAILED, "the coefficients do not fit 64 bits"));
    BASE_TRY(find_field(context, scheme));
done:
    free(denominators);
    if (status != BASE_OK)
        flip_scheme_free(scheme);
    return status;
}
