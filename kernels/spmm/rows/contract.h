/* The contract between lib/spmm/families and the device kernels rows_… (see common/gpu.h). */
#ifndef SPMM_ROWS_CONTRACT_H
#define SPMM_ROWS_CONTRACT_H

#include "spmm/common/gpu.h"

/* Consecutive entries of a row. */
typedef struct spmm_gpu_segment {
    long long first; /* entry */
    int count;
    int row; /* part p of a cut row: -1-p */
} spmm_gpu_segment;

/* Of a block of rows_…: where rows are narrow, small blocks leave no multiprocessor without work at the end.
 */
#define SPMM_GPU_ROWS_THREADS(lanes) ((lanes) < 16 ? 64 : 128)

/* kernels rows_…: A in compressed rows. Long segments,
 * which have a block each, come first; only they may be parts. Dynamic shared memory, if there are any: for
 * each warp of a block the sums of a tile, and 16 bytes.
 */
typedef struct spmm_gpu_rows {
    const spmm_gpu_segment *segments;
    const spmm_gpu_part *parts;
    const void *entry;                   /* spmm_gpu_entry, or the doubles of all entries, … */
    const int *column;                   /* … with their columns */
    long long long_count, segment_count; /* the latter: the others */
    spmm_gpu_operands operands;          /* partial: [part][vectors] of 16 bytes of C, as sums */
} spmm_gpu_rows;

#endif
