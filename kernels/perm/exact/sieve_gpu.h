/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/exact/device.c and the device kernels for exact permanents of small integers:
 * the sum of kernel.h with |x_i| <= 127, skipping the subsets in which some row sum is 0,
 * sieve_gpu_1 … sieve_gpu_4 for one to four primes.
 *
 * Row sums stand four to a word, as bytes x + 128, row 4 w + b in byte b of word w; a word gains the sum of
 * its changes times 256^b in one addition, since no byte leaves its range. Bytes behind the rows are 129. */
#ifndef PERM_EXACT_SIEVE_GPU_H
#define PERM_EXACT_SIEVE_GPU_H

enum {
    SIEVE_GPU_INNER = 3, /* B of common/gray_gpu.h: a thread has 2^(B+S) subsets */
    SIEVE_GPU_WORDS = 16,
    SIEVE_GPU_QUEUE = 64 /* subsets that wait in a warp */
};

typedef struct sieve_gpu_tables {
    int group_count, words; /* words: even */
    int group_end[64];
    double prime[4];
    unsigned start[SIEVE_GPU_WORDS];
    unsigned up[64][SIEVE_GPU_WORDS]; /* [column]: what the words gain when its sign turns to 1 */
} sieve_gpu_tables;

/* A block leaves its residue for each prime, between -prime and prime, as long long. */

#endif
