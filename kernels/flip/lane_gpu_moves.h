/* SPDX-License-Identifier: BSD-3-Clause */
// Moves that are rarer than flips, one walker a thread; part of lane_gpu_body.h.

// Makes the sets of rows with partners anew from the factors.
__device__ __noinline__ void LANE_NAME(index)(LANE_NAME(walker) * walker) {
    unsigned found[LANE_POSITIONS][LANE_SETS];
    for (int p = 0; p < 3; p++)
        for (int at = 0; at < LANE_ROWS; at++) {
            const int row = LANE_NAME(row)(at);
            const LANE_WORD value = LANE_NAME(get)(walker->column, p, row);
            bool is_in = value != 0 && LANE_NAME(partners)(walker, p, row, value, found) != 0;
            LANE_UNROLL
            for (int q = 0; q < 3; q++) {
                LANE_UNROLL
                for (int s = 0; s < LANE_SETS; s++) {
                    const unsigned bit = q == p ? LANE_NAME(bit)(row, s) & ~walker->fixed[s] : 0;
                    walker->set[q][s] = is_in ? walker->set[q][s] | bit : walker->set[q][s] & ~bit;
                }
            }
        }
}

// Takes up a stored scheme whose factors are `stride` words apart; its terms close up.
__device__ __noinline__ void LANE_NAME(load)(LANE_NAME(walker) * walker, int rows,
                                             const unsigned long long *scheme, int stride) {
    int count = 0;
#if LANE_REVERSED
    walker->single = 0;
#endif
    for (int w = 0; w < LANE_CELLS; w++)
        walker->column[32 * w] = 0;
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++) {
        walker->rows[s] = walker->fixed[s] = 0;
        LANE_UNROLL
        for (int p = 0; p < 3; p++)
            walker->set[p][s] = 0;
    }
    for (int r = 0; r < rows; r++) {
        LANE_WORD factor[3];
        for (int p = 0; p < 3; p++)
            factor[p] = (LANE_WORD)scheme[((long long)p * rows + r) * stride];
        if (factor[0] == 0 || count == LANE_ROWS)
            continue;
        const int row = LANE_NAME(row)(count++);
        const bool is_fixed = LANE_CYCLIC && factor[0] == factor[1] && factor[1] == factor[2];
        for (int p = 0; p < 3; p++)
            LANE_NAME(add)(walker, p, row, factor[p]);
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++) {
            walker->rows[s] |= LANE_NAME(bit)(row, s);
            walker->fixed[s] |= is_fixed ? LANE_NAME(bit)(row, s) : 0;
        }
#if LANE_REVERSED
        walker->single += is_fixed && factor[0] == LANE_NAME(reverse)(walker, factor[0]);
#endif
    }
    LANE_NAME(index)(walker);
}

__device__ __forceinline__ int LANE_NAME(draw_row)(LANE_NAME(walker) * walker,
                                                   const unsigned rows[LANE_SETS]) {
    const unsigned count = LANE_NAME(count)(rows, LANE_SETS);
    return LANE_NAME(select)(rows, LANE_SETS, __umulhi(flip_gpu_draw(&walker->random), count));
}

#if LANE_CYCLIC
#include "flip/lane_gpu_fixed.h"
#else
// Reduces at most five rows that share a factor: if the second factors of some of them add up to zero, the
// first of these rows goes (lib/flip/search/walk.h, generalised reductions). All 31 subsets are tried.
__device__ __forceinline__ bool LANE_NAME(reduce_group)(LANE_NAME(walker) * walker, int second, int third,
                                                        const int row[5], int count) {
    LANE_WORD vector[5], sum = 0;
    unsigned set = 0;
    LANE_UNROLL
    for (int k = 0; k < 5; k++)
        vector[k] = k < count ? LANE_NAME(get)(walker->column, second, row[k]) : 0;
    // Subsets in the order of a Gray code: step `at` adds or removes the row of its lowest bit, and the
    // subset is at ^ at / 2.
    LANE_UNROLL
    for (int at = 1; at < 32; at++) {
        sum ^= vector[lane_low_bit(at)];
        if (sum == 0 && set == 0 && at < 1 << count)
            set = at ^ at >> 1;
    }
    if (set == 0)
        return false;
    // With b_g = Σ b_k over the others k of the subset, a ⊗ b_g ⊗ c_g = Σ a ⊗ b_k ⊗ c_g: c_g is added to c_k.
    int gone = -1;
    LANE_WORD value = 0;
    LANE_UNROLL
    for (int k = 0; k < 5; k++) {
        if ((set >> k & 1) == 0)
            continue;
        if (gone >= 0) {
            LANE_NAME(add)(walker, third, row[k], value);
            LANE_NAME(simplify)(walker, row[k]);
        } else {
            gone = row[k];
            value = LANE_NAME(get)(walker->column, third, gone);
        }
    }
    LANE_NAME(remove)(walker, gone);
    return true;
}

