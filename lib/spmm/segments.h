/* A in compressed rows as the device kernels rows_… take it (kernels/spmm/gpu.h): the entries of long rows
 * are cut into segments. */
#ifndef SPMM_SEGMENTS_H
#define SPMM_SEGMENTS_H

#include "base/context.h"
#include "spmm/gpu.h"
#include "spmm/kernel.h"

typedef struct spmm_segments {
    int64_t count, part_count;
    spmm_gpu_segment *segment; /* every row has one or more */
    spmm_gpu_part *part;       /* at least one is allocated */
} spmm_segments;

/* Segments of at most `most` entries, those of a row about equal, in the order of the rows; `sorted`: long
 * ones first. Fails with BASE_MACHINE. O(rows + segments). */
base_status spmm_segments_init(base_context *context, const spmm_csr *a, int64_t most, bool sorted,
                               spmm_segments *segments);
void spmm_segments_free(spmm_segments *segments); /* NULL is allowed */

#endif
