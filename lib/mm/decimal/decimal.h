/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers: exact, fast conversion between text and binary64, and 64-bit integers.
 *
 * Reading: Lemire, Number parsing at a gigabyte per second (2021); the rare undecided cases go to exact
 * arithmetic. Writing: the shortest digits that read back as the same double, the closest of them (Giulietti,
 * Schubfach).
 *
 * scan.h has the digits of the text reader's hot loops, inlined there; read.c decides all other numbers,
 * write.c prints; powers.h are the powers of ten of both. Reading never rounds twice, and what is written
 * reads back to the same bits: tests/unit/mm/decimal.c holds both against GMP. */
#ifndef MM_DECIMAL_DECIMAL_H
#define MM_DECIMAL_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum mm_decimal_status {
    MM_DECIMAL_OK,
    MM_DECIMAL_MALFORMED,
    MM_DECIMAL_OUT_OF_RANGE
} mm_decimal_status;

/* Reads [+-]digits[.digits][(e|E|d|D)[+-]digits] at *text, moves *text behind it. The text must be followed
 * by a byte that cannot continue a number (newline, NUL), at least 16 readable bytes beyond help speed but
 * are not required. NaN and infinities are malformed here; a magnitude that rounds beyond the largest double
 * is out of range; what is too small becomes a subnormal or a signed zero. Correctly rounded, ties to even.
 */
mm_decimal_status mm_decimal_read_double(const char **text, double *value);

/* Reads [+-]digits; out of range beyond int64. */
mm_decimal_status mm_decimal_read_int64(const char **text, int64_t *value);

/* Write without a final NUL and return the length. The bytes behind, up to MM_DECIMAL_LONGEST in all, may be
 * overwritten. Infinities are written as inf and -inf; the double is no NaN. */
enum { MM_DECIMAL_LONGEST = 40 };
int mm_decimal_write_double(char *text, double value);
int mm_decimal_write_int64(char *text, int64_t value);

#endif
