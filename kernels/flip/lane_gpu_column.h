/* SPDX-License-Identifier: BSD-3-Clause */
// How a scheme lies in a walker's column; part of lane_gpu_body.h.
//
// Comparing takes most of the time. So factors of more than 32 bits have marks of 16 bits, equal for a factor
// and its reversal, which are compared two at a time: first in the column stand the marks, then the low 32
// bits of all factors, then the other 8. Of equal marks the factors may differ; a flip looks at these.

// The place of what is compared of a factor, and its bits in the word.
__device__ __forceinline__ int LANE_NAME(place)(int position, int row) {
    return 32 * (position * LANE_WORDS + (LANE_PAIRED ? 16 * (row >> 5) + (row & 15) : row));
}

__device__ __forceinline__ int LANE_NAME(shift)(int row) {
    return LANE_PAIRED ? row & 16 : 0;
}

#if LANE_MARKED
// The number of a factor among those of the scheme.
__device__ __forceinline__ int LANE_NAME(number)(int position, int row) {
    return position * LANE_ROWS + 2 * (16 * (row >> 5) + (row & 15)) + (row >> 4 & 1);
}

__device__ __forceinline__ int LANE_NAME(low)(int number) {
    return 32 * (3 * LANE_WORDS + number);
}

__device__ __forceinline__ int LANE_NAME(high)(int number) {
    return 32 * (3 * LANE_WORDS + 3 * LANE_ROWS + number / 4);
}
#endif

__device__ __forceinline__ LANE_WORD LANE_NAME(get)(const LANE_CELL *column, int position, int row) {
#if LANE_MARKED
    const int number = LANE_NAME(number)(position, row);
    const LANE_WORD high = column[LANE_NAME(high)(number)] >> 8 * (number & 3) & 0xff;
    return high << 32 | column[LANE_NAME(low)(number)];
#else
    const LANE_WORD word = column[LANE_NAME(place)(position, row)];
    return LANE_HALF ? word >> LANE_NAME(shift)(row) & 0xffff : word;
#endif
}

// The top bits of the product of the lesser of a factor and its reversal with 2⁶⁴ over the golden ratio.
__device__ __forceinline__ unsigned LANE_NAME(mark)(LANE_WORD value, LANE_WORD reversal) {
    const unsigned long long least = LANE_REVERSED && reversal < value ? reversal : value;
    return (unsigned)(least * 0x9e3779b97f4a7c15ull >> 48);
}

__device__ __forceinline__ void LANE_NAME(add)(LANE_NAME(walker) * walker, int position, int row,
                                               LANE_WORD value) {
    LANE_CELL *word = &walker->column[LANE_NAME(place)(position, row)];
#if LANE_MARKED
    const int number = LANE_NAME(number)(position, row), shift = LANE_NAME(shift)(row);
    walker->column[LANE_NAME(low)(number)] ^= (unsigned)value;
    walker->column[LANE_NAME(high)(number)] ^= (unsigned)(value >> 32) << 8 * (number & 3);
    value = LANE_NAME(get)(walker->column, position, row);
    *word = (*word & ~(0xffffu << shift)) | LANE_NAME(mark)(value, LANE_NAME(reverse)(walker, value))
                                                << shift;
#else
    *word ^= value << LANE_NAME(shift)(row);
#endif
}

// The number of the at-th row that a kernel has: in the last set of half words, rows do not follow each
// other.
__device__ __forceinline__ int LANE_NAME(row)(int at) {
    const int set = at >> 5, words = LANE_WORDS_OF(set);
    return !LANE_PAIRED ? at : 32 * set + (at & 31) / words * 16 + (at & 31) % words;
}

// Finds the rows whose factor at the position is the value, or its reversal; where factors have marks, those
// with that mark. Bits are shifted in row by row, the last row first (64 bits: eight rows at a time from
// above).
__device__ __forceinline__ void LANE_NAME(scan)(const LANE_CELL *column, int position, LANE_WORD value,
                                                LANE_WORD reversal, unsigned found[LANE_SETS]) {
    const LANE_CELL *word = column + 32 * LANE_WORDS * position;
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++) {
        unsigned bits = 0;
#if LANE_BITS == 64
        LANE_LOOP
        for (int k = 0; k < LANE_WORDS_OF(s); k += 8) {
            unsigned group = 0;
            LANE_UNROLL
            for (int e = 0; e < 8; e++) {
                const LANE_WORD here = word[32 * (LANE_SET_WORDS * s + k + e)];
                group |= here == value || (LANE_REVERSED && here == reversal) ? 1u << (24 + e) : 0;
            }
            bits = bits >> 8 | group;
        }
        found[s] = bits >> (32 - LANE_WORDS_OF(s));
#else
        const unsigned less =
            LANE_PAIRED ? ((0u - (unsigned)value) & 0xffff) * 0x10001u : 0u - (unsigned)value;
        LANE_LOOP
        for (int k = LANE_WORDS_OF(s) - 8; k > -8; k -= 8) {
            LANE_UNROLL
            for (int e = 7; e >= 0; e--)
                if (k + e >= 0)
                    bits = 2 * bits + lane_differ(word[32 * (LANE_SET_WORDS * s + k + e)], less, LANE_PAIRED);
        }
        found[s] = ~bits & LANE_VALID(s);
#endif
    }
    (void)reversal;
}

// Finds the rows whose factor at the position is the value or the reversal, and no others; for rare moves.
__device__ __forceinline__ void LANE_NAME(find)(const LANE_NAME(walker) * walker, int position,
                                                LANE_WORD value, LANE_WORD reversal,
                                                unsigned found[LANE_SETS]) {
#if LANE_MARKED
    const unsigned mark = LANE_NAME(mark)(value, LANE_NAME(reverse)(walker, value));
    LANE_NAME(scan)(walker->column, position, mark, reversal, found);
    for (int s = 0; s < LANE_SETS; s++)
        for (unsigned rest = found[s]; rest != 0; rest &= rest - 1) {
            const int row = 32 * s + __ffs(rest) - 1;
            const LANE_WORD here = LANE_NAME(get)(walker->column, position, row);
            if (here != value && !(LANE_REVERSED && here == reversal))
                found[s] &= ~(1u << (row & 31));
        }
#else
    LANE_NAME(scan)(walker->column, position, value, reversal, found);
#endif
}
