/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/frontier/device.c and the device kernels for the frontier dynamic program of
 * perm/frontier/frontier.h.
 *
 * All states of a layer hold as many columns as every other: `used` of the `open` ones. So a layer is an
 * array of C(open, used) values in the order of the sets as numbers, absent states being 0, and the place of
 * a set is its rank (the combinatorial number system). Rank: `start` of the bits from FRONTIER_GPU_LOW on,
 * and the rank of the bits below among those with as many bits. Every state of the next layer adds up the
 * states it comes from, in the order of the row's entries. Units of values stand apart: unit k of state i at
 * [k · states + i].
 *
 * Kernels and units, all of 8 bytes:
 *   frontier_gpu_start     start of a layer
 *   frontier_gpu_real      value; factor: one double. Entries >= 0
 *   frontier_gpu_signed    value, sum of absolute values; factors a, |a|
 *   frontier_gpu_complex   re, im, sum of absolute values; factors re, im, |a|
 *   frontier_gpu_words_K   K words modulo 2^(64 K), the lowest first; factor the same. K = 1 … 4
 *   frontier_gpu_complex_words_K   re, im of K words each */
#ifndef PERM_FRONTIER_GPU_H
#define PERM_FRONTIER_GPU_H

enum {
    FRONTIER_GPU_LOW = 14,
    FRONTIER_GPU_THREADS = 256, /* of a block */
    FRONTIER_GPU_WIDEST = 42,   /* columns open after a step … */
    FRONTIER_GPU_STEP = 63,     /* … and during one; entries of a row */
    FRONTIER_GPU_WORDS = 4
};

enum { FRONTIER_DOUBLES, FRONTIER_WORDS };

/* The kernels of a step: KERNEL(name, kind of the units, parts of a value, units of a part). */
#define FRONTIER_GPU_KERNELS(KERNEL)                                                                         \
    KERNEL(frontier_gpu_real, FRONTIER_DOUBLES, 1, 1)                                                        \
    KERNEL(frontier_gpu_signed, FRONTIER_DOUBLES, 2, 1)                                                      \
    KERNEL(frontier_gpu_complex, FRONTIER_DOUBLES, 3, 1)                                                     \
    KERNEL(frontier_gpu_words_1, FRONTIER_WORDS, 1, 1)                                                       \
    KERNEL(frontier_gpu_words_2, FRONTIER_WORDS, 1, 2)                                                       \
    KERNEL(frontier_gpu_words_3, FRONTIER_WORDS, 1, 3)                                                       \
    KERNEL(frontier_gpu_words_4, FRONTIER_WORDS, 1, 4)                                                       \
    KERNEL(frontier_gpu_complex_words_1, FRONTIER_WORDS, 2, 1)                                               \
    KERNEL(frontier_gpu_complex_words_2, FRONTIER_WORDS, 2, 2)                                               \
    KERNEL(frontier_gpu_complex_words_3, FRONTIER_WORDS, 2, 3)                                               \
    KERNEL(frontier_gpu_complex_words_4, FRONTIER_WORDS, 2, 4)

typedef struct frontier_gpu_tables {
    unsigned long long binomial[64][64]; /* [n][k], 0 for k > n */
    unsigned short rank[1 << FRONTIER_GPU_LOW];
    unsigned short set[1 << FRONTIER_GPU_LOW]; /* by number of bits, ascending among equals */
    int first[FRONTIER_GPU_LOW + 2]; /* those with k bits are set[first[k]] … set[first[k + 1] - 1] */
} frontier_gpu_tables;

typedef struct frontier_gpu_step {
    int open_before, open, used; /* `used` afterwards */
    int entry_count, close_count;
    int bit[FRONTIER_GPU_STEP + 1];                                              /* of each entry */
    int close[FRONTIER_GPU_STEP + 1];                                            /* ascending */
    unsigned long long factor[(FRONTIER_GPU_STEP + 1) * 2 * FRONTIER_GPU_WORDS]; /* units of each entry */
    long long states_before, states;
    long long first, end; /* what this launch takes of the sets' bits from FRONTIER_GPU_LOW on */
} frontier_gpu_step;

#endif
