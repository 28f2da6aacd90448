/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of big integers and their permanents in exact arithmetic, for tests of everything that rounds. */
#ifndef TESTS_SUPPORT_EXACT_H
#define TESTS_SUPPORT_EXACT_H

#include "base/core/random.h"
#include "perm/matrix/matrix.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

/* `count` Gaussian integers, 0. */
mpz_t (*exact_alloc(int count))[2];
void exact_free(int count, mpz_t (*entry)[2]);

/* What random Gaussian integers look like. */
typedef struct exact_family {
    const char *name;
    int bits;     /* of each part; 0: ones */
    double share; /* of the parts that are drawn; the others are 0 */
    bool is_signed, is_complex;
    bool is_circulant; /* each column is the one before it, moved down by one */
    bool has_diagonal; /* the diagonal's real parts are not 0 */
} exact_family;

typedef struct exact_random {
    base_random small;
    gmp_randstate_t large;
} exact_random;

void exact_random_init(exact_random *random, uint64_t seed);
void exact_random_free(exact_random *random);

/* n^2 entries, column by column. */
void exact_draw(exact_random *random, const exact_family *family, int n, mpz_t (*entry)[2]);

/* The lines are the rows of n^2 Gaussian integers, column by column, times 2^(row_exponent[i] +
 * column_exponent[j]), NULL: 2^0. The caller frees it. */
perm_matrix exact_matrix(base_context *context, int n, mpz_t (*entry)[2], mm_field field,
                         const int *row_exponent, const int *column_exponent);

/* Whether the value is expected * 2^exponent, up to its own error bound: 0 if it is exact. */
bool exact_is_value(const perm_value *value, mpz_t expected[2], int64_t exponent);

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
