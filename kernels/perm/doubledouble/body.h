/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of kernel.h, included once by the file of each instruction set, after the macros of
 * common/walk_body.h, with DENSE_REAL double-double products in the registers, DENSE_COMPLEX complex ones,
 * and DENSE_FMA and DENSE_FNMA.
 *
 * Cost of a (row, subset) pair: 7 instructions where the row sums are doubles, else 12; complex 34 and 50.
 * Errors, u = 2^-53: a multiplication is off by at most 6 u^2 + O(u^3) of the product (compare Joldes,
 * Muller, Popescu, ACM Transactions on Mathematical Software 44, 2017, algorithm 11): high x is exact as p +
 * e; adding high t, at most u p, and then low x, at most u p, rounds 2 u^2 + 3 u^2, and low t is left out,
 * u^2. Complex ones: ref.c. 16 products are added pairwise, their low parts by plain additions, 28
 * u^2 of the sum of |product| in all; the outer sum keeps three parts and is off by terms in u^3. */
#define DENSE_PARTS 4
#include "perm/common/walk_body.h"

typedef struct state {
    walk walk;
    vector high[2 * GROUPS], middle[2 * GROUPS], low[2 * GROUPS], magnitude[GROUPS]; /* [part][group] */
} state;

typedef struct dd {
    vector high, low;
} dd;

DENSE_INLINE dd two_sum(vector a, vector b) {
    const vector sum = a + b, rest = sum - a;
    return (dd){sum, (a - (sum - rest)) + (b - rest)};
}

/* Where |a| >= |b|, or a is a multiple of b's last place. */
DENSE_INLINE dd fast_two_sum(vector a, vector b) {
    const vector sum = a + b;
    return (dd){sum, b - (sum - a)};
}

DENSE_INLINE dd multiply(dd a, dd x, bool has_low) {
    const vector product = a.high * x.high;
    vector error = DENSE_FMA(a.high, x.high, -product);
    if (has_low)
        error = DENSE_FMA(a.high, x.low, error);
    return fast_two_sum(product, DENSE_FMA(a.low, x.high, error));
}

/* a·x + b·y, or a·x - b·y. */
DENSE_INLINE dd multiply_twice(dd a, dd x, dd b, dd y, bool minus, bool has_low) {
    const dd c = minus ? (dd){-b.high, -b.low} : b;
    const vector first = a.high * x.high, second = c.high * y.high;
    const dd sum = two_sum(first, second);
    vector error = DENSE_FMA(a.high, x.high, -first) + DENSE_FMA(c.high, y.high, -second);
    error = DENSE_FMA(a.low, x.high, DENSE_FMA(c.low, y.high, error));
    if (has_low)
        error = DENSE_FMA(a.high, x.low, DENSE_FMA(c.high, y.low, error));
    return fast_two_sum(sum.high, sum.low + error);
}

/* As multiply_row_real of common/walk_body.h, with two parts in x if `has_low`. */
DENSE_INLINE void multiply_row(const perm_dense_problem *problem, vector *x, const double *step, bool keep,
                               int64_t row, bool has_low, dd *product) {
    const int parts = has_low ? 2 : 1;
    const double *inner = problem->inner + row * parts * PERM_DENSE_INNER;
    vector sum[2][DENSE_REAL] = {{{0}}};
    for (int part = 0; part < parts; part++) {
        sum[part][0] = x[(row * parts + part) * GROUPS] + step[part * problem->n + row];
        if (keep)
            x[(row * parts + part) * GROUPS] = sum[part][0];
    }
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_REAL; k++) {
        for (int part = 0; part < parts && k > 0; part++)
            sum[part][k] = sum[part][k & (k - 1)] + inner[part * PERM_DENSE_INNER + __builtin_ctz(k)];
        const dd factor = has_low ? fast_two_sum(sum[0][k], sum[1][k]) : (dd){sum[0][k], sum[1][k]};
        product[k] = multiply(product[k], factor, has_low);
    }
}

DENSE_INLINE void multiply_rows(const perm_dense_problem *problem, vector *x, const double *step, bool keep,
                                bool has_low, dd *product) {
    dd result[DENSE_REAL];
    DENSE_UNROLL
    for (int k = 0; k < DENSE_REAL; k++)
        result[k] = (dd){(vector){0} + 1, (vector){0}};
    for (int64_t row = 0; row < problem->n; row++)
        multiply_row(problem, x, step, keep, row, has_low, result);
    memcpy(product, result, sizeof result);
}

/* The same of complex numbers: product[2 k] and product[2 k + 1] are the parts of product k. */
DENSE_INLINE void multiply_row_complex(const perm_dense_problem *problem, vector *x, const double *step,
                                       bool keep, int64_t row, bool has_low, dd *product) {
    const int parts = has_low ? 4 : 2;
    const double *inner = problem->inner + row * parts * PERM_DENSE_INNER;
    vector sum[4][DENSE_COMPLEX] = {{{0}}};
    for (int part = 0; part < parts; part++) {
        sum[part][0] = x[(row * parts + part) * GROUPS] + step[part * problem->n + row];
        if (keep)
            x[(row * parts + part) * GROUPS] = sum[part][0];
    }
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_COMPLEX; k++) {
        for (int part = 0; part < parts && k > 0; part++)
            sum[part][k] = sum[part][k & (k - 1)] + inner[part * PERM_DENSE_INNER + __builtin_ctz(k)];
        const dd re = product[2 * k], im = product[2 * k + 1];
        const dd factor_re = has_low ? fast_two_sum(sum[0][k], sum[1][k]) : (dd){sum[0][k], sum[0][k]};
        const dd factor_im = has_low ? fast_two_sum(sum[2][k], sum[3][k]) : (dd){sum[1][k], sum[1][k]};
        product[2 * k] = multiply_twice(re, factor_re, im, factor_im, true, has_low);
        product[2 * k + 1] = multiply_twice(re, factor_im, im, factor_re, false, has_low);
    }
}

