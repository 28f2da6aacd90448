/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonzeros of a published scheme as they are read, rational and in any order; a scheme is made of them at
 * the end. Private to the readers of formats. */
#ifndef FLIP_SCHEME_ENTRIES_H
#define FLIP_SCHEME_ENTRIES_H

#include "flip/scheme/scheme.h"

typedef struct flip_entry {
    int64_t term;
    int position; /* 0, 1, 2 for a, b, c */
    int64_t row, col;
    int64_t numerator, denominator; /* > 0 */
} flip_entry;

typedef struct flip_entries {
    flip_entry *list;
    int64_t count, capacity;
    int64_t terms;
    int64_t size[3]; /* n, m, p; 0: what the entries need */
} flip_entries;

void flip_entries_free(flip_entries *entries);

base_status flip_entries_add(base_context *context, flip_entries *entries, flip_entry entry);

/* `c` is transposed, p×n, as the published formats have it. Entries at one place are added up. The field is Q
 * if there are denominators, else Z if the scheme is right over Z, else F2 if it is right over F2, else Z. */
base_status flip_entries_finish(base_context *context, const flip_entries *entries, flip_scheme *scheme);

/* value = *numerator / *denominator in lowest terms, times a / b. False when 63 bits are too few. */
bool flip_rational_multiply(int64_t *numerator, int64_t *denominator, int64_t a, int64_t b);
int64_t flip_gcd(int64_t a, int64_t b); /* ≥ 0 */

#endif
