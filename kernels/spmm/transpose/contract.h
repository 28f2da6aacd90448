/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/device/array.c and the device kernels transpose_…, which bring dense matrices
 * from the layout of records, binary64 numbers column by column, into that of products, rows of one of the
 * formats of common/kernel.h, and back. Both read and write each number once.
 *
 * A block has SPMM_TRANSPOSE_THREADS threads and takes a tile of SPMM_TRANSPOSE_TILE rows and columns; there
 * are SPMM_TRANSPOSE_PARTS(nrow) times SPMM_TRANSPOSE_PARTS(stride) of them, those of 32 columns one after
 * the other. */
#ifndef SPMM_TRANSPOSE_CONTRACT_H
#define SPMM_TRANSPOSE_CONTRACT_H

enum { SPMM_TRANSPOSE_TILE = 32, SPMM_TRANSPOSE_THREADS = 256 };

/* How transpose_rows rounds: to nearest, ties to even, as spmm_round does on processors. */
typedef enum spmm_transpose_format {
    SPMM_TRANSPOSE_FP16,
    SPMM_TRANSPOSE_BF16,
    SPMM_TRANSPOSE_TF32, /* as binary32 */
    SPMM_TRANSPOSE_FP32,
    SPMM_TRANSPOSE_FP64
} spmm_transpose_format;

/* transpose_rows: `rows` of `columns`; numbers between ncol and `stride` become 0. transpose_columns: the
 * reverse, from fp32 or fp64. Both count in `beyond`, which starts at 0, the results that are not finite. */
typedef struct spmm_transpose {
    double *column;
    void *row;
    unsigned long long *beyond;
    long long nrow, ncol;
    long long stride; /* numbers from row to row */
    int format, unused;
} spmm_transpose;

/* transpose_round rounds `nrow` · `stride` numbers of `row` to tf32 where they are; a thread for each. */

#define SPMM_TRANSPOSE_PARTS(count) (((count) + SPMM_TRANSPOSE_TILE - 1) / SPMM_TRANSPOSE_TILE)

#endif
