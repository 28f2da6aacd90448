/* SPDX-License-Identifier: BSD-3-Clause */
/* Products modulo primes in doubles, for the kernels of exact/kernel.h; `vector`, DENSE_INLINE and the macros
 * DENSE_FMA and DENSE_FNMA are defined before.
 *
 * a b is the sum of p = a b rounded and e = fma(a, b, -p), exactly. With q the integer next to p / prime, the
 * residue is (p - q prime) + e; both steps are exact while |a b / prime| <= 2^50: p and the inverse are each
 * off by one rounding, so q by at most 1/2 + 2^-53 2^50 2.01 < 0.76, and the residue by size is below
 * 0.76 prime, smaller where |a b / prime| is. 6 instructions.
 *
 * Bounds. All primes just above 2^49: factors are at most 2^49, so quotients, residues being smaller, too,
 * and residues below 0.63 prime; 16 of them add up to less than 2^52.4 exactly. Smaller primes: the first
 * factor is reduced, after that quotients are below 0.76 2^49 and the same holds. */
typedef struct modulus {
    vector prime, inverse;
} modulus;

DENSE_INLINE modulus make_modulus(int64_t prime) {
    const vector zero = {0};
    return (modulus){zero + (double)prime, zero + 1 / (double)prime};
}

/* Adding and taking away 1.5 2^52 rounds to the next integer. */
DENSE_INLINE vector next_quotient(vector value, modulus modulus) {
    const vector zero = {0}, rounder = zero + 0x1.8p52;
    return DENSE_FMA(value, modulus.inverse, rounder) - rounder;
}

DENSE_INLINE vector multiply_residues(vector a, vector b, modulus modulus) {
    const vector product = a * b, error = DENSE_FMA(a, b, -product);
    return DENSE_FNMA(next_quotient(product, modulus), modulus.prime, product) + error;
}

/* An integer up to 2^53 to at most 0.51 prime. */
DENSE_INLINE vector reduce_residue(vector value, modulus modulus) {
    return DENSE_FNMA(next_quotient(value, modulus), modulus.prime, value);
}

/* residue += sum of the lanes of `value` times their signs. */
DENSE_INLINE void add_residue(int64_t value, int64_t prime, int64_t *residue) {
    *residue = (*residue + value % prime) % prime;
    *residue += *residue < 0 ? prime : 0;
}
