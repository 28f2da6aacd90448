/* A in windows of rows with their distinct columns, as the device kernels windows_… take it
 * (kernels/spmm/gpu.h). */
#ifndef SPMM_WINDOWS_H
#define SPMM_WINDOWS_H

#include "base/context.h"
#include "spmm/kernel.h"
#include "spmm/pieces.h"

typedef struct spmm_windows_shape {
    spmm_precision precision;
    int height;           /* rows of a window: 16, 32, … 128 */
    bool dense;           /* zeros are stored */
    int64_t most;         /* chunks of a piece */
    const int32_t *order; /* rows in the order in which windows take them; NULL: as they come */
} spmm_windows_shape;

typedef struct spmm_windows {
    spmm_windows_shape shape;
    int64_t window_count, chunk_count;
    spmm_pieces pieces;
    int32_t *row;    /* [window][height]; -1: none */
    int32_t *column; /* [chunk][16] */
    int64_t *start;  /* [chunk + 1] */
    void *value;     /* [entry] with positions, dense: [chunk][height * 16] numbers */
    int64_t bytes;   /* of `value` */
} spmm_windows;

/* Fails with BASE_MACHINE. On context->threads threads. O(nnz log height + rows). */
base_status spmm_windows_init(base_context *context, const spmm_csr *a, const spmm_windows_shape *shape,
                              spmm_windows *windows);
void spmm_windows_free(spmm_windows *windows); /* NULL is allowed */

/* Where row 0 … height-1 and column 0 … 15 of a chunk stand in it. */
int spmm_windows_position(spmm_precision precision, int row, int column);

#endif
