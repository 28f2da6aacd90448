/* Products of H² matrices with vectors on a GPU. */
#ifndef H2_DEVICE_PRODUCT_H
#define H2_DEVICE_PRODUCT_H

#include "h2/device/device.h"
#include "h2/product/gpu.h"

/* What a product consists of, piece by piece; made on the host and the same on every device. */
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

/* For A, or Aᵀ, and `width` vectors at a time. BASE_MACHINE when a number exceeds what the kernels index. */
base_status h2_product_tasks_init(base_context *context, const h2_matrix *matrix, bool transposed, int width,
                                  h2_product_tasks *tasks);
void h2_product_tasks_free(h2_product_tasks *tasks);

/* Vectors done at a time: 1, 8 or 16. */
static inline int h2_product_width(int64_t vectors) {
    return vectors == 1 ? 1 : vectors <= 8 ? 8 : 16;
}

typedef struct h2_device_plan h2_device_plan;

/* Workspace for products of A, or Aᵀ, with up to `vectors` vectors at a time; more are done in groups of 16.
 * Memory on the device: a group's coefficients, and with half storage its products with the transposed
 * blocks. */
base_status h2_device_mv_open(base_context *context, const h2_device_matrix *on_device, bool transposed,
                              int64_t vectors, h2_device_plan **plan);
void h2_device_mv_close(h2_device_plan *plan); /* NULL is allowed */

/* y = alpha op(A) x + beta y as h2_mv does it (product/mv.h). Dense and low-rank blocks are worked on at the
 * same time, in two streams; each stored block is read once a group. Sums have one order: the same bits every
 * time. */
base_status h2_device_mv(base_context *context, h2_device_plan *plan, double alpha, const double *x,
                         double beta, double *y, int64_t vectors);

/* The same with vectors in the device's memory; returns before it is done. */
base_status h2_device_mv_resident(base_context *context, h2_device_plan *plan, double alpha, uint64_t x,
                                  double beta, uint64_t y, int64_t vectors);

/* Seconds of the phases, one after another, with what the workspace holds: up, coupling blocks, sums of their
 * transposes, down, leaves, dense blocks, sums of their transposes. For benchmarks. */
enum { H2_PRODUCT_PHASES = 7 };
base_status h2_device_mv_measure(base_context *context, h2_device_plan *plan, double *seconds);

#endif
