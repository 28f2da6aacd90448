/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm and the device kernels for C = alpha A B + beta C, A sparse, B and C dense by
 * rows. Each kernel exists for several types of numbers: half (fp16), bfloat (bf16), float, double; A, B and
 * C have the same type (C may have float for half and bfloat: `wide`), sums are float or double.
 *
 * Rows of B and C begin at multiples of 16 bytes and are padded to them; padding of B is read, padding of C
 * is written. Indices of columns have 32 bits, positions of entries 64.
 *
 * Long rows and windows are cut into parts, whose sums are stored in `partial` and added in a fixed order, so
 * that the same input gives the same bits: those of merge_… by a second kernel (reduction_…), those of chunks
 * of B by all blocks when they meet (bstationary_…), the others by the part that arrives last. `arrived`
 * starts as zeros and is left as zeros. */
#ifndef SPMM_COMMON_GPU_H
#define SPMM_COMMON_GPU_H

enum {
    SPMM_GPU_THREADS = 128, /* of a block of rowpairs_… and reduction_… */
    SPMM_GPU_CHUNK = 16     /* columns of A that a window takes at a time */
};

/* An entry of A in compressed rows: its column and its value in the low bits of `value`. Doubles stand by
 * themselves there, and so do their columns; only windows have them with a position, in 16 bytes. */
typedef struct spmm_gpu_entry {
    int column;
    unsigned value;
} spmm_gpu_entry;

typedef struct spmm_gpu_double_entry {
    int column, unused;
    double value;
} spmm_gpu_double_entry;

/* Kernels read ahead: this many more entries follow the last one, zeros of column 0. */
enum { SPMM_GPU_ENTRIES_BEHIND = 256 };

/* Dense matrices, and memory for the sums of parts. A tile of C has the columns that a worker computes. */
typedef struct spmm_gpu_operands {
    const void *b;
    void *c;
    void *partial;
    unsigned *arrived;      /* [part][tile], of the first part of what is cut; bstationary_…: [tile][2] */
    int b_stride, c_stride; /* bytes from row to row */
    int vectors;            /* of 16 bytes in a row of B */
    int tiles;              /* side by side */
    int tiles_first;        /* 0: all tiles of a piece of A one after the other, 1: all pieces for a tile */
    int wide;
    double alpha, beta;
} spmm_gpu_operands;

/* What a cut row or window knows of one of its parts; a row or window that is not cut has none. */
typedef struct spmm_gpu_part {
    int target;       /* row or window */
    int first, count; /* parts first … first+count-1 belong to it */
    int unused;
} spmm_gpu_part;

/* Consecutive chunks of a window: of 16 of its columns, or tiles of a band of rows. */
typedef struct spmm_gpu_piece {
    int first; /* chunk */
    int count;
    int window; /* part p of a cut window: -1-p */
    int unused;
} spmm_gpu_piece;

#endif
