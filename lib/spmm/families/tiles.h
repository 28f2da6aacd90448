/* SPDX-License-Identifier: BSD-3-Clause */
/* What the families that compute zeros as well have in common: A in bands of 128 rows, cut into tiles. */
#ifndef SPMM_FAMILIES_TILES_H
#define SPMM_FAMILIES_TILES_H

#include "spmm/device/family.h"
#include "spmm/device/packing.h"

/* Plans the tiles of all bands, and as many pieces for each. */
base_status spmm_tiles_begin(const spmm_device_packing *it, int64_t depth, int64_t shared_bytes,
                             int64_t *bands, spmm_pack_tiles *pack);

enum { SPMM_TILES_SLICES = 3 };

/* Allocates pieces, parts and the `count` slices of a family's own, at most SPMM_TILES_SLICES, among them
 * product->value, and hands over where pieces, parts and values go. */
base_status spmm_tiles_alloc(const spmm_device_packing *it, const spmm_device_slice *own, int count,
                             spmm_pack_tiles *pack);

/* Launches a block of `threads` for each piece and tile of C. */
base_status spmm_tiles_launch(base_context *context, spmm_device_product *product,
                              const spmm_gpu_operands *operands, int threads, int64_t shared_bytes,
                              base_device_stream *stream, void *argument);

/* The rows of a part. */
int spmm_tiles_part_rows(const spmm_device_variant *variant);

/* Cuts bands, whose blocks compute so many columns of C, into at most `most` parts: into as many as give each
 * multiprocessor two blocks. variant->most becomes the steps of a part. */
void spmm_tiles_cut(const base_device_properties *device, const spmm_problem *problem, int64_t columns,
                    int64_t most, spmm_device_variant *variant);

/* Counts the work: all columns of B for bands of rows, in whole tiles. */
void spmm_tiles_count(const base_device_properties *device, const spmm_problem *problem,
                      const spmm_device_variant *variant, double count[SPMM_TERMS]);

/* Counts the work of so many blocks of a band and a tile. */
void spmm_tiles_count_blocks(const spmm_problem *problem, const spmm_device_variant *variant, double blocks,
                             double *count);

#endif
