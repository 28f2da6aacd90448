/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/rows.c and the device kernels rows_…: plain arithmetic by rows,
 * several threads side by side to a row and several subwarps to a long one (row splitting and subwarp
 * tiling: Yang, Buluç and Owens, Euro-Par 2018; Gale et al., Sparse GPU kernels for deep learning, SC
 * 2020).
 *
 * It serves every matrix. body.h has the kernel, types.h and depths.h its variants for a type and
 * variants.h all of them; pack/rows.h cuts long rows into segments. common/gpu.h has what all families
 * share. */
#ifndef SPMM_ROWS_CONTRACT_H
#define SPMM_ROWS_CONTRACT_H

#include "spmm/common/gpu.h"

/* Consecutive entries of a row. */
typedef struct spmm_gpu_segment {
    long long first; /* entry */
    int count;
    int row; /* part p of a cut row: -1-p */
} spmm_gpu_segment;

/* Threads of a block of rows_…. Where tiles are narrow the blocks are small, so that no multiprocessor is
 * left without work at the end. */
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
