/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel for all minors (kernel.h), included once by the file of each instruction set after it
 * defined
 *
 *     DENSE_TARGET     the function attribute that turns the instructions on, or nothing
 *     DENSE_WIDTH      doubles in a vector: 2, 4 or 8
 *     DENSE_FMA(a,b,c) a b + c, and DENSE_FNMA(a,b,c) c - a b, of vectors
 *
 * Cost for a (row, subset) pair: two additions for x, made twice, three multiplications (the product of the
 * rows before, of those behind, of both), and about four additions into the sums. A column that changes from
 * block to block needs no sum of its own in each block: what the total has gained since its sign changed last
 * is added when it changes again. */
#include "perm/common/vector_body.h"

#include <string.h>

enum { GROUPS = PERM_MINORS_LANES / DENSE_WIDTH, PRODUCTS = 1 << PERM_MINORS_INNER };

#include "perm/common/residue_body.h"

/* Of one group of lanes. */
typedef struct state {
    const perm_minors_problem *problem;
    modulus modulus;
    vector x[PERM_DENSE_LARGEST]; /* with the inner signs -1 */
    vector before[PERM_DENSE_LARGEST][PRODUCTS];
    vector total[PERM_DENSE_LARGEST], inner[PERM_MINORS_INNER][PERM_DENSE_LARGEST],
        middle[PERM_MINORS_MOST_MIDDLE][PERM_DENSE_LARGEST]; /* of a run */
    vector *high, *low, *magnitude;                          /* of all runs, GROUPS apart */
} state;

DENSE_INLINE vector absolute(vector value) {
    return (vector)((vector_bits)value & INT64_MAX);
}

DENSE_INLINE vector multiply(vector a, vector b, modulus modulus, const bool EXACT) {
    return EXACT ? multiply_residues(a, b, modulus) : a * b;
}

DENSE_INLINE vector reduce(vector value, modulus modulus, const bool EXACT) {
    return EXACT ? reduce_residue(value, modulus) : value;
}

/* x of the block before the first one, to which the first one adds nothing. */
DENSE_INLINE void start_group(int64_t block, int group, state *state) {
    const perm_dense_problem *sum = &state->problem->sum;
    const int64_t gray = block ^ block >> 1;
    for (int64_t row = 0; row < sum->n; row++) {
        double x = sum->start[row], lane_x[DENSE_WIDTH];
        for (int64_t k = 0; k < sum->n - 1 - PERM_MINORS_FIRST; k++)
            if (gray >> k & 1)
                x += sum->up[(PERM_MINORS_FIRST + k) * sum->n + row];
        for (int at = 0; at < DENSE_WIDTH; at++) {
            const int lane = group * DENSE_WIDTH + at;
            lane_x[at] = x;
            for (int k = 0; k < 3; k++)
                if (lane >> k & 1)
                    lane_x[at] += sum->up[(PERM_MINORS_INNER + k) * sum->n + row];
        }
        memcpy(&state->x[row], lane_x, sizeof lane_x);
    }
}

/* x for every choice of the inner signs. */
DENSE_INLINE void fill_inner(const double *inner, vector x, vector all[PRODUCTS]) {
    all[0] = x;
    all[1] = x + inner[0];
    all[2] = x + inner[1];
    all[3] = all[1] + inner[1];
}

DENSE_INLINE void multiply_forward(const double *step, state *state, const bool EXACT) {
    const perm_dense_problem *sum = &state->problem->sum;
    const vector zero = {0};
    vector product[PRODUCTS], x[PRODUCTS];
    for (int k = 0; k < PRODUCTS; k++)
        product[k] = zero + 1;
    for (int64_t row = 0; row < sum->n; row++) {
        state->x[row] += step[row];
        fill_inner(sum->inner + row * PERM_DENSE_INNER, state->x[row], x);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++) {
            state->before[row][k] = product[k];
            product[k] = multiply(product[k], x[k], state->modulus, EXACT);
        }
    }
}

DENSE_INLINE void add_row(const vector q[PRODUCTS], int64_t row, state *state, const bool EXACT) {
    const vector low = q[0] + q[1], high = q[2] + q[3], first = (q[1] - q[0]) + (q[3] - q[2]);
    state->total[row] = reduce(state->total[row] + (low + high), state->modulus, EXACT);
    state->inner[0][row] = reduce(state->inner[0][row] + first, state->modulus, EXACT);
    state->inner[1][row] = reduce(state->inner[1][row] + (high - low), state->modulus, EXACT);
    if (!EXACT)
        state->magnitude[row * GROUPS] +=
            (absolute(q[0]) + absolute(q[1])) + (absolute(q[2]) + absolute(q[3]));
}

DENSE_INLINE void multiply_backward(double sign, state *state, const bool EXACT) {
    const perm_dense_problem *sum = &state->problem->sum;
    const vector zero = {0};
    vector behind[PRODUCTS], x[PRODUCTS], q[PRODUCTS];
    behind[0] = behind[3] = zero + sign;
    behind[1] = behind[2] = zero - sign;
    for (int64_t row = sum->n - 1; row >= 0; row--) {
        fill_inner(sum->inner + row * PERM_DENSE_INNER, state->x[row], x);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++) {
            q[k] = multiply(state->before[row][k], behind[k], state->modulus, EXACT);
            behind[k] = multiply(behind[k], x[k], state->modulus, EXACT);
        }
        add_row(q, row, state, EXACT);
    }
}

