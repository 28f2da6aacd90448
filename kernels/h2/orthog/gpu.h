/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/h2/device/orthog.c and the device kernels that orthogonalize bases and change the
 * coupling blocks with them. Changes of bases T are binary64, whatever the type of the matrix.
 *
 *     h2_gpu_orthogonalize_fp64(tasks, from, to, t)
 *     h2_gpu_change_fp64(tasks, blocks, from, to, row_t, col_t)              _fp32 likewise
 *
 * The first: one grid block makes the basis of one node orthonormal, Q R by Householder reflections with
 * columns in registers, four threads each. The second: one grid block replaces the coupling blocks S of one
 * row by T S Tᵀ, two products by tensor cores, the middle one never leaves the registers. */
#ifndef H2_ORTHOG_GPU_H
#define H2_ORTHOG_GPU_H

enum {
    H2_GPU_QR_THREADS = 256,
    H2_GPU_CHANGE_THREADS = 128,
    H2_GPU_QR_ROWS = 128, /* most of a stack; columns: H2_GPU_QR_COLS */
    H2_GPU_QR_COLS = 64,
    H2_GPU_QR_STRIDE = 65,                            /* of a T in shared memory */
    H2_GPU_QR_SHARED_BYTES = (64 * 65 + 64 * 64) * 8, /* T and transfer, then 64 vectors of 128 numbers */
    H2_GPU_CHANGE_SHARED_BYTES = 64 * (68 + 72 + 68) * 8,
    H2_GPU_COL_ROW = 72 /* of a column's T in shared memory */
};

/* A leaf: its rows × cols basis. Another node: up to two children, whose transfers (old rank × cols) lie one
 * below the other, multiplied by their T (rank × old rank; at most 64 each); rows are the sum of the ranks.
 * The orthonormal basis (rows × rank, rank the lesser of rows and cols) goes to `to`, the node's T (rank ×
 * cols) to `t`, where there is room for rows × cols. */
typedef struct h2_gpu_qr {
    long long from, to, t;
    long long child_t[2];
    int child_rank[2], child_old[2];
    int rows, cols, is_leaf, reserved;
} h2_gpu_qr;

/* Blocks of one row: rows are those of the old ones and of the new ones, T of the row is new × old. */
typedef struct h2_gpu_change {
    long long first, t; /* block; place in row_t */
    int count, old_rows, rows, reserved;
} h2_gpu_change;

typedef struct h2_gpu_change_block {
    long long from, to, t; /* places in the matrices, and in col_t */
    int old_cols, cols;
} h2_gpu_change_block;

#endif
