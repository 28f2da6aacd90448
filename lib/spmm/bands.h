/* A in tiles of 128 rows and 128 bytes of columns, as the device kernels bands_… take it
 * (kernels/spmm/gpu.h). */
#ifndef SPMM_BANDS_H
#define SPMM_BANDS_H

#include "base/context.h"
#include "spmm/kernel.h"
#include "spmm/pieces.h"

typedef struct spmm_bands {
    int depth;                 /* columns of a tile */
    int64_t band_count, steps; /* rows of tiles, tiles in each */
    int64_t vector_count;
    spmm_pieces pieces;
    int32_t *start;  /* [slab], and the end: vectors */
    uint32_t *entry; /* [vector][4] */
} spmm_bands;

/* Not for fp64; pieces have `most` tiles at most. BASE_FAILED: 2^31 tiles or vectors or more. On
 * context->threads threads. O(nnz + tiles). */
base_status spmm_bands_init(base_context *context, const spmm_csr *a, spmm_precision precision, int64_t most,
                            spmm_bands *bands);
void spmm_bands_free(spmm_bands *bands); /* NULL is allowed */

/* The position of byte 0 … 127 of row 0 … 15 of a slab. */
int spmm_bands_position(int row, int byte);

#endif