/* A column of the run changes to d: with the sign that it had, it has met what the total had before. */
DENSE_INLINE void change_middle(int bit, double d, state *state, const bool EXACT) {
    for (int64_t row = 0; row < state->problem->sum.n; row++)
        state->middle[bit][row] =
            reduce(state->middle[bit][row] - 2 * d * state->total[row], state->modulus, EXACT);
}

/* high + low gain the value without an error but that of low. */
DENSE_INLINE void add_to(vector *high, vector *low, vector value, modulus modulus, const bool EXACT) {
    const vector sum = *high + value, rest = sum - *high;
    if (!EXACT)
        *low += (*high - (sum - rest)) + (value - rest);
    *high = reduce(sum, modulus, EXACT);
}

/* Adds `factor` times what all runs have so far to the sums of a column above. */
DENSE_INLINE void add_totals(int64_t column, double factor, state *state, const bool EXACT) {
    const int64_t n = state->problem->sum.n;
    for (int64_t row = 0; row < n; row++) {
        const int64_t at = (column * n + row) * GROUPS, total = ((n - 1) * n + row) * GROUPS;
        add_to(&state->high[at], &state->low[at], factor * state->high[total], state->modulus, EXACT);
        if (!EXACT)
            state->low[at] += factor * state->low[total];
    }
}

DENSE_INLINE void add_run_to(int64_t column, vector *run, state *state, const bool EXACT) {
    const vector zero = {0};
    const int64_t n = state->problem->sum.n;
    for (int64_t row = 0; row < n; row++) {
        const int64_t at = (column * n + row) * GROUPS;
        add_to(&state->high[at], &state->low[at], run[row], state->modulus, EXACT);
        run[row] = zero;
    }
}

/* Adds a run that ends with the signs of `gray`. */
DENSE_INLINE void finish_run(int64_t gray, state *state, const bool EXACT) {
    const int64_t n = state->problem->sum.n;
    for (int bit = 0; bit < state->problem->middle; bit++) {
        const double d = gray >> bit & 1 ? 1 : -1;
        for (int64_t row = 0; row < n; row++)
            state->middle[bit][row] += d * state->total[row];
        add_run_to(PERM_MINORS_FIRST + bit, state->middle[bit], state, EXACT);
    }
    for (int k = 0; k < PERM_MINORS_INNER; k++)
        add_run_to(k, state->inner[k], state, EXACT);
    add_run_to(n - 1, state->total, state, EXACT);
}

/* The column that changes to block `block`; gives what x gains. */
DENSE_INLINE const double *change_column(int64_t block, state *state, const bool EXACT) {
    const perm_minors_problem *problem = state->problem;
    const int bit = __builtin_ctzll((uint64_t)block);
    const int64_t column = PERM_MINORS_FIRST + bit;
    const bool up = (block ^ block >> 1) >> bit & 1;
    const double d = up ? 1 : -1;
    if (bit < problem->middle)
        change_middle(bit, d, state, EXACT);
    else
        add_totals(column, -2 * d, state, EXACT);
    return (up ? problem->sum.up : problem->sum.down) + column * problem->sum.n;
}

DENSE_INLINE void run_group(int64_t first, int64_t count, int group, state *state, const bool EXACT) {
    static const double none[PERM_DENSE_LARGEST] = {0};
    const perm_minors_problem *problem = state->problem;
    const int64_t end = (first + count) << problem->middle, mask = (INT64_C(1) << problem->middle) - 1;
    const int64_t last = (end - 1) ^ (end - 1) >> 1;
    const double *step = none;
    first <<= problem->middle;
    start_group(first, group, state);
    for (int64_t block = first; block < end; block++) {
        if (block > first)
            step = change_column(block, state, EXACT);
        multiply_forward(step, state, EXACT);
        multiply_backward(block % 2 != 0 ? -1 : 1, state, EXACT);
        if ((block & mask) == mask)
            finish_run(block ^ block >> 1, state, EXACT);
    }
    for (int64_t bit = problem->middle; PERM_MINORS_FIRST + bit < problem->sum.n - 1; bit++)
        add_totals(PERM_MINORS_FIRST + bit, last >> bit & 1 ? 1 : -1, state, EXACT);
}

DENSE_INLINE void run_groups(const perm_minors_problem *problem, int64_t first, int64_t count,
                             perm_minors_sums *sums, const bool EXACT) {
    const int64_t n = problem->sum.n, bytes = n * PERM_MINORS_LANES * (int64_t)sizeof(double);
    state state;
    memset(&state, 0, sizeof state);
    memset(sums->high, 0, (size_t)(bytes * n));
    memset(sums->low, 0, (size_t)(bytes * n));
    memset(sums->magnitude, 0, (size_t)bytes);
    state.problem = problem;
    state.modulus = make_modulus(EXACT ? problem->prime : 1);
    for (int group = 0; group < GROUPS; group++) {
        state.high = (vector *)sums->high + group;
        state.low = (vector *)sums->low + group;
        state.magnitude = (vector *)sums->magnitude + group;
        run_group(first, count, group, &state, EXACT);
    }
}

static DENSE_TARGET void run(const perm_minors_problem *problem, int64_t first, int64_t count,
                             perm_minors_sums *sums) {
    if (problem->prime != 0)
        run_groups(problem, first, count, sums, true);
    else
        run_groups(problem, first, count, sums, false);
}
