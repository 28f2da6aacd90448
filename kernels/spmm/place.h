/* Where numbers of A stand in chunks of windows and in tiles of panels (gpu.h), on both sides. */
#ifndef SPMM_PLACE_H
#define SPMM_PLACE_H

#include "spmm/gpu.h"

#ifdef __CUDACC__
#define SPMM_PLACE __device__ __forceinline__
#else
#define SPMM_PLACE static inline
#endif

/* Row and column of a chunk, by the bytes of a number. */
SPMM_PLACE int spmm_place_in_chunk(int bytes, int row, int column) {
    const int side = 16 / bytes, half = row / 8 % 2, low = column % 2, high = column / 2 % 2;
    const int element = bytes == 2   ? high * 4 + half * 2 + low
                        : bytes == 4 ? high * 4 + low * 2 + half
                                     : column % 4 * 2 + half;
    return ((row / 16 * 8 / side + element / side) * 32 + row % 8 * 4 + column / 4) * side + element % side;
}

/* Row and column of a tile. */
SPMM_PLACE int spmm_place_in_tile(int bytes, int row, int column) {
    return column / SPMM_GPU_CHUNK * SPMM_GPU_PANEL_ROWS * SPMM_GPU_CHUNK +
           spmm_place_in_chunk(bytes, row, column % 4 * 4 + column / 4 % 4);
}

/* Row and byte of a slab of bands. */
SPMM_PLACE int spmm_place_in_slab(int row, int byte) {
    return row * SPMM_GPU_BAND_BYTES + ((byte / 16) ^ (row % 8)) * 16 + byte % 16;
}

#endif
