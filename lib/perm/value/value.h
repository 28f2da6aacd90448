/* SPDX-License-Identifier: BSD-3-Clause */
/* A permanent as a value: (re + i·im)·2^exponent·5^-fives with integers of any size, a bound of its absolute
 * error that holds for certain, and an estimate of the error where one is known (error_sample.h). A
 * value without error is exact; only such values have fives, those of decimals. Nothing overflows: exponents
 * are 64-bit.
 *
 * GMP's memory does not come from base/core/memory.h; it is small beside the tables of any permanent.
 *
 * The room: value.c is arithmetic, bound.c that of bounds, sum.h a permanent as a sum of chunks in any order,
 * error_sample.h what a sample says of its error, product.h one as a product of blocks, divisor.h exact
 * division by factorials; parse.c, print.c, digits.c and decimal_digits.h are texts, metadata.c the `% perm.`
 * comments of records. It sees no other room of perm. */
#ifndef PERM_VALUE_VALUE_H
#define PERM_VALUE_VALUE_H

#include "mm/matrix/sparse.h"

#include <gmp.h>

/* mantissa·2^exponent ≥ 0, an upper bound: operations round up. A mantissa of 0 is 0. */
typedef struct perm_bound {
    double mantissa;
    int64_t exponent;
} perm_bound;

typedef struct perm_value {
    mpz_t re, im;
    int64_t exponent, fives;
    perm_bound error;    /* of |computed - true| */
    perm_bound estimate; /* of the same, less than `error`; 0: there is none */
} perm_value;

/* What is known of the error, short of certainty. */
static inline perm_bound perm_value_estimate(const perm_value *value) {
    return value->estimate.mantissa != 0 ? value->estimate : value->error;
}

/* Sets an estimate that is less than the error, or none. */
void perm_value_set_estimate(perm_value *value, perm_bound estimate);

void perm_value_init(perm_value *value);                /* exact 0 */
void perm_value_free(perm_value *value);                /* NULL is allowed */
void perm_value_move(perm_value *to, perm_value *from); /* leaves an exact 0 in `from` */
/* Exchanges them: moves a value to an exact 0 without calls. */
static inline void perm_value_swap(perm_value *to, perm_value *from) {
    const perm_value value = *to;
    *to = *from;
    *from = value;
}
void perm_value_copy(perm_value *to, const perm_value *from);

void perm_value_set_integer(perm_value *value, int64_t integer);
/* Finite doubles, exactly. */
void perm_value_set_complex(perm_value *value, double re, double im);
/* Decimal digits with an optional sign: false when there is anything else. */
bool perm_value_set_digits(perm_value *value, const char *digits);
/* Exponents of two that are read and written: |exponent| ≤ 2^30, which leaves room for the products and sums
 * of such numbers. */
enum { PERM_EXPONENT_MOST = 1 << 30 };
bool perm_exponent_is_in_range(int64_t exponent);
bool perm_value_is_in_range(const perm_value *value); /* all its exponents */

/* A number as metadata carry it: an integer, a decimal (the double nearest to it), or two decimals with a
 * blank between them. *field becomes the least field that holds it. Fails with BASE_DAMAGED, also for numbers
 * that doubles do not hold: those too large, and those other than 0 that round to it. */
base_status perm_value_parse(base_context *context, const char *text, perm_value *value, mm_field *field);

/* `% perm.factor`, what a record's permanent is to be multiplied by: a number as above, or hexadecimal as in
 * -0x1f3p-2000, exactly. perm_value_set_factor writes an exact value so that it is read back exactly; 1 is
 * not written. O(digits²) for decimals, O(digits) for hexadecimals. Fail with BASE_DAMAGED and BASE_FAILED
 * where the exponent is beyond PERM_EXPONENT_MOST. */
base_status perm_value_get_factor(base_context *context, const mm_record *record, perm_value *factor,
                                  mm_field *field, bool *found);
base_status perm_value_set_factor(base_context *context, mm_record *record, const perm_value *factor,
                                  mm_field field);

bool perm_value_is_zero(const perm_value *value); /* exactly */
bool perm_value_is_exact(const perm_value *value);

/* to = to·by, to = to + by; exact but for what `perm_value_round` cuts off inexact results. */
void perm_value_multiply(perm_value *to, const perm_value *by);
void perm_value_add(perm_value *to, const perm_value *by);
void perm_value_scale(perm_value *value, int64_t exponent); /* by 2^exponent */

/* Divides by d!, of which an exact value must be a multiple by powers of two. */
void perm_value_divide_factorial(perm_value *value, int64_t d);

/* The only integer within the error of the value, exactly, if the error, not its estimate, says which it is.
 */
void perm_value_round_to_integer(perm_value *value);

/* Keeps the leading bits of an inexact value that the estimate of its error leaves meaning to, and counts
 * what it cuts off. */
void perm_value_round(perm_value *value);

/* log2 of the larger part, within 1; -1e300 for 0. */
double perm_value_log2(const perm_value *value);

perm_bound perm_bound_from_double(double value); /* finite, ≥ 0 */
perm_bound perm_bound_add(perm_bound a, perm_bound b);
perm_bound perm_bound_multiply(perm_bound a, perm_bound b);
/* At least |value|. */
perm_bound perm_bound_of(const perm_value *value);
/* a ≤ b; both as they are. */
bool perm_bound_at_most(perm_bound a, perm_bound b);
double perm_bound_log2(perm_bound bound);

/* The value as text, to be released with free(): an integer's digits for MM_PATTERN and MM_INTEGER (the value
 * must be one); else the shortest decimal that reads back as the double nearest to the value, or 17 digits
 * where that double would be subnormal, zero or infinite, but no more than the estimate of the error leaves
 * meaning to; two of them with a blank for MM_COMPLEX. */
base_status perm_value_print(base_context *context, const perm_value *value, mm_field field, char **text);

enum { PERM_DIGITS_SHORTEST = 0, PERM_DIGITS_ALL = -1 };

/* The same with `digits` digits, or as many as the estimate of the error leaves meaning to, without zeros at
 * the end; PERM_DIGITS_ALL: every digit of an exact value. Integers have all digits anyway; an inexact value
 * of an integer matrix is printed as a real one. */
base_status perm_value_print_digits(base_context *context, const perm_value *value, mm_field field,
                                    int64_t digits, char **text);

/* The double nearest to a part of the value; infinite, or 0, beyond the range of doubles. */
double perm_value_to_double(const perm_value *value, mpz_srcptr part);

/* Digits of a part of the value that the estimate of its error leaves meaning to, the last of which may be
 * off, at least 1, up to `most`. */
int64_t perm_value_count_digits(const perm_value *value, mpz_srcptr part, int64_t most);

/* Three digits, rounded up. At most 40 bytes with the NUL. */
void perm_bound_print(perm_bound bound, char text[40]);

#endif
