/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel for exact permanents (kernel.h) of small integers that skips the subsets where some row
 * sum is 0, included once by the file of each instruction set, after the macros of common/residue_body.h and
 *
 *     DENSE_TARGET       the function attribute that turns the instructions on
 *     DENSE_WIDTH        doubles in a vector: 4 or 8
 *     SIEVE_REAL         vectors of bytes that fit into the registers: 8 or 16
 *     SIEVE_MIN(a, b)    the lesser of two vectors of unsigned bytes
 *     SIEVE_MASK(a)      uint64_t: the bytes that are not 0
 *     SIEVE_DOUBLES(p)   the DENSE_WIDTH signed bytes at p, 8 of which may be read, as doubles
 *     SIEVE_LOW(k, a, b), SIEVE_HIGH(k, a, b)   the units of k bits in the lower and higher halves of each
 *                        16 bytes of a and b, in turn
 *
 * A sieve goes over bytes: x of 8 DENSE_WIDTH subsets in a vector, an addition and a minimum a row; the least
 * byte is 0 where the product is. Rows whose sums are always odd are left out. Then, for each subset that is
 * left, the x of all rows are the sum of three vectors of bytes, by the columns of the block, the lane and
 * the inner ones, and one byte more for the sign. Batches of them are transposed, so that lanes are subsets
 * again, and multiplied, first in doubles and then modulo the primes; about 40 instructions for each.
 *
 * A block of the sieve is 8 blocks of common/problem.h: columns 4 to 9 make the lanes. */
#include "perm/common/vector_body.h"

#include <string.h>

enum {
    BYTES = 8 * DENSE_WIDTH, /* of a vector */
    LANES = 64,
    GROUPS = LANES / BYTES,
    LOG2_LANES = 6,
    FIRST = PERM_DENSE_INNER + LOG2_LANES, /* first column of the blocks */
    LOG2_BLOCKS = FIRST - PERM_DENSE_FIRST,
    PRODUCTS = 1 << PERM_DENSE_INNER,
    ROWS = 64,
    PART = 8,
    BATCH = PART * DENSE_WIDTH, /* subsets that are multiplied together */
    SMALLEST = FIRST + 2
};

_Static_assert(PERM_EXACT_RUN == 1 << LOG2_BLOCKS, "whole blocks of the sieve");

typedef uint8_t bytes __attribute__((vector_size(8 * DENSE_WIDTH)));

#include "perm/common/residue_body.h"

typedef struct state {
    int64_t rows, sieve_rows;
    int64_t row[ROWS];                                        /* of the sieve */
    bytes x[ROWS][GROUPS];                                    /* [row of the sieve][group] */
    bytes inner[ROWS][PERM_DENSE_INNER];                      /* steps of the inner columns */
    int8_t step[2][ROWS][ROWS];                               /* [up][column][row], 0 behind the rows */
    int8_t of_block[ROWS] __attribute__((aligned(64)));       /* x of lane 0 and inner columns 0 … */
    int8_t of_lane[LANES][ROWS] __attribute__((aligned(64))); /* … and what others have more */
    int8_t of_inner[PRODUCTS][ROWS] __attribute__((aligned(64)));
    int64_t waiting;
    int8_t waiting_x[BATCH][ROWS] __attribute__((aligned(64)));
    int64_t place[ROWS]; /* of a row in a transposed batch, see transpose */
    vector sum[PERM_EXACT_MOST_PRIMES];
} state;

static void add_bytes(int8_t *to, const int8_t *a, const int8_t *b) {
    for (int row = 0; row < ROWS; row++)
        to[row] = (int8_t)(a[row] + b[row]);
}

static void start_tables(const perm_exact_problem *problem, int64_t first, state *state) {
    const perm_dense_problem *sum = &problem->sum;
    const uint64_t gray = (uint64_t)(first ^ first >> 1);
    memset(state, 0, sizeof *state);
    state->rows = problem->group_end[problem->group_count - 1];
    /* A sum whose start is odd and whose changes are all even is odd in every subset: it is never 0. */
    for (int64_t row = 0; row < state->rows; row++) {
        bool may_vanish = (int64_t)sum->start[row] % 2 == 0;
        for (int64_t column = 0; column < sum->n - 1; column++) {
            const double step = sum->up[column * sum->n + row];
            state->step[1][column][row] = (int8_t)(int64_t)step;
            state->step[0][column][row] = (int8_t)(int64_t)-step;
            may_vanish = may_vanish || (int64_t)step % 2 != 0;
        }
        state->of_block[row] = (int8_t)sum->start[row];
        if (may_vanish)
            state->row[state->sieve_rows++] = row;
    }
    /* A subset's sum is that of the subset without its lowest column, and this column's step. */
    for (unsigned lane = 1; lane < LANES; lane++)
        add_bytes(state->of_lane[lane], state->of_lane[lane & (lane - 1)],
                  state->step[1][PERM_DENSE_INNER + __builtin_ctz(lane)]);
    for (unsigned k = 1; k < PRODUCTS; k++)
        add_bytes(state->of_inner[k], state->of_inner[k & (k - 1)], state->step[1][__builtin_ctz(k)]);
    for (int64_t column = FIRST; column < sum->n - 1; column++)
        if (gray >> (column - FIRST) & 1)
            add_bytes(state->of_block, state->of_block, state->step[1][column]);
}

