/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/bstationary.c and the device kernels bstationary_…: plain
 * arithmetic with B stationary, that is with some columns of a chunk of rows of B in shared memory, so that
 * no entry of A reads from a cache.
 *
 * A kernel takes one chunk. Where B has several, the next kernel may begin as this one ends, and adds to C
 * (beta 1) when it has ended. body.h has the kernel, types.h its variants for a type and
 * variants.h all of them; pack/rows.h sorts rows by length and orders entries so that threads read from
 * different banks. common/gpu.h has what all families share. */
#ifndef SPMM_BSTATIONARY_CONTRACT_H
#define SPMM_BSTATIONARY_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels bstationary_…: a tile of every row of the chunk in shared memory, one block for these columns of
 * some rows of C. Rows stand in bundles, sorted by their lengths among SPMM_GPU_BSTATIONARY_SORTED
 * neighbours, the longest first. A bundle has batches of four entries of each row, filled up with zeros:
 * entry 4b + k of the row at `place` is number ((first + b) * SPMM_GPU_BSTATIONARY_ROWS + place) * 4 + k. Its
 * column modulo 4 is (k + b + place) % 4 where the row has enough such columns, so that threads that read
 * together read from different banks. */
typedef struct spmm_gpu_bstationary {
    const int *start;             /* [bundle], and the end: batches */
    const int *row;               /* [bundle][SPMM_GPU_BSTATIONARY_ROWS], as far as there are rows */
    const unsigned short *column; /* [batch][SPMM_GPU_BSTATIONARY_ROWS][4], in the chunk */
    const void *value;            /* so too */
    int bundles, shares;          /* the latter: blocks for a tile */
    int nrow, ncol;               /* of A; columns of the chunk */
    spmm_gpu_operands operands;   /* without partial and arrived; B from the chunk on */
} spmm_gpu_bstationary;

enum {
    SPMM_GPU_BSTATIONARY_THREADS = 1024,
    SPMM_GPU_BSTATIONARY_ROWS = 32,
    SPMM_GPU_BSTATIONARY_SORTED = 1024,
    SPMM_GPU_BSTATIONARY_BEHIND = 32 /* batches of zeros that follow the last: they are read ahead */
};

#endif
