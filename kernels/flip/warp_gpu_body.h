/* SPDX-License-Identifier: BSD-3-Clause */
// A walker a warp: row r of the scheme is lane r % 32's in slot r / 32, all in shared memory. Included with
//
//     WARP_VARIANT      the variant's name
//     WARP_FACTOR       unsigned or unsigned long long
//     WARP_SLOTS        rows / 32
//     WARP_UNROLL       before loops over slots
//     WARP_RESIDENT     blocks of a multiprocessor that registers are left for
//
// Everything that has no lane in its name is the same in all lanes.

#define WARP_NAME(word) FLIP_JOIN(word, WARP_VARIANT)
#define WARP_ROWS (32 * WARP_SLOTS)

typedef struct WARP_NAME(walker) {
    WARP_FACTOR *factor;         // [position][row]
    unsigned set[3][WARP_SLOTS]; // rows that may have a partner (only for steps from the list)
    unsigned long long random;   // the lane's
    int lane, rank;
    bool is_indexed; // the sets are up to date
    unsigned flips;
} WARP_NAME(walker);

__device__ __forceinline__ WARP_FACTOR WARP_NAME(get)(const WARP_NAME(walker) * walker, int position,
                                                      int row) {
    return walker->factor[position * WARP_ROWS + row];
}

// One lane writes; the others read it after the next __syncwarp.
__device__ __forceinline__ void WARP_NAME(put)(const WARP_NAME(walker) * walker, int position, int row,
                                               WARP_FACTOR value) {
    if (walker->lane == row % 32)
        walker->factor[position * WARP_ROWS + row] = value;
}

// Finds the rows whose factor at the position is the value.
__device__ __forceinline__ void WARP_NAME(scan)(const WARP_NAME(walker) * walker, int position,
                                                WARP_FACTOR value, unsigned found[WARP_SLOTS]) {
    WARP_UNROLL
    for (int s = 0; s < WARP_SLOTS; s++)
        found[s] = __ballot_sync(~0u, WARP_NAME(get)(walker, position, 32 * s + walker->lane) == value);
}

__device__ __forceinline__ unsigned WARP_NAME(count)(const unsigned *words, int count) {
    unsigned sum = 0;
    WARP_UNROLL
    for (int w = 0; w < count; w++)
        sum += __popc(words[w]);
    return sum;
}

// The number of the set bit that k others precede. Each lane looks at one bit of the word.
__device__ __forceinline__ int WARP_NAME(select)(const WARP_NAME(walker) * walker, const unsigned *words,
                                                 int count, unsigned k) {
    unsigned word = words[0], before = 0, sum = 0;
    int at = 0;
    WARP_UNROLL
    for (int w = 0; w < count - 1; w++) {
        sum += __popc(words[w]);
        if (k >= sum) {
            word = words[w + 1];
            before = sum;
            at = 32 * (w + 1);
        }
    }
    const unsigned below = (unsigned)__popc(word & ((1u << walker->lane) - 1));
    return at + __ffs(__ballot_sync(~0u, (word >> walker->lane & 1) != 0 && below == k - before)) - 1;
}

// Draws a number that all lanes know: lane 0's.
__device__ __forceinline__ unsigned WARP_NAME(draw)(WARP_NAME(walker) * walker) {
    return __shfl_sync(~0u, flip_gpu_draw(&walker->random), 0);
}

// Makes a row empty: its factors become zero, and it leaves all sets.
__device__ __forceinline__ void WARP_NAME(remove)(WARP_NAME(walker) * walker, int row) {
    for (int p = 0; p < 3; p++)
        WARP_NAME(put)(walker, p, row, 0);
    WARP_UNROLL
    for (int s = 0; s < WARP_SLOTS; s++) {
        WARP_UNROLL
        for (int p = 0; p < 3; p++)
            walker->set[p][s] &= ~(row / 32 == s ? 1u << row % 32 : 0);
    }
    walker->rank--;
    __syncwarp();
}