static void start_sieve(state *state) {
    for (int64_t at = 0; at < state->sieve_rows; at++) {
        const int64_t row = state->row[at];
        int8_t x[LANES];
        for (int lane = 0; lane < LANES; lane++)
            x[lane] = (int8_t)(state->of_block[row] + state->of_lane[lane][row]);
        memcpy(state->x[at], x, sizeof x);
        for (int k = 0; k < PERM_DENSE_INNER; k++)
            memset(&state->inner[at][k], state->step[1][k][row], sizeof state->inner[at][k]);
    }
}

/* The x of 8 subsets: those of row r stand side by side at place[r]. */
DENSE_INLINE void transpose(int8_t (*x)[ROWS], int8_t *to) {
    /* Three rounds interleave units of 1, 2 and 4 bytes: then the bytes of one row of all 8 subsets adjoin.
     */
    for (int set = 0; set < ROWS / BYTES; set++) {
        bytes a[8], b[8];
        DENSE_UNROLL
        for (int k = 0; k < 8; k++)
            a[k] = *(const bytes *)(x[k] + set * BYTES);
        DENSE_UNROLL
        for (int k = 0; k < 4; k++) {
            b[k] = SIEVE_LOW(8, a[2 * k], a[2 * k + 1]);
            b[4 + k] = SIEVE_HIGH(8, a[2 * k], a[2 * k + 1]);
        }
        DENSE_UNROLL
        for (int k = 0; k < 4; k++) {
            const int from = k / 2 * 4 + k % 2 * 2;
            a[k / 2 * 4 + k % 2] = SIEVE_LOW(16, b[from], b[from + 1]);
            a[k / 2 * 4 + 2 + k % 2] = SIEVE_HIGH(16, b[from], b[from + 1]);
        }
        DENSE_UNROLL
        for (int k = 0; k < 4; k++) {
            ((bytes *)to)[set * 8 + 2 * k] = SIEVE_LOW(32, a[2 * k], a[2 * k + 1]);
            ((bytes *)to)[set * 8 + 2 * k + 1] = SIEVE_HIGH(32, a[2 * k], a[2 * k + 1]);
        }
    }
}

/* Where the rounds of `transpose` leave a row: bits 1, 2 and 3 of its number become the vector, bit 0 the
 * half of 16 bytes, and the bits above choose the 16 bytes and the set. */
static void fill_places(state *state) {
    for (int64_t row = 0; row < ROWS; row++)
        state->place[row] = row / BYTES * 8 * BYTES +
                            (row / 2 % 2 + row / 4 % 2 * 2 + row / 8 % 2 * 4) * BYTES +
                            row / 16 % (BYTES / 16) * 16 + row % 2 * 8;
}

/* The products over the groups of rows of a batch; the signs join the last group. */
DENSE_INLINE void fill_factors(const perm_exact_problem *problem, state *state, vector (*factor)[PART]) {
    int8_t x[8 * ROWS + 8] __attribute__((aligned(64)));
    for (int at = 0; at < BATCH; at += DENSE_WIDTH) {
        int64_t row = 0;
        if (at % 8 == 0)
            transpose(state->waiting_x + at, x);
        const int8_t *first = x + at % 8;
        for (int64_t g = 0; g < problem->group_count; g++) {
            vector product = SIEVE_DOUBLES(first + state->place[row++]);
            for (; row < problem->group_end[g]; row++)
                product *= SIEVE_DOUBLES(first + state->place[row]);
            factor[g][at / DENSE_WIDTH] = product;
        }
        factor[problem->group_count - 1][at / DENSE_WIDTH] *= SIEVE_DOUBLES(first + state->place[row]);
    }
}

/* Adds the residues of a batch to the sums. Subsets that the batch lacks are all zeros, as is their product.
 */
static DENSE_TARGET void flush(const perm_exact_problem *problem, state *state) {
    vector factor[ROWS][PART];
    memset(state->waiting_x[state->waiting], 0, (size_t)(BATCH - state->waiting) * ROWS);
    fill_factors(problem, state, factor);
    for (int64_t p = 0; p < problem->prime_count; p++) {
        const modulus modulus = make_modulus(problem->prime[p]);
        vector product[PART];
        memcpy(product, factor[0], sizeof product);
        for (int64_t g = 1; g < problem->group_count; g++) {
            DENSE_UNROLL
            for (int k = 0; k < PART; k++)
                product[k] = multiply_residues(product[k], factor[g][k], modulus);
        }
        const vector sum = ((product[0] + product[1]) + (product[2] + product[3])) +
                           ((product[4] + product[5]) + (product[6] + product[7]));
        state->sum[p] = reduce_residue(state->sum[p] + sum, modulus);
    }
    state->waiting = 0;
}