// Makes one generalised reduction if it finds one. Of groups of more than five rows it tries the first five.
__device__ __noinline__ bool LANE_NAME(reduce)(LANE_NAME(walker) * walker) {
    unsigned found[LANE_SETS], left[LANE_SETS];
    for (int p = 0; p < 3; p++) {
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++)
            left[s] = p == 0 ? walker->set[0][s] : p == 1 ? walker->set[1][s] : walker->set[2][s];
        for (;;) {
            int first = -1, row[5], count = 0;
            LANE_UNROLL
            for (int s = LANE_SETS - 1; s >= 0; s--)
                first = left[s] != 0 ? 32 * s + __ffs(left[s]) - 1 : first;
            if (first < 0)
                break;
            LANE_NAME(scan)(walker->column, p, LANE_NAME(get)(walker->column, p, first), 0, found);
            LANE_UNROLL
            for (int s = 0; s < LANE_SETS; s++)
                left[s] &= ~found[s];
            if (LANE_NAME(count)(found, LANE_SETS) < 3)
                continue;
            LANE_UNROLL
            for (int k = 0; k < 5; k++) {
                row[k] = 0;
                LANE_UNROLL
                for (int s = 0; s < LANE_SETS; s++)
                    if (found[s] != 0 && count == k) {
                        row[k] = 32 * s + __ffs(found[s]) - 1;
                        found[s] &= found[s] - 1;
                        count++;
                    }
            }
            const int second = (p + 1) % 3, third = (p + 2) % 3;
            if (LANE_NAME(reduce_group)(walker, second, third, row, count) ||
                LANE_NAME(reduce_group)(walker, third, second, row, count)) {
                LANE_NAME(index)(walker);
                return true;
            }
        }
    }
    return false;
}
#endif

// Splits a term in two (lib/flip/search/walk.h), if there are two terms that differ in every factor, and
// room.
__device__ __noinline__ bool LANE_NAME(plus)(LANE_NAME(walker) * walker) {
    unsigned live[LANE_SETS];
    int row = -1;
    LANE_UNROLL
    for (int s = LANE_SETS - 1; s >= 0; s--) {
        const unsigned empty = LANE_VALID(s) & ~walker->rows[s];
        live[s] = walker->rows[s] & ~walker->fixed[s];
        row = empty != 0 ? 32 * s + __ffs(empty) - 1 : row;
    }
#if LANE_CYCLIC
    if (LANE_NAME(count)(walker->fixed, LANE_SETS) != 0 && flip_gpu_draw(&walker->random) % 4 == 0) {
        return LANE_NAME(release)(walker);
    }
#endif
    if (row < 0 || LANE_NAME(count)(live, LANE_SETS) < 2)
        return false;
#if LANE_CYCLIC
    if (LANE_NAME(split)(walker, LANE_NAME(draw_row)(walker, live), row))
        return true;
#endif
    for (int tries = 0; tries < 16; tries++) {
        const int i = LANE_NAME(draw_row)(walker, live), j = LANE_NAME(draw_row)(walker, live);
        const unsigned turn = flip_gpu_draw(&walker->random);
        const int p[3] = {(int)(turn % 3), (int)((turn + 1) % 3), (int)((turn + 2) % 3)};
        const unsigned more = LANE_CYCLIC ? turn / 3 : turn;
        const int q[3] = {(int)(more % 3), (int)((more + 1) % 3), (int)((more + 2) % 3)};
        LANE_WORD x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = LANE_NAME(get)(walker->column, p[k], i);
            y[k] = LANE_NAME(get)(walker->column, q[k], j);
        }
        if (i == j || x[0] == y[0] || x[1] == y[1] || x[2] == y[2])
            continue;
        // x₀ x₁ x₂ + y₀ y₁ y₂ = x₀ (x₁ + y₁) y₂ + x₀ x₁ (x₂ + y₂) + (x₀ + y₀) y₁ y₂.
        LANE_NAME(add)(walker, p[0], row, x[0]);
        LANE_NAME(add)(walker, p[1], row, x[1] ^ y[1]);
        LANE_NAME(add)(walker, p[2], row, y[2]);
        LANE_NAME(add)(walker, p[2], i, y[2]);
        LANE_NAME(add)(walker, q[0], j, x[0]);
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++)
            walker->rows[s] |= LANE_NAME(bit)(row, s);
        for (int k = 0; k < 3; k++)
            LANE_NAME(enter)(walker, k, row, LANE_NAME(get)(walker->column, k, row));
        LANE_NAME(enter)(walker, p[2], i, x[2] ^ y[2]);
        LANE_NAME(enter)(walker, q[0], j, x[0] ^ y[0]);
        LANE_NAME(simplify)(walker, row);
        LANE_NAME(simplify)(walker, i);
        LANE_NAME(simplify)(walker, j);
        return true;
    }
    return false;
}
