/* Windows (or rows of tiles) cut into pieces of about equal numbers of chunks (kernels/spmm/gpu.h). */
#ifndef SPMM_PIECES_H
#define SPMM_PIECES_H

#include "base/context.h"
#include "spmm/gpu.h"

typedef struct spmm_pieces {
    int64_t count, part_count;
    spmm_gpu_piece *piece; /* every window has one or more */
    spmm_gpu_part *part;   /* at least one is allocated */
} spmm_pieces;

/* Window w has chunks chunk[w] … chunk[w + 1] - 1; pieces have `most` at most. Fails with BASE_MACHINE. */
base_status spmm_pieces_init(base_context *context, const int64_t *chunk, int64_t window_count, int64_t most,
                             spmm_pieces *pieces);
void spmm_pieces_free(spmm_pieces *pieces); /* NULL is allowed */

#endif
