/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/exact.h"

#include <math.h>
#include <stdlib.h>

enum { SHIFT = 1200 }; /* doubles are taken as multiples of 2^-SHIFT */

mpz_t (*exact_alloc(int count))[2] {
    mpz_t(*entry)[2] = malloc(sizeof(mpz_t[2]) * (size_t)(count + 1));
    if (entry == NULL)
        abort();
    for (int at = 0; at < count; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    return entry;
}

void exact_free(int count, mpz_t (*entry)[2]) {
    for (int at = 0; at < count; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    free(entry);
}

/* ---- random matrices ---- */

void exact_random_init(exact_random *random, uint64_t seed) {
    base_random_init(&random->small, seed, 0);
    gmp_randinit_default(random->large);
    gmp_randseed_ui(random->large, (unsigned long)seed);
}

void exact_random_free(exact_random *random) {
    gmp_randclear(random->large);
}

static void draw_part(exact_random *random, const exact_family *family, bool keep, mpz_t part) {
    mpz_set_ui(part, 0);
    if (!keep && base_random_uniform(&random->small) >= family->share)
        return;
    if (family->bits == 0)
        mpz_set_ui(part, 1);
    else
        mpz_urandomb(part, random->large, (mp_bitcnt_t)family->bits);
    if (keep)
        mpz_setbit(part, 0);
    if (family->is_signed && base_random_below(&random->small, 2) == 0)
        mpz_neg(part, part);
}

void exact_draw(exact_random *random, const exact_family *family, int n, mpz_t (*entry)[2]) {
    for (int at = 0; at < n * n; at++) {
        draw_part(random, family, family->has_diagonal && at / n == at % n, entry[at][0]);
        mpz_set_ui(entry[at][1], 0);
        if (family->is_complex)
            draw_part(random, family, false, entry[at][1]);
    }
    for (int at = n; family->is_circulant && at < n * n; at++)
        for (int part = 0; part < 2; part++)
            mpz_set(entry[at][part], entry[(at % n + n - at / n) % n][part]);
}

perm_matrix exact_matrix(base_context *context, int n, mpz_t (*entry)[2], mm_field field,
                         const int *row_exponent, const int *column_exponent) {
    perm_matrix matrix;
    int64_t kept = 0;
    if (perm_matrix_alloc(context, n, n * n, field, &matrix) != BASE_OK)
        abort();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            perm_value *to = &matrix.entry[kept];
            mpz_set(to->re, entry[j * n + i][0]);
            mpz_set(to->im, entry[j * n + i][1]);
            perm_value_scale(to, (row_exponent != NULL ? row_exponent[i] : 0) +
                                     (column_exponent != NULL ? column_exponent[j] : 0));
            matrix.index[kept++] = j;
        }
        matrix.start[i + 1] = kept;
    }
    perm_matrix_squeeze(&matrix);
    return matrix;
}

bool exact_is_value(const perm_value *value, mpz_t expected[2], int64_t exponent) {
    perm_value difference;
    perm_value_init(&difference);
    mpz_neg(difference.re, expected[0]);
    mpz_neg(difference.im, expected[1]);
    perm_value_scale(&difference, exponent);
    perm_value_add(&difference, value);
    const perm_bound bound = difference.error;
    difference.error = perm_bound_from_double(0);
    const bool is = perm_value_is_zero(&difference) || perm_bound_at_most(perm_bound_of(&difference), bound);
    perm_value_free(&difference);
    return is;
}

/* ---- permanents ---- */

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
    mpz_t(*entry)[2] = exact_alloc(n * n), whole[2];
    mpq_t number;
    mpq_init(number);
    mpz_inits(whole[0], whole[1], NULL);
    for (int at = 0; at < n * n; at++)
        for (int part = 0; part < 2; part++) {
            mpq_set_d(number, !is_complex ? (part == 0 ? entries[at] : 0) : entries[2 * at + part]);
            exact_scale(number, SHIFT);
            mpz_set(entry[at][part], mpq_numref(number));
        }
    exact_permanent(n, entry, whole);
    for (int part = 0; part < 2; part++) {
        mpq_set_z(result[part], whole[part]);
        exact_scale(result[part], -(int64_t)SHIFT * n);
    }
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clear(number);
    exact_free(n * n, entry);
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
