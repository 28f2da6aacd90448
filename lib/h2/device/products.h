/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps for ranks above 64 (large.h) are made of: their kernels, lists of sums of products that one
 * launch computes, and lists of work that are cut into pieces which a workspace has room for. */
#ifndef H2_DEVICE_PRODUCTS_H
#define H2_DEVICE_PRODUCTS_H

#include "h2/device/device.h"
#include "h2/large/gpu.h"

/* The kernels of kernels/h2/large, valid until the devices are closed. */
typedef struct h2_device_kernels {
    base_device *device;
    base_device_function sum, factor, weigh, resolve, settle;
} h2_device_kernels;

base_status h2_device_get_kernels(base_context *context, base_device *device, h2_device_kernels *kernels);

/* ---- sums of products ---- */

typedef struct h2_device_products {
    h2_gpu_products *sum;
    h2_gpu_term *term;
    int64_t sums, terms;
    base_device_buffer sum_buffer, term_buffer;
} h2_device_products;

/* Room for so many. */
base_status h2_device_products_open(base_context *context, int64_t sums, int64_t terms,
                                    h2_device_products *list);
void h2_device_products_close(h2_device_products *list); /* a zeroed one is allowed */

/* A matrix at an address: entry (i, j) at i·row + j·col. */
typedef struct h2_device_factor {
    uint64_t address;
    int64_t row, col;
    bool single;
} h2_device_factor;

/* The m × n matrix c, row by row, becomes the sum of the terms that are added next; flags: h2_gpu_sum_flag.
 * An empty c is no sum. */
void h2_device_products_begin(h2_device_products *list, uint64_t c, int64_t m, int64_t n, int flags);
void h2_device_products_add(h2_device_products *list, int64_t p, h2_device_factor a, h2_device_factor b);

/* The list to the device, once; then sums first … end - 1 are computed. */
base_status h2_device_products_send(base_context *context, base_device *device, h2_device_products *list);
base_status h2_device_products_launch(base_context *context, const h2_device_kernels *kernels,
                                      const h2_device_products *list, int64_t first, int64_t end);

/* ---- pieces ---- */

/* Work from `task` on, until that of the next piece; sums from `first` to `middle`, then to `last`, then to
 * `end`, as far as a step has such. */
typedef struct h2_device_piece {
    int64_t task, first, middle, last, end;
} h2_device_piece;

typedef struct h2_device_pieces {
    base_device_buffer work;
    int64_t room, used; /* numbers */
    int64_t count;
    h2_device_piece *piece; /* count + 1 */
} h2_device_pieces;

/* A workspace for tasks that take `most` numbers each, at most, and `all` together: all of it, or as much as
 * a quarter of the free memory and a gibibyte have room for, one task at least. Memory: a few words a task.
 */
base_status h2_device_pieces_open(base_context *context, base_device *device, int64_t tasks, int64_t most,
                                  int64_t all, h2_device_pieces *pieces);
void h2_device_pieces_close(h2_device_pieces *pieces); /* a zeroed one is allowed */

/* The address of so many numbers; *begins: the first ones of a piece, because `apart` was asked for or the
 * last one is full. */
uint64_t h2_device_pieces_take(h2_device_pieces *pieces, int64_t numbers, bool apart, bool *begins);

#endif
