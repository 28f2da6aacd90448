/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of H² matrices with vectors on a GPU. */
#ifndef H2_DEVICE_PRODUCT_H
#define H2_DEVICE_PRODUCT_H

#include "h2/device/device.h"
#include "h2/product/tasks.h"

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

/* As h2_device_mv, with vectors in the device's memory; returns before the product is done. */
base_status h2_device_mv_resident(base_context *context, h2_device_plan *plan, double alpha, uint64_t x,
                                  double beta, uint64_t y, int64_t vectors);

/* Seconds of the phases, one after another, with what the workspace holds: up, coupling blocks, sums of their
 * transposes, down, leaves, dense blocks, sums of their transposes. For benchmarks. */
enum { H2_PRODUCT_PHASES = 7 };
base_status h2_device_mv_measure(base_context *context, h2_device_plan *plan, double *seconds);

#endif
