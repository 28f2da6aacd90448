/* A in tiles of 128 rows, as the device kernels panels_… take it (kernels/spmm/gpu.h). */
#ifndef SPMM_PANELS_H
#define SPMM_PANELS_H

#include "base/context.h"
#include "spmm/kernel.h"
#include "spmm/pieces.h"

typedef struct spmm_panels_shape {
    spmm_precision precision;
    int depth;    /* columns of a tile, a multiple of 16, at most 64 */
    int64_t most; /* tiles of a piece */
} spmm_panels_shape;

typedef struct spmm_panels {
    spmm_panels_shape shape;
    int64_t band_count, steps; /* rows of tiles, tiles in each */
    spmm_pieces pieces;
    int64_t *start;     /* [band * steps + step], and the end */
    uint16_t *position; /* [entry] */
    void *value;        /* [entry], in the precision's format */
} spmm_panels;

/* BASE_FAILED: 2^31 tiles or more. O(nnz + tiles). */
base_status spmm_panels_init(base_context *context, const spmm_csr *a, const spmm_panels_shape *shape,
                             spmm_panels *panels);
void spmm_panels_free(spmm_panels *panels); /* NULL is allowed */

/* Where row 0 … 127 and column 0 … depth-1 of a tile stand in it. */
int spmm_panels_position(spmm_precision precision, int row, int column);

#endif
