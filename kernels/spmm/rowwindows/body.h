/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) on tensor cores, included once for each variant. Before it are
// defined
//
//     ROWWINDOWS_TYPE      half, bfloat, tf32, float (three products of tf32), double
//     ROWWINDOWS_STORE     the name of the function that stores C: half, bfloat, float, double
//     ROWWINDOWS_SUM       float or double
//     ROWWINDOWS_SIZE      bytes of a number
//     ROWWINDOWS_WIDTH     words of B that a thread reads at a time: 4, or 2 for half and bfloat
//     ROWWINDOWS_TALL      16 rows each; 0: windows of 8 rows, half and bfloat, width 4, compressed
//     ROWWINDOWS_GROUPS    of 8 times these words: the columns of a tile
//     ROWWINDOWS_DENSE     1: dense windows
//     ROWWINDOWS_RESIDENT  warps that a multiprocessor shall hold, if dense at most ROWWINDOWS_DENSE_RESIDENT
//
// A warp works on a piece and a tile by itself. Thread 4g + t reads words of rows 4t … 4t + 3 of a chunk from
// B straight into the fragments of the matrix instruction, and has in its sums twice as many numbers of rows
// g and g + 8 of C. The rows of B for the next chunks are read while a chunk is multiplied.

#define ROWWINDOWS_PASTE2(a, b) a##b
#define ROWWINDOWS_PASTE(a, b) ROWWINDOWS_PASTE2(a, b)
#define ROWWINDOWS_JOIN2(type, tall, width, groups, dense)                                                   \
    rowwindows_##type##_##tall##_##width##_##groups##_##dense
#define ROWWINDOWS_JOIN(type, tall, width, groups, dense) ROWWINDOWS_JOIN2(type, tall, width, groups, dense)
#define ROWWINDOWS_NAME                                                                                      \
    ROWWINDOWS_JOIN(ROWWINDOWS_TYPE, ROWWINDOWS_TALL, ROWWINDOWS_WIDTH, ROWWINDOWS_GROUPS, ROWWINDOWS_DENSE)
#define ROWWINDOWS_CHUNK ROWWINDOWS_PASTE(spmm_chunk_, ROWWINDOWS_TYPE)
#define ROWWINDOWS_EIGHT ROWWINDOWS_PASTE(spmm_eight_, ROWWINDOWS_TYPE)
#define ROWWINDOWS_NUMBERS (4 * ROWWINDOWS_WIDTH / ROWWINDOWS_SIZE) /* that a thread reads at a time */
#define ROWWINDOWS_FRAGMENT (2 * ROWWINDOWS_SIZE)                   /* words of A of 16 rows in a thread */
#define ROWWINDOWS_HIGH (ROWWINDOWS_TALL == 0 ? 1 : ROWWINDOWS_TALL)
#define ROWWINDOWS_ROWS (ROWWINDOWS_TALL == 0 ? 8 : 16 * ROWWINDOWS_TALL)
#define ROWWINDOWS_SUMS (ROWWINDOWS_ROWS * ROWWINDOWS_GROUPS * ROWWINDOWS_NUMBERS / 4)
#define ROWWINDOWS_LOADS (4 * ROWWINDOWS_GROUPS * ROWWINDOWS_WIDTH) /* words of B of a chunk in a thread */

// Reads rows 4t … 4t + 3 of the chunk, ROWWINDOWS_WIDTH words of each for a group: words[group][row][word].
__device__ __forceinline__ void ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read)(const char *b, int stride,
                                                                         const int *offset, spmm_words column,
                                                                         unsigned *words) {
    SPMM_UNROLL
    for (int row = 0; row < 4; row++) {
        const char *from = b + (long long)(int)column.word[row] * stride;
        SPMM_UNROLL
        for (int group = 0; group < ROWWINDOWS_GROUPS; group++) {
            unsigned *to = words + (group * 4 + row) * ROWWINDOWS_WIDTH;
#if ROWWINDOWS_WIDTH == 4
            const spmm_words some = spmm_load(from + offset[group]);
#else
            const spmm_word_pair some = spmm_load_pair(from + offset[group]);
#endif
            SPMM_UNROLL
            for (int k = 0; k < ROWWINDOWS_WIDTH; k++)
                to[k] = some.word[k];
        }
    }
}

