/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/h2/device/compress.c and truncate.c and the device kernels of compression. All
 * numbers but those of the matrix are binary64. A basis has ranks of at most 64; its nodes have one grid
 * block each.
 *
 *     h2_gpu_weigh_fp64(tasks, blocks, values, weights)              the node's own blocks
 *     h2_gpu_weigh_parent_fp64(tasks, transfers, weights)            then those of its ancestors, by levels
 *     h2_gpu_truncate_fp64(how, tasks, transfers, state)             from the leaves up, by levels:
 *     h2_gpu_keep(how, tasks, state)                                 both for each level
 *     h2_gpu_store_fp64(tasks, from, to, state)
 *     h2_gpu_squares_fp64(count, values, sums)                       squares of pieces of values
 *
 * and _fp32 likewise. h2_gpu_weigh_gram_fp64, h2_gpu_weigh_parent_gram_fp64 and
 * h2_gpu_truncate_gram_fp64(how, count, tasks, transfers, state) do the same with Gram matrices RᵀR instead
 * of R, faster and less exactly. */
#ifndef H2_COMPRESS_GPU_H
#define H2_COMPRESS_GPU_H

#include "h2/orthog/gpu.h"

enum {
    H2_GPU_WEIGH_SHARED_BYTES = 2 * 64 * 65 * 8, /* of weigh_parent: the parent's R and the transfer */
    H2_GPU_STACK = 128,                          /* most rows of a stack of two children */
    H2_GPU_GRAM_SHARED_BYTES = 2 * 64 * 68 * 8,  /* two pieces */
    H2_GPU_TRUNCATE_SHARED_BYTES = (64 * 128 + 64 * 65) * 8,
    H2_GPU_TRUNCATE_LEAF_SHARED_BYTES = 64 * 64 * 8,
    H2_GPU_SQUARES = 1 << 16 /* numbers of a sum */
};

/* A node's R (rank × rank, upper triangular) with RᵀR = Σ B Bᵀ: of its blocks first … first + count - 1, and
 * of the parent's R times the transposed transfer. */
typedef struct h2_gpu_weigh {
    long long first, weight, parent_weight, transfer;
    int count, rank, parent_rank, reserved;
} h2_gpu_weigh;

/* B is the block (rank × other), or (other × rank) its transpose. */
typedef struct h2_gpu_weigh_block {
    long long value;
    int other, is_row;
} h2_gpu_weigh_block;

/* A node's basis: leaves have the identity's columns to start from, others their children's T times transfer.
 * The places of R (weight), of T (rank × rank), of the vectors (rank × 128) and of the stack (128 × rank; of
 * a level). */
typedef struct h2_gpu_truncate {
    long long weight, t, vectors, stack, transfer, sigma;
    long long child_t[2];
    int child[2], child_old[2]; /* nodes, -1: none; old ranks */
    int node, rank, is_leaf, level;
} h2_gpu_truncate;

/* Arrays by nodes, and those into which the tasks point. */
typedef struct h2_gpu_truncate_state {
    const double *weights;
    double *t, *vectors, *stacks, *sigma;
    double *cut;              /* of each node: squares that were not resolved, then all that were cut off */
    double *products;         /* of Gram matrices, 128 × 128 for each grid block */
    int *rank, *found, *most; /* kept, resolved; most: kept of any node, by levels */
} h2_gpu_truncate_state;

typedef struct h2_gpu_truncate_how {
    double threshold;              /* as h2_truncation has it (change/truncate.h) */
    double relative, absolute;     /* where a factorization may end (lib/h2/change/rule.h) */
    double rounding;               /* squares below this part of the first are noise */
    int rule, method, level_ranks; /* h2_rule, h2_method */
} h2_gpu_truncate_how;

/* A leaf: rows × old basis times the kept vectors (old long); another node: the transfers of all its
 * children, the kept vectors (rows long) transposed. */
typedef struct h2_gpu_store_task {
    long long from, to, vectors;
    int rows, old, rank, is_leaf;
} h2_gpu_store_task;

#endif
