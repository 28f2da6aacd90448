/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/bstreamed.c and the device kernels bstreamed_…: plain arithmetic
 * with B streamed: a block computes 128 or 256 rows of C while B passes through its shared memory in chunks
 * of rows (sparse tiling with dense operands in shared memory: Hong et al., Adaptive sparse tiling for sparse
 * matrix multiplication, PPoPP 2019).
 *
 * It serves where so many rows of A share each row of B that a copy of all of B costs less than a read for
 * each entry: matrices with a few percent of entries, in any places. body.h has the kernel, variants.h lists
 * all of them; pack/rows.h finds where entries of a row pass from chunk to chunk. common/gpu.h has what all
 * families share. */
#ifndef SPMM_BSTREAMED_CONTRACT_H
#define SPMM_BSTREAMED_CONTRACT_H

#include "spmm/common/gpu.h"

/* Threads of a block; bytes of a chunk of B in shared memory, where two are at a time: as many rows as fit
 * with their part in a tile. */
enum { SPMM_GPU_BSTREAMED_THREADS = 1024, SPMM_GPU_BSTREAMED_CHUNK_BYTES = 96 << 10 };

/* Rows of C of a block, for tiles of so many vectors of 16 bytes and so many rows of a thread; rows of B in a
 * chunk. */
#define SPMM_GPU_BSTREAMED_BLOCK(lanes, rows) (SPMM_GPU_BSTREAMED_THREADS / (lanes) * (rows))
#define SPMM_GPU_BSTREAMED_CHUNK(lanes) (SPMM_GPU_BSTREAMED_CHUNK_BYTES / 16 / (lanes))

/* kernels bstreamed_…: A in compressed rows, its columns ascending. Part p of `parts` takes consecutive
 * chunks. Dynamic shared memory: two chunks. */
typedef struct spmm_gpu_bstreamed {
    const long long *start; /* [row], and the end: entries */
    const int *before;      /* [chunk][row]: entries of the row before the chunk's end, from its first on */
    const void *entry;      /* spmm_gpu_entry, or the doubles of all entries, … */
    const int *column;      /* … with their columns */
    int nrow, ncol;         /* of A */
    int chunks, parts;      /* of B; among which blocks divide the chunks */
    spmm_gpu_operands operands; /* partial: [row][part][vectors] of 16 bytes of C, as sums */
} spmm_gpu_bstreamed;

#endif
