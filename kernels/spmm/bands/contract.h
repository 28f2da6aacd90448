/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/bands.c and the device kernels bands_…: load as sparse, compute as
 * dense, as in Flash-LLM (Xia et al., VLDB 2023), for matrices that are hardly sparse.
 *
 * A comes in bands of 128 rows, cut into tiles; each tile is expanded in shared memory and multiplied by
 * the matrix instructions for four warps (compute capability 9.0). body.h has the kernels for numbers of 4
 * bytes and short_body.h those for 2 bytes, end.h what both do with their sums; variants.h lists all of
 * them; pack/tiles.h brings A into the format. common/gpu.h has what all families share. */
#ifndef SPMM_BANDS_CONTRACT_H
#define SPMM_BANDS_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels bands_…: A in bands of 128 rows, cut into tiles of 128 bytes of columns, each expanded in shared
 * memory and multiplied by the matrix instructions for four warps (compute capability 9.0). A warp expands 16
 * rows of a tile, a subtile: subtile number (band * 8 + row / 16) * steps + tile. Byte q of row r of a
 * subtile has the position
 *
 *     r * 128 + (q / 16 ^ r % 8) * 16 + q % 16.
 *
 * An entry of half and bfloat is a word, its value in the upper half and its position in the lower, one of
 * tf32 and float two words, position and value. Subtiles have whole vectors of four words: the last entry is
 * repeated. */
typedef struct spmm_gpu_bands {
    const spmm_gpu_piece *pieces; /* windows are bands, chunks tiles: number band * steps + tile */
    const spmm_gpu_part *parts;
    const int *start;           /* [subtile], and the end: vectors */
    const unsigned *entry;      /* [vector][4] */
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a band */
    spmm_gpu_operands operands; /* partial: [part][tile][accumulator / 4][thread][4] */
} spmm_gpu_bands;

/* Tiles of B and entries that are on their way to shared memory, for numbers of 2 bytes: as many as leave
 * room for two blocks with few columns. */
#define SPMM_GPU_BAND_AHEAD(columns) ((columns) == 32 || (columns) == 128 ? 3 : 2)

enum { SPMM_GPU_BAND_ROWS = 128, SPMM_GPU_BAND_BYTES = 128, SPMM_GPU_BAND_THREADS = 256 };

#endif
