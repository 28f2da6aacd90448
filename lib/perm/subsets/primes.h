/* SPDX-License-Identifier: BSD-3-Clause */
/* Primes for exact/exact.h, and numbers from their residues. */
#ifndef PERM_SUBSETS_PRIMES_H
#define PERM_SUBSETS_PRIMES_H

#include "perm/value/value.h"

/* The next prime above `last`, or below it with step -1; with `root`, one that is 1 modulo 4. */
int64_t perm_prime_next(int64_t last, int step, bool root);

/* A square root of -1. O(log prime) multiplications, expected. */
int64_t perm_prime_root(int64_t prime);

/* 2^exponent */
int64_t perm_prime_power_of_two(int64_t exponent, int64_t prime);

/* re + root im of the value times 2^-exponent, modulo the prime, from 0. */
int64_t perm_prime_residue(const perm_value *value, int64_t exponent, int64_t prime, int64_t root);

/* The Gaussian integer re + i im of least parts, from re + root im modulo each of `count` primes, which stand
 * twice, first with a root of -1, then with the negative one; changes the residues. `root` NULL: an integer,
 * and primes stand once. */
void perm_prime_join_parts(int64_t *residue, const int64_t *prime, const int64_t *root, int64_t count,
                           perm_value *value);

#endif
