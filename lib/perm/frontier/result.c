/* What the sums of a frontier kernel mean. */
#include "perm/frontier/load.h"
#include <math.h>

bool perm_frontier_is_residue(const perm_value *residue, const perm_value *value) {
    const int64_t shift = value->exponent - residue->exponent;
    mpz_t difference, prime;
    mpz_init(difference);
    mpz_init_set_ui(prime, (UINT64_C(1) << 61) - 1);
    /* 2^61 is 1, so a negative power of two is a positive one. */
    mpz_mul_2exp(difference, value->re, (mp_bitcnt_t)((shift % 61 + 61) % 61));
    mpz_sub(difference, difference, residue->re);
    const bool same = mpz_divisible_p(difference, prime) != 0;
    mpz_clear(prime);
    mpz_clear(difference);
    return same;
}

/* A sum of the floating-point kinds as three doubles. */
static void split(const perm_numbers *numbers, const void *sum, int64_t unit, double part[3]) {
    if (numbers->kind < PERM_FRONTIER_QUAD_REAL) {
        part[0] = ((const double *)sum)[unit];
        part[1] = part[2] = 0;
        return;
    }
    perm_quad rest = ((const perm_quad *)sum)[unit];
    for (int i = 0; i < 3; i++) {
        part[i] = (double)rest;
        rest -= part[i];
    }
}

static void float_result(const perm_numbers *numbers, const void *sum, int64_t n, perm_value *value) {
    perm_value part;
    double re[3], im[3] = {0}, size[3];
    split(numbers, sum, 0, re);
    split(numbers, sum, numbers->stride - 1, size);
    if (numbers->stride == 3)
        split(numbers, sum, 1, im);
    perm_value_init(&part);
    perm_value_set_integer(value, 0);
    for (int i = 0; i < 3; i++) {
        perm_value_set_complex(&part, re[i], im[i]);
        perm_value_add(value, &part);
    }
    perm_value_free(&part);
    /* Along a path, for each line: its entry was converted (2 units, conversion truncates), multiplied (1;
     * complex sqrt 5) and added, at most once for each other entry of the line; complex parts together sqrt 2
     * of that. The absolute sums round likewise, which the last factor covers. */
    double operations = numbers->stride < 3 ? (double)numbers->nnz + 2.0 * (double)n + 16
                                            : 1.5 * (double)numbers->nnz + 6.0 * (double)n + 16;
    value->error = perm_bound_multiply(perm_bound_from_double(fabs(size[0]) * (1 + 1e-12)),
                                       perm_bound_from_double(operations * numbers->unit * (1 + 1e-6)));
}

void perm_numbers_result(const perm_numbers *numbers, const void *sum, int64_t n, perm_value *value) {
    if (numbers->unit != 0) {
        float_result(numbers, sum, n, value);
        return;
    }
    perm_value_set_integer(value, 0);
    const uint64_t *word = sum;
    for (int i = 0; i < (numbers->kind == PERM_FRONTIER_COMPLEX_LIMBS ? 2 : 1); i++) {
        mpz_ptr part = i ? value->im : value->re;
        const uint64_t *words = word + i * numbers->limbs;
        mpz_import(part, (size_t)numbers->limbs, -1, sizeof *words, 0, 0, words);
        if (words[numbers->limbs - 1] >> 63) {
            mpz_t power;
            mpz_init_set_ui(power, 1);
            mpz_mul_2exp(power, power, (mp_bitcnt_t)(64 * numbers->limbs));
            mpz_sub(part, part, power);
            mpz_clear(power);
        }
    }
}
