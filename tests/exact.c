#include "tests/exact.h"

#include <math.h>
#include <stdlib.h>

enum { SHIFT = 1200 }; /* doubles are taken as multiples of 2^-SHIFT */

/* By f(S) = sum over j in S of a[|S|-1][j] f(S - j); 2^n n/2 products. */
void exact_permanent(int n, mpz_t (*entry)[2], mpz_t result[2]) {
    mpz_t(*sum)[2] = malloc(sizeof(mpz_t[2]) << n);
    for (unsigned set = 0; set < 1u << n; set++) {
        mpz_init_set_ui(sum[set][0], set == 0);
        mpz_init(sum[set][1]);
        const int row = __builtin_popcount(set) - 1;
        for (int j = 0; j < n; j++) {
            if (!(set >> j & 1))
                continue;
            mpz_t *a = entry[j * n + row], *f = sum[set & ~(1u << j)];
            mpz_addmul(sum[set][0], a[0], f[0]);
            mpz_submul(sum[set][0], a[1], f[1]);
            mpz_addmul(sum[set][1], a[0], f[1]);
            mpz_addmul(sum[set][1], a[1], f[0]);
        }
    }
    for (int part = 0; part < 2; part++)
        mpz_set(result[part], sum[(1u << n) - 1][part]);
    for (unsigned set = 0; set < 1u << n; set++)
        mpz_clears(sum[set][0], sum[set][1], NULL);
    free(sum);
}

void exact_scale(mpq_t value, int64_t exponent) {
    if (exponent >= 0)
        mpq_mul_2exp(value, value, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(value, value, (mp_bitcnt_t)-exponent);
}

void exact_of_doubles(int n, bool is_complex, const double *entries, mpq_t result[2]) {
    mpz_t(*entry)[2] = malloc(sizeof(mpz_t[2]) * (size_t)(n * n + 1)), whole[2];
    mpq_t number;
    mpq_init(number);
    mpz_inits(whole[0], whole[1], NULL);
    for (int at = 0; at < n * n; at++)
        for (int part = 0; part < 2; part++) {
            mpq_set_d(number, !is_complex ? (part == 0 ? entries[at] : 0) : entries[2 * at + part]);
            exact_scale(number, SHIFT);
            mpz_init_set(entry[at][part], mpq_numref(number));
        }
    exact_permanent(n, entry, whole);
    for (int part = 0; part < 2; part++) {
        mpq_set_z(result[part], whole[part]);
        exact_scale(result[part], -(int64_t)SHIFT * n);
    }
    for (int at = 0; at < n * n; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clear(number);
    free(entry);
}

bool exact_within(const double high[2], const double low[2], double error, int64_t exponent,
                  const mpq_t exact[2], double *loss) {
    mpq_t distance, number, square;
    mpq_inits(distance, number, square, NULL);
    mpq_set_ui(square, 0, 1);
    for (int part = 0; part < 2; part++) {
        mpq_set_d(distance, high[part]);
        mpq_set_d(number, low[part]);
        mpq_add(distance, distance, number);
        mpq_set(number, exact[part]);
        exact_scale(number, -exponent);
        mpq_sub(distance, distance, number);
        mpq_mul(distance, distance, distance);
        mpq_add(square, square, distance);
    }
    mpq_set_d(number, error);
    mpq_mul(number, number, number);
    const bool within = mpq_cmp(square, number) <= 0;
    if (loss != NULL) {
        *loss = 0;
        if (mpq_sgn(square) != 0) {
            mpq_div(number, number, square);
            *loss = sqrt(mpq_get_d(number));
        }
    }
    mpq_clears(distance, number, square, NULL);
    return within;
}
