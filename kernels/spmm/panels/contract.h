/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/panels.c and the device kernels panels_…: load as sparse, compute
 * as dense (Xia et al., Flash-LLM, VLDB 2023) on the tensor cores that all devices from compute capability
 * 8.0 on have, for every precision that they take.
 *
 * body.h has the kernel; short.h, wide.h and long.h its variants for numbers of 2, 4 and 8 bytes,
 * variants.h all of them; pack/tiles.h brings A into the format. common/gpu.h has what all families share. */
#ifndef SPMM_PANELS_CONTRACT_H
#define SPMM_PANELS_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels panels_…: A in tiles of 128 rows and `depth` columns, each expanded in shared memory and multiplied
 * with these rows of B as if it were dense. Tile t of a row of tiles has number (row of tiles) * steps + t;
 * its entries stand at the position of rowwindows_… in chunk q / 16 of the tile, chunks of 128 times
 * 16 numbers one after the other, with column q % 4 * 4 + q / 4 % 4 in the place of q % 16. Windows, pieces
 * and chunks above are rows of tiles, consecutive tiles and tiles here. */
typedef struct spmm_gpu_panels {
    const spmm_gpu_piece *pieces;
    const spmm_gpu_part *parts;
    const long long *start; /* [tile], and the end: entries */
    const unsigned short *position;
    const void *value;
    long long piece_count;
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a row of tiles */
    spmm_gpu_operands operands; /* partial: [part][tile][accumulator][thread] */
} spmm_gpu_panels;

enum { SPMM_GPU_PANEL_ROWS = 128, SPMM_GPU_PANEL_THREADS = 256 };

#endif
