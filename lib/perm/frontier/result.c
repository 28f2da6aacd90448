/* SPDX-License-Identifier: BSD-3-Clause */
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

static perm_quad unit_of(const perm_numbers *numbers, const void *sum, int64_t unit) {
    return numbers->kind < PERM_FRONTIER_QUAD_REAL ? (perm_quad)((const double *)sum)[unit]
                                                   : ((const perm_quad *)sum)[unit];
}

/* Adds a unit of a sum, or i times it, exactly. Its doubles are taken from a multiple that is far above the
 * range where they would underflow. */
static void add_unit(perm_quad unit, bool imaginary, perm_value *value) {
    const int64_t exponent = perm_quad_lift(&unit);
    perm_value part;
    perm_value_init(&part);
    while (unit != 0) {
        const double leading = (double)unit;
        perm_value_set_complex(&part, imaginary ? 0 : leading, imaginary ? leading : 0);
        perm_value_scale(&part, exponent);
        perm_value_add(value, &part);
        unit -= leading;
    }
    perm_value_free(&part);
}

static perm_bound bound_of_unit(perm_quad unit) {
    const int64_t exponent = perm_quad_lift(&unit);
    perm_bound bound = perm_bound_from_double(fabs((double)unit) * (1 + 1e-12));
    bound.exponent += exponent;
    return bound;
}

static void float_result(const perm_numbers *numbers, const void *sum, int64_t n, perm_value *value) {
    perm_value_set_integer(value, 0);
    add_unit(unit_of(numbers, sum, 0), false, value);
    if (numbers->stride == 3)
        add_unit(unit_of(numbers, sum, 1), true, value);
    /* Along a path, for each row: its entry was converted (2 units, conversion truncates), multiplied (1;
     * complex sqrt 5) and added, at most once for each other entry of the row; complex parts together sqrt 2
     * of that. The absolute sums round likewise, which the last factor covers. */
    double operations = numbers->stride < 3 ? (double)numbers->nnz + 2.0 * (double)n + 16
                                            : 1.5 * (double)numbers->nnz + 6.0 * (double)n + 16;
    value->error = perm_bound_multiply(bound_of_unit(unit_of(numbers, sum, numbers->stride - 1)),
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