DENSE_INLINE void take_subset(const perm_exact_problem *problem, unsigned k, unsigned lane, bool negative,
                              state *state) {
    int8_t *x = state->waiting_x[state->waiting];
    for (int64_t row = 0; row < ROWS; row += BYTES)
        *(bytes *)(x + row) = *(const bytes *)(state->of_block + row) +
                              *(const bytes *)(state->of_lane[lane] + row) +
                              *(const bytes *)(state->of_inner[k] + row);
    x[state->rows] = negative ? -1 : 1;
    if (++state->waiting == BATCH)
        flush(problem, state);
}

/* The least byte over all rows, for one group of lanes and SIEVE_REAL subsets of the inner columns. As
 * unsigned bytes all but 0 are at least 1: the least byte is 0 exactly where a row's sum is. */
DENSE_INLINE void sieve_piece(const state *state, int group, unsigned piece, bytes *least) {
    bytes result[SIEVE_REAL];
    DENSE_UNROLL
    for (int k = 0; k < SIEVE_REAL; k++)
        result[k] = (bytes){0} - 1;
    for (int64_t at = 0; at < state->sieve_rows; at++) {
        bytes x[SIEVE_REAL];
        x[0] = state->x[at][group];
        for (unsigned rest = piece * SIEVE_REAL; rest != 0; rest &= rest - 1)
            x[0] += state->inner[at][__builtin_ctz(rest)];
        DENSE_UNROLL
        for (unsigned k = 0; k < SIEVE_REAL; k++) {
            if (k > 0)
                x[k] = x[k & (k - 1)] + state->inner[at][__builtin_ctz(k)];
            result[k] = SIEVE_MIN(result[k], x[k]);
        }
    }
    memcpy(least, result, sizeof result);
}

static DENSE_TARGET void add_block(const perm_exact_problem *problem, bool negative, state *state) {
    for (int group = 0; group < GROUPS; group++)
        for (unsigned piece = 0; piece < PRODUCTS / SIEVE_REAL; piece++) {
            bytes least[SIEVE_REAL];
            sieve_piece(state, group, piece, least);
            for (unsigned k = 0; k < SIEVE_REAL; k++)
                for (uint64_t left = SIEVE_MASK(least[k]); left != 0; left &= left - 1) {
                    const unsigned lane = (unsigned)(group * BYTES + __builtin_ctzll(left));
                    const unsigned inner = piece * SIEVE_REAL + k;
                    /* Lanes are columns 4 to 9: shifted, they share no bit with the inner ones, and the
                     * parity of both is the sign (-1)^|subset|. */
                    take_subset(problem, inner, lane, negative ^ __builtin_parity(inner ^ lane << 4), state);
                }
        }
}

static DENSE_TARGET void next_block(int64_t block, state *state) {
    /* Gray code: from block - 1 to block one column changes, the one of the lowest bit set in block. */
    const int64_t bit = __builtin_ctzll((uint64_t)block);
    const int8_t *step = state->step[(block ^ block >> 1) >> bit & 1][FIRST + bit];
    add_bytes(state->of_block, state->of_block, step);
    for (int64_t at = 0; at < state->sieve_rows; at++)
        for (int group = 0; group < GROUPS; group++)
            state->x[at][group] += (uint8_t)step[state->row[at]];
}

static DENSE_TARGET void run(const perm_exact_problem *problem, int64_t first, int64_t count,
                             int64_t *residue) {
    state state;
    start_tables(problem, first >> LOG2_BLOCKS, &state);
    start_sieve(&state);
    fill_places(&state);
    for (int64_t block = first >> LOG2_BLOCKS; block < (first + count) >> LOG2_BLOCKS; block++) {
        if (block > first >> LOG2_BLOCKS)
            next_block(block, &state);
        add_block(problem, block % 2 != 0, &state);
    }
    flush(problem, &state);
    for (int64_t p = 0; p < problem->prime_count; p++)
        for (int lane = 0; lane < DENSE_WIDTH; lane++)
            add_residue((int64_t)state.sum[p][lane], problem->prime[p], &residue[p]);
}

/* Seconds, if the sieve takes `row_seconds` for a row of a subset and a subset that is left takes
 * `subset_seconds`; 0 if the kernel does not fit. */
static double price(const perm_exact_problem *problem, double row_seconds, double subset_seconds) {
    if (!problem->is_small || problem->reduce || problem->sum.n < SMALLEST || problem->zeros == 0)
        return 0;
    const double subsets = perm_dense_units(&problem->sum) / (double)problem->sum.n;
    return subsets * ((double)problem->sum.n * row_seconds +
                      (1 - problem->zeros) * subset_seconds *
                          (4 + (double)(problem->prime_count * problem->group_count) / 4));
}