// Removes the row if one of its factors is zero.
__device__ __forceinline__ void WARP_NAME(simplify)(WARP_NAME(walker) * walker, int row) {
    if (WARP_NAME(get)(walker, 0, row) == 0 || WARP_NAME(get)(walker, 1, row) == 0 ||
        WARP_NAME(get)(walker, 2, row) == 0)
        WARP_NAME(remove)(walker, row);
}

// ---- steps that match: every lane offers a row, every pair that matches flips ----

// Turns each slot by a random number of lanes: rows that stand in one lane are never compared, and would not
// be for ever.
__device__ __forceinline__ void WARP_NAME(mix)(WARP_NAME(walker) * walker) {
    WARP_UNROLL
    for (int s = 0; s < WARP_SLOTS; s++) {
        const int from = 32 * s + (walker->lane + (int)(WARP_NAME(draw)(walker) >> 27)) % 32;
        WARP_UNROLL
        for (int p = 0; p < 3; p++) {
            const WARP_FACTOR value = WARP_NAME(get)(walker, p, from);
            __syncwarp();
            walker->factor[p * WARP_ROWS + 32 * s + walker->lane] = value;
        }
    }
    __syncwarp();
}

// Every lane offers the row of a slot that it draws; all pairs of lanes with equal factors at one position
// flip.
__device__ __forceinline__ void WARP_NAME(match_round)(WARP_NAME(walker) * walker, unsigned draw,
                                                       unsigned common) {
    const int lane = walker->lane, first = (int)((unsigned long long)common * 3 >> 32);
    const int second = first == 2 ? 0 : first + 1, third = first == 0 ? 2 : first - 1;
    const int row = 32 * (int)((draw & 0xffff) * WARP_SLOTS >> 16) + lane;
    const WARP_FACTOR a = WARP_NAME(get)(walker, first, row);
    const unsigned same = __match_any_sync(~0u, a), lower = same & ((1u << lane) - 1);
    const unsigned upper = same & ~lower & ~(1u << lane);
    // Lanes with the same factor pair up in their order: one with an odd number of them below takes the last
    // of these, another one the next above. Lane i adds c_j to its c, lane j adds b_i to its b (kernel.h).
    const bool is_odd = __popc(lower) % 2 != 0;
    const int mate = a == 0 ? -1 : is_odd ? 31 - __clz((int)lower) : __ffs((int)upper) - 1;
    const bool is_j = is_odd != ((common & 1) != 0);
    const WARP_FACTOR b = WARP_NAME(get)(walker, second, row), c = WARP_NAME(get)(walker, third, row);
    const WARP_FACTOR got = __shfl_sync(~0u, is_j ? c : b, mate < 0 ? lane : mate);
    const WARP_FACTOR value = got ^ (is_j ? b : c);
    if (mate >= 0)
        walker->factor[(is_j ? second : third) * WARP_ROWS + row] = value;
    const unsigned zeros = __ballot_sync(~0u, mate >= 0 && value == 0);
    walker->flips += (unsigned)__popc(__ballot_sync(~0u, mate >= 0)) / 2;
    if (zeros != 0) {
        if (zeros >> lane & 1) {
            WARP_UNROLL
            for (int p = 0; p < 3; p++)
                walker->factor[p * WARP_ROWS + row] = 0;
        }
        walker->rank -= __popc(zeros);
    }
    __syncwarp();
}

// The warp agrees on a position, and matches in so many rounds: more of them find more of the pairs there
// are.
__device__ __forceinline__ void WARP_NAME(match_step)(WARP_NAME(walker) * walker, int rounds) {
    unsigned draw = flip_gpu_draw(&walker->random);
    const unsigned common = __shfl_sync(~0u, draw, 0);
    WARP_NAME(match_round)(walker, draw, common);
    WARP_NO_UNROLL
    for (int round = 1; round < rounds; round++) {
        draw = flip_gpu_draw(&walker->random);
        WARP_NAME(match_round)(walker, draw, common);
    }
}

// ---- steps from the list: every one flips ----

