/* Permanents in exact arithmetic, for tests of everything that rounds. */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

/* The permanent of n^2 Gaussian integers, column by column. 2^n n/2 complex products. */
void exact_permanent(int n, mpz_t (*entry)[2], mpz_t result[2]);

/* The permanent of n^2 doubles, complex as pairs (re, im), taken as the rationals that they are; all of them
 * multiples of 2^-1200. */
void exact_of_doubles(int n, bool is_complex, const double *entries, mpq_t result[2]);

/* value times 2^exponent */
void exact_scale(mpq_t value, int64_t exponent);

/* |exact - (high + low) 2^exponent| <= error 2^exponent, real and imaginary part together. *loss, unless
 * NULL: the error over what it really was, 0 where it was 0. */
bool exact_within(const double high[2], const double low[2], double error, int64_t exponent,
                  const mpq_t exact[2], double *loss);

#endif
