/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/sum.h"
#include "base/core/memory.h"

#include <stdlib.h>

void perm_sum_init(perm_sum *sum) {
    *sum = (perm_sum){.chunks = 0};
    perm_value_init(&sum->value);
    perm_value_init(&sum->magnitude);
    mpz_init(sum->modulus);
}

void perm_sum_free(perm_sum *sum) {
    if (sum == NULL)
        return;
    free(sum->done);
    perm_value_free(&sum->value);
    perm_value_free(&sum->magnitude);
    mpz_clear(sum->modulus);
}

void perm_sum_share(int64_t chunks, base_part part, int64_t turn, int64_t *first, int64_t *end) {
    *first = 0;
    *end = chunks;
    if (part.count == 0)
        return;
    const __int128 place = (part.index - 1 + turn) % part.count, all = chunks;
    *first = (int64_t)(all * place / part.count);
    *end = (int64_t)(all * (place + 1) / part.count);
}

base_status perm_sum_start(base_context *context, perm_sum *sum, int64_t chunks, base_part part,
                           int64_t turn) {
    perm_sum_free(sum);
    perm_sum_init(sum);
    sum->chunks = chunks;
    perm_sum_share(chunks, part, turn, &sum->first, &sum->end);
    sum->left = sum->end - sum->first;
    sum->done = base_alloc_zero(context, sum->left, 1);
    return sum->done != NULL ? BASE_OK : BASE_MACHINE;
}

static void reduce(perm_sum *sum) {
    if (mpz_sgn(sum->modulus) == 0)
        return;
    mpz_mod(sum->value.re, sum->value.re, sum->modulus);
    mpz_mod(sum->value.im, sum->value.im, sum->modulus);
}

void perm_sum_add(perm_sum *sum, int64_t chunk, const perm_value *value, const perm_value *magnitude) {
    if (sum->done[chunk - sum->first])
        return;
    if (sum->chunks == 1)
        perm_value_copy(&sum->value, value); /* adding would round once more */
    else
        perm_value_add(&sum->value, value);
    if (magnitude != NULL)
        perm_value_add(&sum->magnitude, magnitude);
    reduce(sum);
    sum->done[chunk - sum->first] = 1;
    sum->left--;
}

bool perm_sum_fits(const perm_sum *a, const perm_sum *b) {
    return a->chunks == b->chunks && mpz_cmp(a->modulus, b->modulus) == 0 &&
           a->relative_error == b->relative_error &&
           a->absolute_error.mantissa == b->absolute_error.mantissa &&
           a->absolute_error.exponent == b->absolute_error.exponent;
}

void perm_sum_merge(perm_sum *to, const perm_sum *from) {
    if (from->left == from->end - from->first)
        return;
    if (to->chunks == 1)
        perm_value_copy(&to->value, &from->value);
    else
        perm_value_add(&to->value, &from->value);
    perm_value_add(&to->magnitude, &from->magnitude);
    if (!perm_bound_at_most(from->sample.error, to->sample.error))
        to->sample = from->sample;
    reduce(to);
    for (int64_t chunk = from->first; chunk < from->end; chunk++)
        if (from->done[chunk - from->first] && !to->done[chunk - to->first]) {
            to->done[chunk - to->first] = 1;
            to->left--;
        }
}

bool perm_sum_is_complete(const perm_sum *sum) {
    return sum->left == 0 && sum->first == 0 && sum->end == sum->chunks;
}

static void centre(mpz_t number, const mpz_t modulus) {
    mpz_t twice;
    mpz_init(twice);
    mpz_mul_2exp(twice, number, 1);
    if (mpz_cmp(twice, modulus) > 0)
        mpz_sub(number, number, modulus);
    mpz_clear(twice);
}

/* Powers of two go into the exponent: what is cut off later must not depend on how the sum came about. */
static void normalize(perm_value *value) {
    mp_bitcnt_t re = mpz_sgn(value->re) ? mpz_scan1(value->re, 0) : ~(mp_bitcnt_t)0;
    mp_bitcnt_t im = mpz_sgn(value->im) ? mpz_scan1(value->im, 0) : ~(mp_bitcnt_t)0;
    mp_bitcnt_t shift = re < im ? re : im;
    if (shift == ~(mp_bitcnt_t)0) {
        value->exponent = 0;
        return;
    }
    mpz_tdiv_q_2exp(value->re, value->re, shift);
    mpz_tdiv_q_2exp(value->im, value->im, shift);
    value->exponent += (int64_t)shift;
}

void perm_sum_finish(const perm_sum *sum, perm_value *value) {
    perm_value_copy(value, &sum->value);
    if (mpz_sgn(sum->modulus) != 0) {
        centre(value->re, sum->modulus);
        centre(value->im, sum->modulus);
    }
    if (perm_value_is_exact(value))
        normalize(value);
    if (sum->relative_error > 0)
        value->error =
            perm_bound_multiply(perm_bound_from_double(sum->relative_error), perm_bound_of(&sum->magnitude));
    if (sum->absolute_error.mantissa != 0)
        value->error = perm_bound_add(value->error, sum->absolute_error);
    perm_value_set_estimate(
        value, perm_error_sample_estimate(&sum->sample, sum->relative_error, perm_bound_of(&sum->magnitude)));
    perm_value_round(value);
}
