/* Primes for exact.h, and numbers from their residues. */
#ifndef PERM_EXACT_PRIMES_H
#define PERM_EXACT_PRIMES_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

/* The next prime above `last`, or below it with step -1; with `root`, one that is 1 modulo 4. */
int64_t perm_prime_next(int64_t last, int step, bool root);

int64_t perm_prime_power(int64_t base, int64_t exponent, int64_t prime);
int64_t perm_prime_inverse(int64_t value, int64_t prime);

/* A square root of -1. O(log prime) multiplications, expected. */
int64_t perm_prime_root(int64_t prime);

/* The number nearest to 0 with residue[k stride] modulo prime[k stride], k = 0 … count-1. */
void perm_prime_join(const int64_t *residue, const int64_t *prime, int64_t count, int64_t stride,
                     mpz_t number);

#endif
