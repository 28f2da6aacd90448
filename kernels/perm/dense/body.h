/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel for dense permanents (common/problem.h), included once by the file of each instruction set.
 * Before it are defined the macros of common/walk_body.h and
 *
 *     DENSE_COMPLEX    complex products that fit into the registers: 2, 4, 8 or 16
 *     DENSE_FMA(a,b,c) a b + c, and DENSE_FNMA(a,b,c) c - a b, of vectors
 *
 * Cost outside the rows: adding the products and their magnitudes up takes 54 instructions a block, against
 * 32 n in the rows. */
#include "perm/common/walk_body.h"

typedef struct state {
    walk walk;
    vector high[2 * GROUPS], low[2 * GROUPS], magnitude[GROUPS]; /* [part][group] */
} state;

DENSE_INLINE void multiply_row_complex(const double *inner, vector *x, const double *step_re,
                                       const double *step_im, bool keep, int64_t row, bool start, vector *re,
                                       vector *im) {
    vector sum_re[DENSE_COMPLEX], sum_im[DENSE_COMPLEX];
    sum_re[0] = x[2 * row * GROUPS] + step_re[row];
    sum_im[0] = x[(2 * row + 1) * GROUPS] + step_im[row];
    if (keep) {
        x[2 * row * GROUPS] = sum_re[0];
        x[(2 * row + 1) * GROUPS] = sum_im[0];
    }
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_COMPLEX; k++) {
        if (k > 0) {
            const double *column = inner + 2 * row * PERM_DENSE_INNER + __builtin_ctz(k);
            sum_re[k] = sum_re[k & (k - 1)] + column[0];
            sum_im[k] = sum_im[k & (k - 1)] + column[PERM_DENSE_INNER];
        }
        if (start) {
            re[k] = sum_re[k];
            im[k] = sum_im[k];
        } else {
            const vector rx = re[k] * sum_re[k], ry = re[k] * sum_im[k];
            re[k] = DENSE_FNMA(im[k], sum_im[k], rx);
            im[k] = DENSE_FMA(im[k], sum_re[k], ry);
        }
    }
}

DENSE_INLINE void multiply_complex(const perm_dense_problem *problem, vector *x, const double *step,
                                   bool keep, vector *product_re, vector *product_im) {
    const double *step_im = step + problem->n;
    vector re[DENSE_COMPLEX], im[DENSE_COMPLEX];
    multiply_row_complex(problem->inner, x, step, step_im, keep, 0, true, re, im);
    for (int64_t row = 1; row < problem->n; row++)
        multiply_row_complex(problem->inner, x, step, step_im, keep, row, false, re, im);
    memcpy(product_re, re, sizeof re);
    memcpy(product_im, im, sizeof im);
}

/* Adds the 16 products with their signs, pairwise. */
DENSE_INLINE vector add_signed(const vector *product) {
    vector sum[PRODUCTS / 2];
    DENSE_UNROLL
    for (int k = 0; k < PRODUCTS / 2; k++)
        sum[k] = product[2 * k] - product[2 * k + 1];
    return ((sum[0] - sum[1]) - (sum[2] - sum[3])) - ((sum[4] - sum[5]) - (sum[6] - sum[7]));
}

DENSE_INLINE vector add_magnitudes(const vector *size) {
    vector sum[PRODUCTS / 2];
    DENSE_UNROLL
    for (int k = 0; k < PRODUCTS / 2; k++)
        sum[k] = size[2 * k] + size[2 * k + 1];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* high + low gain the value without an error but that of low. */
DENSE_INLINE void two_sum(vector *high, vector *low, vector value) {
    const vector sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

DENSE_INLINE void add_block_real(const perm_dense_problem *problem, const double *step, double sign,
                                 state *state) {
    for (int group = 0; group < GROUPS; group++) {
        vector product[PRODUCTS], size[PRODUCTS];
        multiply_real(problem, state->walk.x + group, step, true, 0, problem->n, product);
        for (int piece = 1; piece < PRODUCTS / DENSE_REAL; piece++)
            multiply_real(problem, state->walk.x + group, state->walk.offset[piece], false, 0, problem->n,
                          product + piece * DENSE_REAL);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++)
            size[k] = magnitude(product[k]);
        two_sum(&state->high[group], &state->low[group], sign * add_signed(product));
        state->magnitude[group] += add_magnitudes(size);
    }
}

DENSE_INLINE void add_block_complex(const perm_dense_problem *problem, const double *step, double sign,
                                    state *state) {
    for (int group = 0; group < GROUPS; group++) {
        vector re[PRODUCTS], im[PRODUCTS], size[PRODUCTS];
        multiply_complex(problem, state->walk.x + group, step, true, re, im);
        for (int piece = 1; piece < PRODUCTS / DENSE_COMPLEX; piece++)
            multiply_complex(problem, state->walk.x + group, state->walk.offset[piece], false,
                             re + piece * DENSE_COMPLEX, im + piece * DENSE_COMPLEX);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++)
            size[k] = magnitude(re[k]) + magnitude(im[k]);
        two_sum(&state->high[group], &state->low[group], sign * add_signed(re));
        two_sum(&state->high[GROUPS + group], &state->low[GROUPS + group], sign * add_signed(im));
        state->magnitude[group] += add_magnitudes(size);
    }
}

static DENSE_TARGET void run(const perm_dense_problem *problem, int64_t first, int64_t count,
                             perm_dense_sums *sums) {
    state state;
    memset(state.high, 0, sizeof state.high);
    memset(state.low, 0, sizeof state.low);
    memset(state.magnitude, 0, sizeof state.magnitude);
    start_lanes(problem, first, &state.walk);
    fill_offsets(problem, problem->is_complex ? DENSE_COMPLEX : DENSE_REAL, &state.walk);
    const double *step = state.walk.offset[0];
    for (int64_t block = first; block < first + count; block++) {
        if (block > first)
            step = find_step(problem, block);
        const double sign = block % 2 != 0 ? -1 : 1;
        if (problem->is_complex)
            add_block_complex(problem, step, sign, &state);
        else
            add_block_real(problem, step, sign, &state);
    }
    memcpy(sums->high, state.high, sizeof sums->high);
    memcpy(sums->low, state.low, sizeof sums->low);
    memcpy(sums->magnitude, state.magnitude, sizeof sums->magnitude);
}
