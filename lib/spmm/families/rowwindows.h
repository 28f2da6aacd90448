/* SPDX-License-Identifier: BSD-3-Clause */
/* What the families that work by windows have in common: rowwindows_…, rings_… and blocks_…. A window is some
 * rows of A together, each with its distinct columns, so that a row of B is read once for all of them.
 * Variants: `tall` times 16 rows, 0 standing for 8; `width` words of B in a read; `groups` of columns;
 * `dense`: zeros stored; `most`: chunks of a piece. */
#ifndef SPMM_FAMILIES_ROWWINDOWS_H
#define SPMM_FAMILIES_ROWWINDOWS_H

#include "spmm/device/family.h"

/* The rows of a window, and their index in spmm_height. */
int spmm_rowwindows_rows(const spmm_device_variant *variant);
int spmm_rowwindows_height(const spmm_device_variant *variant);

/* Brings A into windows: into the room there is, most often; else again, with memory for the chunks that were
 * counted. */
base_status spmm_rowwindows_prepare(const spmm_device_packing *it);

/* Submits a grid, … */
base_status spmm_rowwindows_launch(base_context *context, const spmm_device_product *product,
                                   const spmm_gpu_operands *operands, const base_device_launch_config *shape,
                                   base_device_stream *stream);

/* … or as many of its blocks as are resident at a time. */
base_status spmm_rowwindows_launch_resident(base_context *context, const spmm_device_product *product,
                                            const spmm_gpu_operands *operands, int64_t blocks, int threads,
                                            int64_t shared_bytes, base_device_stream *stream);

/* A variant of rowwindows_…. Tall windows of 16-bit numbers exist in more shapes than those of others. */
void spmm_rowwindows_configure(const base_device_properties *device, const spmm_problem *problem, int height,
                               bool dense, spmm_device_variant *variant);

/* Rows of B once for each distinct column of a window, in whole tiles. */
void spmm_rowwindows_count(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_variant *variant, double count[SPMM_TERMS]);

/* Bytes of A. */
double spmm_rowwindows_format_bytes(const spmm_problem *problem, const spmm_device_variant *variant);

/* A variant of rings_…, of which blocks of several warps take 128 columns at a time. */
void spmm_rings_configure(int height, spmm_device_variant *variant);

#endif
