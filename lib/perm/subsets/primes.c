/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/primes.h"

int64_t perm_prime_next(int64_t last, int step, bool root) {
    mpz_t prime;
    bool found = false;
    mpz_init_set_si(prime, last);
    while (!found) {
        if (step > 0)
            mpz_add_ui(prime, prime, 1);
        else
            mpz_sub_ui(prime, prime, 1);
        found = (!root || mpz_fdiv_ui(prime, 4) == 1) && mpz_probab_prime_p(prime, 30) != 0;
    }
    last = mpz_get_si(prime);
    mpz_clear(prime);
    return last;
}

static int64_t multiply(int64_t a, int64_t b, int64_t prime) {
    return (int64_t)((__int128)a * b % prime);
}

static int64_t find_power(int64_t base, int64_t exponent, int64_t prime) {
    int64_t power = 1;
    for (base %= prime; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0)
            power = multiply(power, base, prime);
        base = multiply(base, base, prime);
    }
    return power;
}

static int64_t invert(int64_t value, int64_t prime) {
    return find_power(value, prime - 2, prime);
}

int64_t perm_prime_root(int64_t prime) {
    for (int64_t base = 2;; base++) {
        const int64_t root = find_power(base, (prime - 1) / 4, prime);
        if (multiply(root, root, prime) == prime - 1)
            return root;
    }
}

/* The number nearest to 0 with residue[k stride] modulo prime[k stride], k = 0 … count-1. After Garner: one
 * prime after the other. */
static void join(const int64_t *residue, const int64_t *prime, int64_t count, int64_t stride, mpz_t number) {
    mpz_t modulus, twice;
    mpz_init_set_ui(modulus, 1);
    mpz_init(twice);
    mpz_set_ui(number, 0);
    for (int64_t k = 0; k < count * stride; k += stride) {
        const int64_t p = prime[k], known = (int64_t)mpz_fdiv_ui(number, (unsigned long)p);
        const int64_t inverse = invert((int64_t)mpz_fdiv_ui(modulus, (unsigned long)p), p);
        const int64_t digit = multiply((residue[k] - known + p) % p, inverse, p);
        mpz_addmul_ui(number, modulus, (unsigned long)digit);
        mpz_mul_ui(modulus, modulus, (unsigned long)p);
    }
    mpz_mul_2exp(twice, number, 1);
    if (mpz_cmp(twice, modulus) > 0)
        mpz_sub(number, number, modulus);
    mpz_clears(modulus, twice, NULL);
}

int64_t perm_prime_power_of_two(int64_t exponent, int64_t prime) {
    return exponent < 0 ? find_power((prime + 1) / 2, -exponent, prime) : find_power(2, exponent, prime);
}

int64_t perm_prime_residue(const perm_value *value, int64_t exponent, int64_t prime, int64_t root) {
    const __int128 power = perm_prime_power_of_two(value->exponent - exponent, prime);
    const __int128 im = mpz_fdiv_ui(value->im, (unsigned long)prime);
    __int128 residue = (mpz_fdiv_ui(value->re, (unsigned long)prime) + im * root) % prime * power % prime;
    residue += residue < 0 ? prime : 0;
    return (int64_t)residue;
}

/* From the values for both roots of a prime to the residues of real and imaginary part. */
static void separate_parts(int64_t *residue, __int128 prime, int64_t root) {
    const __int128 half = (prime + 1) / 2;
    const __int128 re = (residue[0] + residue[1]) % prime * half % prime;
    const __int128 rest = (residue[0] - re + prime) % prime;
    residue[0] = (int64_t)re;
    residue[1] = (int64_t)(rest * (prime - root) % prime); /* 1 / root = -root */
}

void perm_prime_join_parts(int64_t *residue, const int64_t *prime, const int64_t *root, int64_t count,
                           perm_value *value) {
    const int64_t stride = root != NULL ? 2 : 1;
    for (int64_t k = 0; root != NULL && k < count; k += 2)
        separate_parts(residue + k, prime[k], root[k]);
    perm_value_set_integer(value, 0);
    join(residue, prime, count / stride, stride, value->re);
    if (root != NULL)
        join(residue + 1, prime, count / stride, stride, value->im);
}
