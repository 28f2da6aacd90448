/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/h2/device/product.c and the device kernels of products.
 *
 * A task is a piece of rows of the matrix with the blocks that lie in it. Bases, transfers, coupling blocks
 * and dense blocks are all tasks: one kernel does them. Vectors are binary64, whatever the type of the
 * blocks, and stand side by side: those of one place are `vectors` numbers.
 *
 *     h2_gpu_apply_1_fp64(tasks, blocks, values, x, xt, y, slots, flags)     one vector; _fp32 likewise
 *     h2_gpu_base_1_fp64, …                                                  one block a task, one direction
 *
 * With H2_GPU_FORWARD y of a task becomes (H2_GPU_ADD: gains) the sum of S x over its blocks; with
 * H2_GPU_TRANSPOSED a block's slot becomes Sᵀ xt, unless the slot is -1. One grid block does one task, block
 * by block, so each number is read once and every sum has one order. */
#ifndef H2_PRODUCT_GPU_H
#define H2_PRODUCT_GPU_H

typedef struct h2_gpu_task {
    long long first;      /* block; they follow each other */
    int count, rows, row; /* blocks, at least one; rows of the task; place of the first in y and xt */
    int reserved;
} h2_gpu_task;

typedef struct h2_gpu_block {
    long long value, slot; /* place in values, of a row-major rows × cols block; place in slots, or -1 */
    int col, cols;         /* place in x */
} h2_gpu_block;

/* With several vectors blocks of two children of a node are done together, in pieces of at most 64 × 64
 * numbers, so that what both add to a column needs one slot: h2_gpu_apply_8_fp64(pairs, pieces, …). Pieces of
 * one column follow each other. */
typedef struct h2_gpu_pair {
    long long first;     /* piece */
    int count, reserved; /* pieces, at least one */
    int row[2], rows[2]; /* of both halves: place in y and xt, at most 64 */
} h2_gpu_pair;

typedef struct h2_gpu_piece {
    long long value, slot; /* places of the first number, and in slots */
    int width;             /* numbers from one row to the next */
    int rows, cols, col;   /* place in x */
    int half, flags;       /* H2_GPU_TRANSPOSED, of those the first and the last of a slot, and H2_GPU_SAME */
} h2_gpu_piece;

/* y of a node becomes the sum of its slots, which follow each other, and (H2_GPU_ADD) of what was there.
 *     h2_gpu_sum_slots(sums, slots, y, vectors, flags) */
typedef struct h2_gpu_sum {
    long long slot;
    int count, numbers; /* slots, places of each */
    int place, reserved;
} h2_gpu_sum;

enum {
    H2_GPU_FORWARD = 1,
    H2_GPU_ADD = 2,
    H2_GPU_TRANSPOSED = 4,
    H2_GPU_FIRST = 8,
    H2_GPU_LAST = 16,
    H2_GPU_SAME = 32 /* the columns are those of the piece before */
};

enum {
    H2_GPU_THREADS = 256,
    H2_GPU_WARPS = 8,
    H2_GPU_MANY_THREADS = 128, /* of h2_gpu_base_8 and _16 */
    H2_GPU_PAD = 4             /* beside a row of vectors in shared memory */
};

/* Dynamic shared memory of the kernels for 8 and 16 vectors: two pieces and three pieces of vectors; of those
 * for bases, one of each. */
#define H2_GPU_SHARED_BYTES(value_bytes, vectors)                                                            \
    (64 * (2 * 68 * (value_bytes) + 4 * ((vectors) + H2_GPU_PAD) * 8))
#define H2_GPU_BASE_SHARED_BYTES(value_bytes, vectors)                                                       \
    (64 * (68 * (value_bytes) + ((vectors) + H2_GPU_PAD) * 8))

#endif
