/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers in as few bytes as they need: 1, 2, 4 or 8, two's complement, little-endian. */
#ifndef MM_RECORD_WIDTH_H
#define MM_RECORD_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

/* The least width that holds `least` … `most`. */
int mm_width_of(int64_t least, int64_t most);

/* The least width that holds all values; 1 if there are none. */
int mm_width_of_values(const int64_t *values, int64_t count);

/* To `width` bytes each, which must hold them, and back. */
void mm_narrow(char *to, const int64_t *from, int64_t count, int width);
void mm_widen(int64_t *to, const char *from, int64_t count, int width);

/* Doubles, the same way. */
void mm_put_doubles(char *to, const double *from, int64_t count);
void mm_get_doubles(double *to, const char *from, int64_t count);

/* True when 0 ≤ index < limit, true when none is NaN. No branch depends on the values. */
bool mm_all_below(const int64_t *index, int64_t count, int64_t limit);
bool mm_all_numbers(const double *value, int64_t count);

#endif
