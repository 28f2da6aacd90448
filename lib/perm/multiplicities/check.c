/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of multiplicities.h modulo a prime: each term from its digits, without a term before it. */
#include "base/core/memory.h"
#include "perm/multiplicities/multiplicities.h"

#include <stdlib.h>
#include <string.h>

static const int64_t prime = (INT64_C(1) << 61) - 1;

typedef struct pair {
    int64_t re, im; /* modulo the prime; i is a formal root of -1 */
} pair;

static int64_t multiply(int64_t a, int64_t b) {
    return (int64_t)((unsigned __int128)a * (unsigned __int128)b % (unsigned __int128)prime);
}

static int64_t add(int64_t a, int64_t b) {
    return (a + b) % prime; /* both below 2^61 */
}

static int64_t residue_of(const mpz_t integer) {
    return (int64_t)mpz_fdiv_ui(integer, (unsigned long)prime);
}

static pair multiply_pairs(pair a, pair b) {
    return (pair){add(multiply(a.re, b.re), prime - multiply(a.im, b.im)),
                  add(multiply(a.re, b.im), multiply(a.im, b.re))};
}

static pair power(pair base, int64_t exponent) {
    pair result = {1, 0};
    for (; exponent > 0; exponent >>= 1, base = multiply_pairs(base, base))
        if (exponent & 1)
            result = multiply_pairs(result, base);
    return result;
}

typedef struct check {
    const perm_multiplicities *multiplicities;
    pair *entry;                     /* column by column */
    int64_t *digit, *times, *weight; /* by column: v, c - 2 v and the binomial of the term */
} check;

static base_status init_check(base_context *context, const perm_multiplicities *multiplicities, check *c) {
    const int64_t count = multiplicities->nrow * multiplicities->ncol;
    c->multiplicities = multiplicities;
    c->entry = base_alloc_zero(context, count, sizeof *c->entry);
    c->digit = base_alloc(context, multiplicities->ncol, sizeof *c->digit);
    c->times = base_alloc(context, multiplicities->ncol, sizeof *c->times);
    c->weight = base_alloc(context, multiplicities->ncol, sizeof *c->weight);
    if (c->entry == NULL || c->digit == NULL || c->times == NULL || c->weight == NULL)
        return BASE_MACHINE;
    for (int64_t at = 0; at < count; at++) {
        c->entry[at].re = residue_of(multiplicities->part[0][at]);
        c->entry[at].im = multiplicities->is_complex ? residue_of(multiplicities->part[1][at]) : 0;
    }
    for (int64_t j = 0; j < multiplicities->ncol; j++)
        c->digit[j] = -1;
    return BASE_OK;
}

static void free_check(check *c) {
    free(c->entry);
    free(c->digit);
    free(c->times);
    free(c->weight);
}

/* The digits of a term (run.c); binomials of those that changed. Whether their sum is odd. */
static bool set_digits(check *c, int64_t term, mpz_t binomial) {
    const perm_multiplicities *multiplicities = c->multiplicities;
    bool is_odd = false;
    for (int64_t j = 0; j < multiplicities->ncol; j++) {
        const int64_t radix = multiplicities->radix[j], count = multiplicities->column_count[j],
                      low = term % radix;
        term /= radix;
        const int64_t digit = term % 2 != 0 ? radix - 1 - low : low;
        is_odd ^= digit % 2 != 0;
        if (digit == c->digit[j])
            continue;
        c->digit[j] = digit;
        c->times[j] = (count - 2 * digit + prime) % prime;
        mpz_bin_uiui(binomial, (unsigned long)count, (unsigned long)digit);
        c->weight[j] = residue_of(binomial);
        if (j == multiplicities->ncol - 1 && 2 * digit != count)
            c->weight[j] = add(c->weight[j], c->weight[j]);
    }
    return is_odd;
}

static pair compute_term(check *c, int64_t term, mpz_t binomial) {
    const perm_multiplicities *multiplicities = c->multiplicities;
    pair product = {set_digits(c, term, binomial) ? prime - 1 : 1, 0};
    for (int64_t j = 0; j < multiplicities->ncol; j++)
        product.re = multiply(product.re, c->weight[j]);
    for (int64_t i = 0; i < multiplicities->nrow; i++) {
        pair x = {0, 0};
        for (int64_t j = 0; j < multiplicities->ncol; j++) {
            const pair entry = c->entry[j * multiplicities->nrow + i];
            x.re = add(x.re, multiply(c->times[j], entry.re));
            x.im = add(x.im, multiply(c->times[j], entry.im));
        }
        product = multiply_pairs(product, power(x, multiplicities->row_count[i]));
    }
    return product;
}

base_status perm_multiplicities_check(base_context *context, const perm_multiplicities *multiplicities,
                                      int64_t chunk, const int64_t *word, bool *agrees) {
    const int64_t first = chunk * multiplicities->chunk_terms, left = (int64_t)multiplicities->terms - first;
    const int64_t end = first + (left < multiplicities->chunk_terms ? left : multiplicities->chunk_terms);
    const int64_t limbs = multiplicities->word_count / (multiplicities->is_complex ? 2 : 1) - 1;
    base_status status;
    pair sum = {0, 0};
    check c = {.multiplicities = NULL};
    mpz_t integer;
    mpz_init(integer);
    BASE_TRY(init_check(context, multiplicities, &c));
    for (int64_t term = first; term < end; term++) {
        const pair more = compute_term(&c, term, integer);
        sum = (pair){add(sum.re, more.re), add(sum.im, more.im)};
    }
    *agrees = true;
    for (int part = 0; part <= multiplicities->is_complex; part++, word += 1 + limbs) {
        mpz_import(integer, (size_t)limbs, -1, sizeof *word, 0, 0, word + 1);
        if (word[0] < 0)
            mpz_neg(integer, integer);
        *agrees = *agrees && residue_of(integer) == (part == 0 ? sum.re : sum.im);
    }
done:
    mpz_clear(integer);
    free_check(&c);
    return status;
}
