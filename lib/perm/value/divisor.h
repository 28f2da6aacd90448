/* SPDX-License-Identifier: BSD-3-Clause */
/* Common divisors of exact values; internal to degree/scaled.c and degree/scaled_add.c. */
#ifndef PERM_VALUE_DIVISOR_H
#define PERM_VALUE_DIVISOR_H

#include "perm/value/value.h"

/* An odd integer times a power of two; 0 before the first value. */
typedef struct perm_divisor {
    mpz_t odd;
    int64_t exponent;
} perm_divisor;

void perm_divisor_init(perm_divisor *d);
void perm_divisor_free(perm_divisor *d);
void perm_divisor_clear(perm_divisor *d); /* 0 again */

/* Moves all powers of two of a value that is not 0 into its exponent: equal values become equal numbers. */
void perm_value_take_twos(perm_value *value);

/* Becomes the greatest divisor that also divides a value; that one is not 0 and without factors 2. */
void perm_divisor_join(perm_divisor *d, const perm_value *value);

/* A multiple of the divisor is divided by it; any value is multiplied. */
void perm_divisor_divide(const perm_divisor *d, perm_value *value);
void perm_divisor_multiply(const perm_divisor *d, perm_value *value);

#endif
