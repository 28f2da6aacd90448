/* The contract between lib/spmm/families and the device kernels rowwindows_… (see common/gpu.h). */
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
