/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel for exact permanents (kernel.h), included once by the file of each instruction set, after
 * the macros of common/walk_body.h and common/residue_body.h.
 *
 * Cost: the factors take what the products of the dense kernel take, an addition and a multiplication a row;
 * then a subset of G factors has 6 (G - 1) instructions for each prime. */
#include "perm/common/walk_body.h"

#include "perm/common/residue_body.h"

enum { PART = PRODUCTS / 2 }; /* so many residues at a time stay in registers */

typedef struct state {
    walk walk;
    vector factor[PERM_DENSE_LARGEST][PRODUCTS]; /* [group][product] */
    vector sum[PERM_EXACT_MOST_PRIMES][GROUPS];
} state;

DENSE_INLINE void fill_factors(const perm_exact_problem *problem, vector *x, const double *step,
                               state *state) {
    int64_t first = 0;
    for (int64_t g = 0; g < problem->group_count; g++) {
        const int64_t end = problem->group_end[g];
        vector *factor = state->factor[g];
        multiply_real(&problem->sum, x, step, true, first, end, factor);
        for (int piece = 1; piece < PRODUCTS / DENSE_REAL; piece++)
            multiply_real(&problem->sum, x, state->walk.offset[piece], false, first, end,
                          factor + piece * DENSE_REAL);
        first = end;
    }
}

/* The signed sum of products part PART … part PART + PART-1 of all groups. */
DENSE_INLINE vector add_part(const perm_exact_problem *problem, const vector (*factor)[PRODUCTS], int part,
                             modulus modulus) {
    vector product[PART];
    DENSE_UNROLL
    for (int k = 0; k < PART; k++) {
        product[k] = factor[0][part * PART + k];
        if (problem->reduce)
            product[k] = reduce_residue(product[k], modulus);
    }
    for (int64_t g = 1; g < problem->group_count; g++) {
        DENSE_UNROLL
        for (int k = 0; k < PART; k++)
            product[k] = multiply_residues(product[k], factor[g][part * PART + k], modulus);
    }
    return ((product[0] - product[1]) - (product[2] - product[3])) -
           ((product[4] - product[5]) - (product[6] - product[7]));
}

DENSE_INLINE void add_block(const perm_exact_problem *problem, const double *step, double sign,
                            state *state) {
    for (int group = 0; group < GROUPS; group++) {
        fill_factors(problem, state->walk.x + group, step, state);
        for (int64_t p = 0; p < problem->prime_count; p++) {
            const modulus modulus = make_modulus(problem->prime[p]);
            const vector sum =
                add_part(problem, state->factor, 0, modulus) - add_part(problem, state->factor, 1, modulus);
            state->sum[p][group] = reduce_residue(state->sum[p][group] + sign * sum, modulus);
        }
    }
}

static DENSE_TARGET void run(const perm_exact_problem *problem, int64_t first, int64_t count,
                             int64_t *residue) {
    state state;
    memset(state.sum, 0, (size_t)problem->prime_count * sizeof *state.sum);
    start_lanes(&problem->sum, first, &state.walk);
    fill_offsets(&problem->sum, DENSE_REAL, &state.walk);
    const double *step = state.walk.offset[0];
    for (int64_t block = first; block < first + count; block++) {
        if (block > first)
            step = find_step(&problem->sum, block);
        add_block(problem, step, block % 2 != 0 ? -1 : 1, &state);
    }
    for (int64_t p = 0; p < problem->prime_count; p++)
        for (unsigned lane = 0; lane < PERM_DENSE_LANES; lane++) {
            const int64_t value = (int64_t)state.sum[p][lane / DENSE_WIDTH][lane % DENSE_WIDTH];
            add_residue(__builtin_parity(lane) ? -value : value, problem->prime[p], &residue[p]);
        }
}

/* Seconds, if a vector instruction for row sums takes `seconds` and one for residues `residue_seconds`. */
static inline double price(const perm_exact_problem *problem, double seconds, double residue_seconds) {
    const double subsets = perm_dense_units(&problem->sum) / (double)problem->sum.n / DENSE_WIDTH;
    const double rows = (double)problem->group_end[problem->group_count - 1],
                 residues = (double)(problem->group_count - 1) * 6 + (problem->reduce ? 4 : 1);
    return subsets * (2 * rows * seconds + residues * (double)problem->prime_count * residue_seconds);
}