// Adds the product of a chunk.
__device__ __forceinline__ void
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _add)(const unsigned *a, const unsigned *words, ROWWINDOWS_SUM *sum) {
    SPMM_UNROLL
    for (int group = 0; group < ROWWINDOWS_GROUPS; group++)
#if ROWWINDOWS_TALL == 0
        ROWWINDOWS_EIGHT(a, words + group * 4 * ROWWINDOWS_WIDTH, sum + group * ROWWINDOWS_NUMBERS * 2);
#else
        ROWWINDOWS_CHUNK(ROWWINDOWS_TALL, ROWWINDOWS_GROUPS * ROWWINDOWS_NUMBERS * 4, ROWWINDOWS_WIDTH, a,
                         words + group * 4 * ROWWINDOWS_WIDTH, sum + group * ROWWINDOWS_NUMBERS * 4);
#endif
}

#if ROWWINDOWS_DENSE
#include "spmm/rowwindows/dense.h"
#else
#include "spmm/rowwindows/entries.h"
#endif
#include "spmm/rowwindows/store.h"

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_WINDOW_THREADS,
                                   ROWWINDOWS_DENSE &&ROWWINDOWS_RESIDENT > ROWWINDOWS_DENSE_RESIDENT
                                       ? ROWWINDOWS_DENSE_RESIDENT
                                       : ROWWINDOWS_RESIDENT)
    ROWWINDOWS_NAME(const __grid_constant__ spmm_gpu_rowwindows windows) {
    const long long worker = ((long long)blockIdx.x * SPMM_GPU_WINDOW_THREADS + threadIdx.x) / 32;
    const int g = threadIdx.x % 32 / 4;
    if (worker >= windows.piece_count * windows.operands.tiles)
        return;
    const long long at =
        windows.operands.tiles_first ? worker % windows.piece_count : worker / windows.operands.tiles;
    const int tile =
        (int)(windows.operands.tiles_first ? worker / windows.piece_count : worker % windows.operands.tiles);
    const spmm_gpu_piece piece = windows.pieces[at];
    const int units = windows.operands.vectors * 4 / ROWWINDOWS_WIDTH;
    int offset[ROWWINDOWS_GROUPS];
    ROWWINDOWS_SUM sum[ROWWINDOWS_SUMS];
    SPMM_UNROLL
    for (int group = 0; group < ROWWINDOWS_GROUPS; group++) {
        // Threads behind the last column read it, too, but store nothing.
        const int unit = (tile * ROWWINDOWS_GROUPS + group) * 8 + g;
        offset[group] = (unit < units ? unit : units - 1) * ROWWINDOWS_WIDTH * 4;
    }
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_SUMS; k++)
        sum[k] = 0;
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _multiply)(&windows, piece, offset, sum);
    int window = piece.window;
    if (window < 0) {
        const spmm_gpu_part part = windows.parts[-1 - window];
        if (!ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _reduction)(&windows, part, -1 - window, tile, sum))
            return;
        window = part.target;
    }
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _store)(&windows, window, tile, sum);
}

#undef ROWWINDOWS_PASTE
#undef ROWWINDOWS_PASTE2
#undef ROWWINDOWS_JOIN
#undef ROWWINDOWS_JOIN2
#undef ROWWINDOWS_NAME
#undef ROWWINDOWS_CHUNK
#undef ROWWINDOWS_EIGHT
#undef ROWWINDOWS_NUMBERS
#undef ROWWINDOWS_FRAGMENT
#undef ROWWINDOWS_SUMS
#undef ROWWINDOWS_HIGH
#undef ROWWINDOWS_ROWS
#undef ROWWINDOWS_LOADS
#undef ROWWINDOWS_DENSE
