/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/bstationary.c and the device kernels bstationary_…: plain
 * arithmetic with B stationary, that is with some columns of a chunk of rows of B in shared memory, so that
 * no entry of A reads from a cache.
 *
 * A block takes one chunk. Where B has several, each leaves its sums in memory of its own; blocks of a tile
 * wait for each other, and then each adds the sums of some rows. So all of them have to be resident: a
 * cooperative launch. body.h has the kernel, types.h its variants for a type and variants.h all of them;
 * pack/rows.h sorts rows by length and orders entries so that threads read from different banks. common/gpu.h
 * has what all families share. */
#ifndef SPMM_BSTATIONARY_CONTRACT_H
#define SPMM_BSTATIONARY_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels bstationary_…: a tile of every row of the chunk in shared memory, one block for these columns of
 * some rows of C. Rows stand in bundles, sorted by their lengths among SPMM_GPU_BSTATIONARY_SORTED
 * neighbours, the longest first. A bundle has batches of four entries of each row, filled up with zeros:
 * entry 4b + k of the row at `place` is number ((first + b) * SPMM_GPU_BSTATIONARY_ROWS + place) * 4 + k. Its
 * column modulo 4 is (k + b + place) % 4 where the row has enough such columns, so that threads that read
 * together read from different banks. Doubles stand in two halves of a batch, so that threads read
 * consecutive 16 bytes (spmm_place_in_batch of pack/place.h). */
typedef struct spmm_gpu_bstationary {
    const int *start;             /* [chunk][bundle], and the end: batches */
    const int *row;               /* [chunk][bundle][SPMM_GPU_BSTATIONARY_ROWS], as far as there are rows */
    const unsigned short *column; /* [batch][SPMM_GPU_BSTATIONARY_ROWS][4], in the chunk */
    const void *value;            /* so too; doubles [batch][2][SPMM_GPU_BSTATIONARY_ROWS][2] */
    int bundles, shares;          /* of a chunk; blocks for a tile and chunk */
    int nrow, ncol;               /* of A */
    int chunk, chunks;            /* rows of B in one; how many */
    spmm_gpu_operands operands;   /* several chunks: partial [row][chunk][vectors], arrived [tile][2] */
} spmm_gpu_bstationary;

enum {
    SPMM_GPU_BSTATIONARY_THREADS = 1024,
    SPMM_GPU_BSTATIONARY_ROWS = 32,
    SPMM_GPU_BSTATIONARY_SORTED = 1024,
    SPMM_GPU_BSTATIONARY_BEHIND = 32 /* batches of zeros that follow the last: they are read ahead */
};

#endif
