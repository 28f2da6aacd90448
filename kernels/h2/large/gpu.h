/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/h2/device and the device kernels for ranks above 64, up to 256, and leaves of up
 * to 512 points. What does not fit shared memory stays in global memory, and panels of it are brought in.
 * Everything is computed in binary64; numbers of a matrix may be binary32, as flags say. Addresses are those
 * of the device.
 *
 *     h2_gpu_sum_products(sums, terms)               grid: sums × tiles of the largest C
 *     h2_gpu_factor(tasks)                           A = Q R, one grid block each
 *     h2_gpu_weigh_rows(tasks, blocks)               R of stacked blocks, one grid block each
 *     h2_gpu_resolve(how, is_gram, room, tasks, state)
 *     h2_gpu_settle(how, tasks, state)               both for each level of a truncation */
#ifndef H2_LARGE_GPU_H
#define H2_LARGE_GPU_H

#include "h2/compress/gpu.h"

enum {
    H2_GPU_LARGE_RANK = 256,
    H2_GPU_LARGE_ROWS = 512, /* of a stack of two children, or of a leaf */
    H2_GPU_LARGE_THREADS = 256,
    H2_GPU_SUM_THREADS = 128,
    H2_GPU_SUM_EDGE = 64,    /* of C, a grid block */
    H2_GPU_PANEL = 16,       /* columns that are reflected together */
    H2_GPU_PANEL_STRIDE = 20 /* numbers of a panel's row: no two of a fragment in one bank */
};

typedef enum h2_gpu_sum_flag {
    H2_GPU_SUM_ADDS = 1,      /* C += …; else C = … */
    H2_GPU_SUM_SYMMETRIC = 2, /* C is; half of it is computed */
    H2_GPU_SUM_SINGLE = 4,    /* C is binary32 */
    H2_GPU_LEFT_SINGLE = 8,   /* of a term: A is, B is */
    H2_GPU_RIGHT_SINGLE = 16
} h2_gpu_sum_flag;

/* C (m × n, rows `stride` apart) = Σ A B over `count` terms from `first` on. */
typedef struct h2_gpu_products {
    unsigned long long c;
    long long first;
    int count, m, n, stride, flags, reserved;
} h2_gpu_products;

/* A (m × p) has entry (i, j) at i·a_row + j·a_col; B (p × n) likewise. */
typedef struct h2_gpu_term {
    unsigned long long a, b;
    int p, flags, a_row, a_col, b_row, b_col;
} h2_gpu_term;

/* Numbers from one row of a workspace to the next, and rows of one: whole panels. */
#define H2_GPU_WHOLE(count) (((count) + H2_GPU_PANEL - 1) / H2_GPU_PANEL * H2_GPU_PANEL)

/* A (rows × cols) lies in the workspace `a`, H2_GPU_WHOLE(cols) numbers a row, or (from not 0) in a matrix.
 * The orthonormal basis goes to `to`, the upper triangular T (cols × cols) with a positive diagonal to `t`.
 * With no more rows than columns the basis is the identity and T is A. The workspace has room for
 * H2_GPU_FACTOR_NUMBERS. */
typedef struct h2_gpu_factor_task {
    unsigned long long a, from, to, t;
    int rows, cols, is_single, reserved;
} h2_gpu_factor_task;
#define H2_GPU_FACTOR_NUMBERS(rows, cols) ((H2_GPU_WHOLE(rows) + H2_GPU_PANEL) * H2_GPU_WHOLE(cols))

/* R (rank × rank, upper triangular) with RᵀR = Σ B Bᵀ over blocks, and RᵀR from before where `adds`. The
 * workspace has room for H2_GPU_WEIGH_NUMBERS. */
typedef struct h2_gpu_weigh_rows_task {
    unsigned long long a, weight;
    long long first;
    int count, rank, adds, reserved;
} h2_gpu_weigh_rows_task;
#define H2_GPU_WEIGH_NUMBERS(rank, other) ((H2_GPU_WHOLE(rank) + H2_GPU_WHOLE(other)) * H2_GPU_WHOLE(rank))

/* Bᵀ (rows × rank) has entry (i, j) at i·row_step + j·col_step. */
typedef struct h2_gpu_joining {
    unsigned long long value;
    int rows, row_step, col_step, is_single;
} h2_gpu_joining;

/* Dynamic shared memory of both for panels of so many rows. */
#define H2_GPU_PANEL_BYTES(rows) ((long long)(H2_GPU_WHOLE(rows) * H2_GPU_PANEL_STRIDE + 3440) * 8)

/* A node: R Zᵀ (rank × length), or Z G Zᵀ (length × length), in `a`, where it is destroyed, or (from not 0)
 * in `from`, which stays. The vectors (found × length) and their singular values follow from it. */
typedef struct h2_gpu_resolve_task {
    unsigned long long a, from, vectors, sigma;
    int node, rank, length, level;
} h2_gpu_resolve_task;

#endif