// Makes the sets of rows with partners anew from the factors.
__device__ __forceinline__ void WARP_NAME(index)(WARP_NAME(walker) * walker) {
    WARP_UNROLL
    for (int p = 0; p < 3; p++) {
        WARP_UNROLL
        for (int s = 0; s < WARP_SLOTS; s++) {
            const WARP_FACTOR value = WARP_NAME(get)(walker, p, 32 * s + walker->lane);
            int count = 0;
            WARP_NO_UNROLL
            for (int row = 0; row < WARP_ROWS; row++)
                count += WARP_NAME(get)(walker, p, row) == value;
            walker->set[p][s] = __ballot_sync(~0u, value != 0 && count > 1);
        }
    }
    walker->is_indexed = true;
}

// Updates the sets after a factor has become the value. Rows whose last partner was the old one stay in: a
// step that draws one removes it.
__device__ __forceinline__ void WARP_NAME(enter)(WARP_NAME(walker) * walker, int position, int row,
                                                 WARP_FACTOR value) {
    unsigned found[WARP_SLOTS], any = 0;
    WARP_NAME(scan)(walker, position, value, found);
    WARP_UNROLL
    for (int s = 0; s < WARP_SLOTS; s++)
        any |= found[s] & ~(row / 32 == s ? 1u << row % 32 : 0);
    WARP_UNROLL
    for (int p = 0; p < 3; p++) {
        WARP_UNROLL
        for (int s = 0; s < WARP_SLOTS; s++)
            walker->set[p][s] = p != position ? walker->set[p][s]
                                : any != 0    ? walker->set[p][s] | found[s]
                                              : walker->set[p][s] & ~found[s];
    }
}

// A step in which the warp draws a row with a partner from the sets, and then one of its partners.
__device__ __forceinline__ void WARP_NAME(list_step)(WARP_NAME(walker) * walker) {
    unsigned found[WARP_SLOTS];
    const unsigned draw = WARP_NAME(draw)(walker), count = WARP_NAME(count)(walker->set[0], 3 * WARP_SLOTS);
    if (count == 0)
        return;
    const unsigned long long product = (unsigned long long)draw * count;
    const int entry = WARP_NAME(select)(walker, walker->set[0], 3 * WARP_SLOTS, (unsigned)(product >> 32));
    const int first = entry / WARP_ROWS, i = entry % WARP_ROWS;
    WARP_NAME(scan)(walker, first, WARP_NAME(get)(walker, first, i), found);
    WARP_UNROLL
    for (int s = 0; s < WARP_SLOTS; s++)
        found[s] &= ~(i / 32 == s ? 1u << i % 32 : 0);
    const unsigned partners = WARP_NAME(count)(found, WARP_SLOTS);
    if (partners == 0) {
        WARP_UNROLL
        for (int p = 0; p < 3; p++) {
            WARP_UNROLL
            for (int s = 0; s < WARP_SLOTS; s++)
                walker->set[p][s] &= ~(p == first && i / 32 == s ? 1u << i % 32 : 0);
        }
        return;
    }
    const int j = WARP_NAME(select)(walker, found, WARP_SLOTS, __umulhi((unsigned)product, partners));
    const int second = first == 2 ? 0 : first + 1, third = first == 0 ? 2 : first - 1;
    const WARP_FACTOR b = WARP_NAME(get)(walker, second, i) ^ WARP_NAME(get)(walker, second, j),
                      c = WARP_NAME(get)(walker, third, i) ^ WARP_NAME(get)(walker, third, j);
    __syncwarp();
    WARP_NAME(put)(walker, second, j, b);
    WARP_NAME(put)(walker, third, i, c);
    walker->flips++;
    __syncwarp();
    if (b == 0 || c == 0) {
        WARP_NAME(simplify)(walker, j);
        WARP_NAME(simplify)(walker, i);
        WARP_NAME(index)(walker);
        return;
    }
    WARP_NAME(enter)(walker, second, j, b);
    WARP_NAME(enter)(walker, third, i, c);
}

#include "flip/warp_gpu_moves.h"

#include "flip/warp_gpu_island.h" /* which calls the moves */

#undef WARP_ROWS
#undef WARP_NAME
#undef WARP_VARIANT
#undef WARP_FACTOR
#undef WARP_SLOTS
#undef WARP_RESIDENT
#undef WARP_UNROLL
