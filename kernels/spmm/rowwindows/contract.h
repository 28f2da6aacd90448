/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/rowwindows.c and the device kernels rowwindows_…: tensor cores by
 * row windows, that is some rows together with the distinct columns that they have (TC-GNN, Wang et al.,
 * USENIX ATC 2023; DTC-SpMM, Fan et al., ASPLOS 2024; windows of 8 rows with swapped operands as in
 * FlashSparse, Shi et al., PPoPP 2025).
 *
 * body.h has the kernel of a warp, which takes windows with zeros stored by dense.h and compressed ones by
 * entries.h; store.h adds parts and writes C; walk.h goes from piece to piece for blocks_… and rings_….
 * short_variants.h and wide_variants.h list all kernels; pack/rowwindows.h brings A into the format.
 * common/gpu.h has what all families share. */
#ifndef SPMM_ROWWINDOWS_CONTRACT_H
#define SPMM_ROWWINDOWS_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels rowwindows_…: the rows of a window together, with each column that one of them has once (a chunk
 * being 16 columns), so that a row of B is read once for all of them and multiplied on the tensor cores. The
 * last chunk of a window repeats a column.
 *
 * Inside a chunk, row r of the window and column q stand where the fragment of the matrix instruction wants
 * them, at position
 *
 *     ((r / 16 * 8 / P + e / P) * 32 + r % 8 * 4 + q / 4) * P + e % P,   P = 16 / bytes of a number,
 *     e = q / 2 % 2 * 4 + r / 8 % 2 * 2 + q % 2   half, bfloat
 *         q / 2 % 2 * 4 + q % 2 * 2 + r / 8 % 2   float
 *         q % 4 * 2 + r / 8 % 2                   double
 *
 * Dense windows hold the 16 x rows numbers of every chunk in this order; the others the numbers that are not
 * zero, each with its position in bytes: a word with the position in the lower half for half and bfloat,
 * spmm_gpu_entry and spmm_gpu_double_entry, with the position as column, for float and double. */
typedef struct spmm_gpu_rowwindows {
    const spmm_gpu_piece *pieces;
    const spmm_gpu_part *parts;
    const int *rows;        /* [window][row of the window]; -1: none */
    const int *column;      /* [chunk][16] */
    const long long *start; /* [chunk], and the end: entries; dense windows do without */
    const void *value;
    long long piece_count;
    spmm_gpu_operands operands; /* partial: [part][tile][accumulators] */
} spmm_gpu_rowwindows;

enum { SPMM_GPU_WINDOW_THREADS = 32 };

#endif
