/* SPDX-License-Identifier: BSD-3-Clause */
// A walker a thread: the scheme stands in the thread's column of shared memory, which no other thread touches
// and where no two threads of a warp ever use one bank. Included with
//
//     LANE_VARIANT      the variant's name
//     LANE_BITS         of a factor, at most: 16 (two rows a word), 32, 40 (compared by marks) or 64
//     LANE_ROWS         rows, a multiple of 8
//     LANE_CYCLIC       1: rows stand for orbits (gpu.h)
//     LANE_REVERSED     1: they stand for those of reversed schemes
//     LANE_LOOP         before loops over groups of words: unrolled they are faster, as long as the code of a
//                       step fits into the instruction cache
//     LANE_RESIDENT     warps of a multiprocessor that registers are left for
//
// Rows are numbered so that the rows that share a word are 16 apart: row r of set r / 32.

#define LANE_NAME(word) FLIP_JOIN(word, LANE_VARIANT)
#if LANE_BITS > 32
#define LANE_WORD unsigned long long
#else
#define LANE_WORD unsigned
#endif
#if LANE_BITS == 64
#define LANE_CELL unsigned long long
#else
#define LANE_CELL unsigned // of a column
#endif
#define LANE_HALF (LANE_BITS == 16)
#define LANE_MARKED (LANE_BITS == 40)
#define LANE_PAIRED (LANE_HALF || LANE_MARKED)
#define LANE_SETS ((LANE_ROWS + 31) / 32)
#define LANE_PER_WORD (LANE_PAIRED ? 2 : 1)
#define LANE_WORDS (LANE_ROWS / LANE_PER_WORD) // of a position that are compared
#define LANE_CELLS (3 * LANE_WORDS + (LANE_MARKED ? 15 * LANE_ROWS / 4 : 0))
#define LANE_SET_WORDS (32 / LANE_PER_WORD)
#define LANE_WORDS_OF(s)                                                                                     \
    (LANE_WORDS - (s)*LANE_SET_WORDS < LANE_SET_WORDS ? LANE_WORDS - (s)*LANE_SET_WORDS : LANE_SET_WORDS)
#define LANE_VALID(s)                                                                                        \
    (LANE_WORDS_OF(s) == LANE_SET_WORDS ? ~0u                                                                \
                                        : ((1u << LANE_WORDS_OF(s)) - 1) * (LANE_PAIRED ? 0x10001u : 1u))
#define LANE_POSITIONS (LANE_CYCLIC ? 3 : 1) // where a factor can have a partner

typedef struct LANE_NAME(walker) {
    LANE_CELL *column;          // word w is column[32 w]
    unsigned rows[LANE_SETS];   // bit set: this row has a term
    unsigned fixed[LANE_SETS];  // cyclic: it is (a, a, a), which no flip touches
    unsigned set[3][LANE_SETS]; // rows that may have a partner: of those that have none, a few are in it
    unsigned long long random;
    unsigned flips;
#if LANE_REVERSED
    int unused; // bits of 64 that a factor has not
    int single; // fixed terms that reversing leaves alone
#endif
} LANE_NAME(walker);

// Copies back a walker that a rare move has worked on aside. The column pointer stays the one of which the
// compiler knows that it points to shared memory.
__device__ __forceinline__ void LANE_NAME(put_back)(LANE_NAME(walker) * walker,
                                                    const LANE_NAME(walker) * aside) {
    LANE_CELL *column = walker->column;
    *walker = *aside;
    walker->column = column;
}

// The factor as a matrix with rows and columns reversed.
__device__ __forceinline__ LANE_WORD LANE_NAME(reverse)(const LANE_NAME(walker) * walker, LANE_WORD value) {
#if LANE_REVERSED
    return __brevll(value) >> walker->unused;
#else
    return (void)walker, value;
#endif
}

#include "flip/lane_gpu_column.h"

__device__ __forceinline__ unsigned LANE_NAME(bit)(int row, int s) {
    return row >> 5 == s ? 1u << (row & 31) : 0;
}

// Finds the partners of a factor that stands, or will stand, in that row: at its position, of cyclic schemes
// at all three. Returns whether there is any. Where factors have marks, those with the same mark.
__device__ __forceinline__ unsigned LANE_NAME(partners)(const LANE_NAME(walker) * walker, int position,
                                                        int row, LANE_WORD value,
                                                        unsigned found[LANE_POSITIONS][LANE_SETS]) {
    const LANE_WORD reversal = LANE_NAME(reverse)(walker, value);
    const LANE_WORD key = LANE_MARKED ? LANE_NAME(mark)(value, reversal) : value;
    unsigned any = 0;
    LANE_UNROLL
    for (int p = 0; p < LANE_POSITIONS; p++) {
        LANE_NAME(scan)(walker->column, LANE_CYCLIC ? p : position, key, reversal, found[p]);
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++) {
            found[p][s] &= walker->rows[s] & ~LANE_NAME(bit)(row, s);
            if (LANE_CYCLIC)
                found[p][s] &= ~walker->fixed[s];
            any |= found[p][s];
        }
    }
    return any;
}