/* All parts of product k stand in re[k] and im[k]. */
DENSE_INLINE void multiply_rows_complex(const perm_dense_problem *problem, vector *x, const double *step,
                                        bool keep, bool has_low, dd *re, dd *im) {
    dd result[2 * DENSE_COMPLEX];
    DENSE_UNROLL
    for (int k = 0; k < DENSE_COMPLEX; k++) {
        result[2 * k] = (dd){(vector){0} + 1, (vector){0}};
        result[2 * k + 1] = (dd){(vector){0}, (vector){0}};
    }
    for (int64_t row = 0; row < problem->n; row++)
        multiply_row_complex(problem, x, step, keep, row, has_low, result);
    for (int k = 0; k < DENSE_COMPLEX; k++) {
        re[k] = result[2 * k];
        im[k] = result[2 * k + 1];
    }
}

/* Neighbours first: the signed sum of the 16, and the sum of their sizes. */
DENSE_INLINE void add_products(dd *product, vector *size) {
    for (int count = PRODUCTS / 2, first = 1; count > 0; count /= 2, first = 0)
        for (int k = 0; k < count; k++) {
            const dd a = product[2 * k], b = product[2 * k + 1];
            const dd sum = two_sum(a.high, -b.high);
            size[k] = first ? magnitude(a.high) + magnitude(b.high) : size[2 * k] + size[2 * k + 1];
            product[k] = (dd){sum.high, sum.low + (a.low - b.low)};
        }
}

/* Adds the 16 products to part `part` of the sums. */
DENSE_INLINE void add_part(dd *product, double sign, int part, int group, state *state) {
    const int at = part * GROUPS + group;
    vector size[PRODUCTS / 2];
    add_products(product, size);
    const dd high = two_sum(state->high[at], sign * product[0].high);
    const dd middle = two_sum(state->middle[at], sign * product[0].low);
    const dd carry = two_sum(middle.high, high.low);
    state->high[at] = high.high;
    state->middle[at] = carry.high;
    state->low[at] += middle.low + carry.low;
    state->magnitude[group] += size[0];
}

DENSE_INLINE void add_block_real(const perm_dense_problem *problem, const double *step, double sign,
                                 bool has_low, state *state) {
    for (int group = 0; group < GROUPS; group++) {
        dd product[PRODUCTS];
        multiply_rows(problem, state->walk.x + group, step, true, has_low, product);
        for (int piece = 1; piece < PRODUCTS / DENSE_REAL; piece++)
            multiply_rows(problem, state->walk.x + group, state->walk.offset[piece], false, has_low,
                          product + piece * DENSE_REAL);
        add_part(product, sign, 0, group, state);
    }
}

DENSE_INLINE void add_block_complex(const perm_dense_problem *problem, const double *step, double sign,
                                    bool has_low, state *state) {
    for (int group = 0; group < GROUPS; group++) {
        dd re[PRODUCTS], im[PRODUCTS];
        multiply_rows_complex(problem, state->walk.x + group, step, true, has_low, re, im);
        for (int piece = 1; piece < PRODUCTS / DENSE_COMPLEX; piece++)
            multiply_rows_complex(problem, state->walk.x + group, state->walk.offset[piece], false, has_low,
                                  re + piece * DENSE_COMPLEX, im + piece * DENSE_COMPLEX);
        add_part(re, sign, 0, group, state);
        add_part(im, sign, 1, group, state);
    }
}

static DENSE_TARGET void run(const perm_dense_problem *problem, int64_t first, int64_t count,
                             perm_dd_sums *sums) {
    const int parts = problem->is_complex ? 2 : 1;
    state state;
    memset(state.high, 0, sizeof state.high);
    memset(state.middle, 0, sizeof state.middle);
    memset(state.low, 0, sizeof state.low);
    memset(state.magnitude, 0, sizeof state.magnitude);
    start_lanes(problem, first, &state.walk);
    fill_offsets(problem, problem->is_complex ? DENSE_COMPLEX : DENSE_REAL, &state.walk);
    const double *step = state.walk.offset[0];
    for (int64_t block = first; block < first + count; block++) {
        if (block > first)
            step = find_step(problem, block);
        const double sign = block % 2 != 0 ? -1 : 1;
        if (problem->is_complex && problem->has_low)
            add_block_complex(problem, step, sign, true, &state);
        else if (problem->is_complex)
            add_block_complex(problem, step, sign, false, &state);
        else if (problem->has_low)
            add_block_real(problem, step, sign, true, &state);
        else
            add_block_real(problem, step, sign, false, &state);
    }
    memset(sums, 0, sizeof *sums);
    memcpy(sums->high, state.high, (size_t)parts * sizeof sums->high[0]);
    memcpy(sums->middle, state.middle, (size_t)parts * sizeof sums->middle[0]);
    memcpy(sums->low, state.low, (size_t)parts * sizeof sums->low[0]);
    memcpy(sums->magnitude, state.magnitude, sizeof sums->magnitude);
}
