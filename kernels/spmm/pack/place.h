/* SPDX-License-Identifier: BSD-3-Clause */
/* Where numbers of A stand in chunks of windows, in tiles of panels and bands and in batches of
 * bstationary_…: the formulas of rowwindows/contract.h, panels/contract.h, bands/contract.h and
 * bstationary/contract.h, for the device and for the CPU. */
#ifndef SPMM_PACK_PLACE_H
#define SPMM_PACK_PLACE_H

#include "spmm/bands/contract.h"
#include "spmm/bstationary/contract.h"
#include "spmm/panels/contract.h"

#ifdef __CUDACC__
#define SPMM_PLACE __device__ __forceinline__
#else
#define SPMM_PLACE static inline
#endif

/* The position of a row and a column of a chunk, for numbers of so many bytes. */
SPMM_PLACE int spmm_place_in_chunk(int bytes, int row, int column) {
    const unsigned r = (unsigned)row, q = (unsigned)column, side = 16u / (unsigned)bytes,
                   element = bytes == 2   ? q / 2 % 2 * 4 + r / 8 % 2 * 2 + q % 2
                             : bytes == 4 ? q / 2 % 2 * 4 + q % 2 * 2 + r / 8 % 2
                                          : q % 4 * 2 + r / 8 % 2;
    return (int)(((r / 16 * 8 / side + element / side) * 32 + r % 8 * 4 + q / 4) * side + element % side);
}

/* The position of a row and a column of a tile of a panel. */
SPMM_PLACE int spmm_place_in_tile(int bytes, int row, int column) {
    return column / SPMM_GPU_CHUNK * SPMM_GPU_PANEL_ROWS * SPMM_GPU_CHUNK +
           spmm_place_in_chunk(bytes, row, column % 4 * 4 + column / 4 % 4);
}

/* The position of a row and a byte of a subtile of bands. */
SPMM_PLACE int spmm_place_in_subtile(int row, int byte) {
    return row * SPMM_GPU_BAND_BYTES + ((byte / 16) ^ (row % 8)) * 16 + byte % 16;
}

/* The position of number `at` of bstationary_…, for numbers of so many bytes. */
SPMM_PLACE long long spmm_place_in_batch(int bytes, long long at) {
    const long long batch = SPMM_GPU_BSTATIONARY_ROWS * 4, inside = at % batch;
    return bytes < 8 ? at : at - inside + inside % 4 / 2 * (batch / 2) + inside / 4 * 2 + at % 2;
}

#endif