// Updates the sets after a factor has become the value. Rows whose last partner was the old one stay in: a
// step that draws one removes it.
__device__ __forceinline__ void LANE_NAME(enter)(LANE_NAME(walker) * walker, int position, int row,
                                                 LANE_WORD value) {
    unsigned found[LANE_POSITIONS][LANE_SETS];
    const unsigned any = LANE_NAME(partners)(walker, position, row, value, found);
    LANE_UNROLL
    for (int p = 0; p < 3; p++) {
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++) {
            const unsigned mine = p == position ? LANE_NAME(bit)(row, s) : 0;
            unsigned set = walker->set[p][s] & ~mine;
            if (LANE_CYCLIC)
                set |= found[LANE_CYCLIC ? p : 0][s];
            else if (p == position)
                set |= found[0][s];
            walker->set[p][s] = any != 0 ? set | mine : set;
        }
    }
}

// Makes a row empty: its factors become zero, and it leaves all sets.
__device__ __forceinline__ void LANE_NAME(remove)(LANE_NAME(walker) * walker, int row) {
    LANE_UNROLL
    for (int p = 0; p < 3; p++) {
        LANE_NAME(add)(walker, p, row, LANE_NAME(get)(walker->column, p, row));
        LANE_UNROLL
        for (int s = 0; s < LANE_SETS; s++)
            walker->set[p][s] &= ~LANE_NAME(bit)(row, s);
    }
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++) {
        walker->rows[s] &= ~LANE_NAME(bit)(row, s);
        walker->fixed[s] &= ~LANE_NAME(bit)(row, s);
    }
}

// Removes a row that has become zero, and of two equal fixed terms both; marks a new fixed term. Of a
// reversed scheme a row that is its own reversal goes, too: it stands for two equal orbits, which cancel over
// F2.
__device__ __noinline__ void LANE_NAME(simplify)(LANE_NAME(walker) * walker, int row) {
    const LANE_WORD a = LANE_NAME(get)(walker->column, 0, row), b = LANE_NAME(get)(walker->column, 1, row),
                    c = LANE_NAME(get)(walker->column, 2, row);
    const LANE_WORD reversal = LANE_NAME(reverse)(walker, a);
    if (a == 0 || b == 0 || c == 0 ||
        (LANE_REVERSED && a == reversal && b == LANE_NAME(reverse)(walker, b) &&
         c == LANE_NAME(reverse)(walker, c))) {
        LANE_NAME(remove)(walker, row);
        return;
    }
    if (!LANE_CYCLIC || a != b || b != c)
        return;
    unsigned found[LANE_SETS];
    int other = -1;
    LANE_NAME(find)(walker, 0, a, reversal, found);
    for (int s = 0; s < LANE_SETS; s++) {
        const unsigned equal = found[s] & walker->fixed[s] & ~LANE_NAME(bit)(row, s);
        if (equal != 0)
            other = 32 * s + __ffs(equal) - 1;
        walker->fixed[s] |= LANE_NAME(bit)(row, s);
        for (int p = 0; p < 3; p++)
            walker->set[p][s] &= ~LANE_NAME(bit)(row, s);
    }
    if (other >= 0) {
        LANE_NAME(remove)(walker, other);
        LANE_NAME(remove)(walker, row);
    }
}

// The number of the set bit that k others of the words precede.
__device__ __forceinline__ int LANE_NAME(select)(const unsigned *words, int count, unsigned k) {
    unsigned word = words[0], before = 0, sum = 0;
    int at = 0;
    LANE_UNROLL
    for (int w = 0; w < count - 1; w++) {
        sum += __popc(words[w]);
        if (k >= sum) {
            word = words[w + 1];
            before = sum;
            at = 32 * (w + 1);
        }
    }
    return at + lane_select_bit(word, k - before);
}

__device__ __forceinline__ unsigned LANE_NAME(count)(const unsigned *words, int count) {
    unsigned sum = 0;
    LANE_UNROLL
    for (int w = 0; w < count; w++)
        sum += __popc(words[w]);
    return sum;
}

// The rank: a row of a cyclic scheme stands for 3 terms, a fixed one for 1; of a reversed scheme for 6 and 2,
// or for 1 where the fixed term is its own reversal.
__device__ __forceinline__ int LANE_NAME(rank)(const LANE_NAME(walker) * walker) {
    const int rows = (int)LANE_NAME(count)(walker->rows, LANE_SETS);
#if LANE_REVERSED
    return 6 * rows - 4 * (int)LANE_NAME(count)(walker->fixed, LANE_SETS) - walker->single;
#else
    return LANE_CYCLIC ? 3 * rows - 2 * (int)LANE_NAME(count)(walker->fixed, LANE_SETS) : rows;
#endif
}

#include "flip/lane_gpu_step.h"

#include "flip/lane_gpu_moves.h"

#include "flip/lane_gpu_island.h" /* which calls the moves */

#undef LANE_SETS
#undef LANE_PER_WORD
#undef LANE_WORDS
#undef LANE_SET_WORDS
#undef LANE_WORDS_OF
#undef LANE_VALID
#undef LANE_POSITIONS
#undef LANE_NAME
#undef LANE_VARIANT
#undef LANE_WORD
#undef LANE_CELL
#undef LANE_CELLS
#undef LANE_HALF
#undef LANE_MARKED
#undef LANE_PAIRED
#undef LANE_BITS
#undef LANE_ROWS
#undef LANE_CYCLIC
#undef LANE_REVERSED
#undef LANE_RESIDENT
#undef LANE_LOOP
