/* SPDX-License-Identifier: BSD-3-Clause */
/* A product as lists of small tasks, which the kernels of a device work off: made on the host. */
#ifndef H2_PRODUCT_TASKS_H
#define H2_PRODUCT_TASKS_H

#include "h2/matrix/matrix.h"
#include "h2/product/gpu.h"

/* What a product consists of, piece by piece; the same on every device. */
typedef struct h2_product_phase {
    int64_t first, count; /* tasks, or sums */
    int flags;
    bool is_base; /* tasks of one block */
} h2_product_phase;

typedef struct h2_product_tasks {
    h2_gpu_task *task;
    h2_gpu_block *block;
    h2_gpu_sum *sum;
    h2_gpu_pair *pair; /* with several vectors, for coupling and dense blocks */
    h2_gpu_piece *piece;
    int64_t tasks, blocks, sums, pairs, pieces;
    h2_product_phase up[H2_MOST_LEVELS],
        down[H2_MOST_LEVELS]; /* by levels; up[last] and down[last]: leaves */
    h2_product_phase coupling, dense, coupling_sum, dense_sum;
    int64_t coupling_slots, dense_slots;                 /* places */
    int64_t in, out;                                     /* coefficients */
    int64_t *slot_of, *next_slot, *points, *point_place; /* of each node */
} h2_product_tasks;

/* Makes the tasks for A, or Aᵀ, and `width` vectors at a time. BASE_MACHINE when a number exceeds what the
 * kernels index. */
base_status h2_product_tasks_init(base_context *context, const h2_matrix *matrix, bool transposed, int width,
                                  h2_product_tasks *tasks);
void h2_product_tasks_free(h2_product_tasks *tasks);

/* Vectors done at a time: 1, 8 or 16. */
static inline int h2_product_width(int64_t vectors) {
    return vectors == 1 ? 1 : vectors <= 8 ? 8 : 16;
}

#endif
