/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces and tiles for persistent blocks, which take one after the other (blocks/body.h, rings/body.h). */
#ifndef SPMM_ROWWINDOWS_WALK_H
#define SPMM_ROWWINDOWS_WALK_H

#include "spmm/rowwindows/contract.h"

typedef struct spmm_walk {
    long long work, works;
    spmm_gpu_piece piece, next; /* `next` is read while the block works on `piece` */
    int tile, next_tile;
} spmm_walk;

/* Reads the piece and the tile of work item `work`. */
__device__ __forceinline__ void spmm_walk_read(const spmm_gpu_rowwindows *windows, int side, long long work,
                                               spmm_walk *walk) {
    const long long tiles = windows->operands.tiles / side, count = windows->piece_count;
    walk->next_tile = (int)(windows->operands.tiles_first ? work / count : work % tiles) * side;
    walk->next = windows->pieces[windows->operands.tiles_first ? work % count : work / tiles];
}

/* Begins with the block's first piece; a block takes `side` tiles at a time. */
__device__ __forceinline__ void spmm_walk_begin(const spmm_gpu_rowwindows *windows, int side,
                                                spmm_walk *walk) {
    walk->work = blockIdx.x;
    walk->works = windows->piece_count * (windows->operands.tiles / side);
    spmm_walk_read(windows, side, walk->work, walk);
}

/* Goes on to the next piece and the first of its tiles; 0 if there is none. */
__device__ __forceinline__ int spmm_walk_step(const spmm_gpu_rowwindows *windows, int side, spmm_walk *walk) {
    if (walk->work >= walk->works)
        return 0;
    walk->piece = walk->next;
    walk->tile = walk->next_tile;
    walk->work += gridDim.x;
    if (walk->work < walk->works)
        spmm_walk_read(windows, side, walk->work, walk);
    return 1;
}

#endif
