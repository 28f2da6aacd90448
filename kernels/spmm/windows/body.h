// A device kernel for SpMM (common/gpu.h) on tensor cores, included once for each variant. Before it are
// defined
//
//     WINDOWS_TYPE      half, bfloat, tf32, float (three products of tf32), double
//     WINDOWS_STORE     the name of the function that stores C: half, bfloat, float, double
//     WINDOWS_SUM       float or double
//     WINDOWS_SIZE      bytes of a number
//     WINDOWS_WIDTH     words of B that a thread reads at a time: 4, or 2 for half and bfloat
//     WINDOWS_TALL      16 rows each; 0: windows of 8 rows, half and bfloat, width 4, compressed
//     WINDOWS_GROUPS    of 8 times these words: the columns of a tile
//     WINDOWS_DENSE     1: dense windows
//     WINDOWS_RESIDENT  warps that a multiprocessor shall hold, if dense at most WINDOWS_DENSE_RESIDENT
//
// A warp works on a piece and a tile by itself. Thread 4g + t reads words of rows 4t … 4t + 3 of a chunk from
// B straight into the fragments of the matrix instruction, and has in its sums 2 such pieces of rows g and g
// + 8 of C. The rows of B for other chunks are under way while a chunk is multiplied.

#define WINDOWS_PASTE2(a, b) a##b
#define WINDOWS_PASTE(a, b) WINDOWS_PASTE2(a, b)
#define WINDOWS_JOIN2(type, tall, width, groups, dense) windows_##type##_##tall##_##width##_##groups##_##dense
#define WINDOWS_JOIN(type, tall, width, groups, dense) WINDOWS_JOIN2(type, tall, width, groups, dense)
#define WINDOWS_NAME WINDOWS_JOIN(WINDOWS_TYPE, WINDOWS_TALL, WINDOWS_WIDTH, WINDOWS_GROUPS, WINDOWS_DENSE)
#define WINDOWS_NUMBERS (4 * WINDOWS_WIDTH / WINDOWS_SIZE) /* that a thread reads at a time */
#define WINDOWS_FRAGMENT (2 * WINDOWS_SIZE)                /* words of A of 16 rows in a thread */
#define WINDOWS_HIGH (WINDOWS_TALL == 0 ? 1 : WINDOWS_TALL)
#define WINDOWS_ROWS (WINDOWS_TALL == 0 ? 8 : 16 * WINDOWS_TALL)
#define WINDOWS_SUMS (WINDOWS_ROWS * WINDOWS_GROUPS * WINDOWS_NUMBERS / 4)
#define WINDOWS_LOADS (4 * WINDOWS_GROUPS * WINDOWS_WIDTH) /* words of B of a chunk in a thread */

// Rows 4t … 4t + 3 of the chunk, each `WINDOWS_WIDTH` words per group: words[group][row][word].
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _read)(const char *b, int stride,
                                                                   const int *offset, spmm_words column,
                                                                   unsigned *words) {
    SPMM_UNROLL
    for (int row = 0; row < 4; row++) {
        const char *from = b + (long long)(int)column.word[row] * stride;
        SPMM_UNROLL
        for (int group = 0; group < WINDOWS_GROUPS; group++) {
            unsigned *to = words + (group * 4 + row) * WINDOWS_WIDTH;
#if WINDOWS_WIDTH == 4
            const spmm_words some = spmm_load(from + offset[group]);
#else
            const spmm_word_pair some = spmm_load_pair(from + offset[group]);
#endif
            SPMM_UNROLL
            for (int k = 0; k < WINDOWS_WIDTH; k++)
                to[k] = some.word[k];
        }
    }
}

// Adds the product of a chunk.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _add)(const unsigned *a, const unsigned *words,
                                                                  WINDOWS_SUM *sum) {
    SPMM_UNROLL
    for (int group = 0; group < WINDOWS_GROUPS; group++)
#if WINDOWS_TALL == 0
        WINDOWS_PASTE(spmm_eight_, WINDOWS_TYPE)
    (a, words + group * 4 * WINDOWS_WIDTH, sum + group * WINDOWS_NUMBERS * 2);
#else
        WINDOWS_PASTE(spmm_chunk_, WINDOWS_TYPE)
    (WINDOWS_TALL, WINDOWS_GROUPS * WINDOWS_NUMBERS * 4, WINDOWS_WIDTH, a, words + group * 4 * WINDOWS_WIDTH,
     sum + group * WINDOWS_NUMBERS * 4);
#endif
}

#if WINDOWS_DENSE
#include "spmm/windows/dense.h"
#else
#include "spmm/windows/entries.h"
#endif
#include "spmm/windows/store.h"

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_WINDOW_THREADS,
                                   WINDOWS_DENSE &&WINDOWS_RESIDENT > WINDOWS_DENSE_RESIDENT
                                       ? WINDOWS_DENSE_RESIDENT
                                       : WINDOWS_RESIDENT)
    WINDOWS_NAME(const __grid_constant__ spmm_gpu_windows windows) {
    const long long worker = ((long long)blockIdx.x * SPMM_GPU_WINDOW_THREADS + threadIdx.x) / 32;
    const int g = threadIdx.x % 32 / 4;
    if (worker >= windows.piece_count * windows.operands.tiles)
        return;
    const long long at =
        windows.operands.tiles_first ? worker % windows.piece_count : worker / windows.operands.tiles;
    const int tile =
        (int)(windows.operands.tiles_first ? worker / windows.piece_count : worker % windows.operands.tiles);
    const spmm_gpu_piece piece = windows.pieces[at];
    const int units = windows.operands.vectors * 4 / WINDOWS_WIDTH;
    int offset[WINDOWS_GROUPS];
    WINDOWS_SUM sum[WINDOWS_SUMS];
    SPMM_UNROLL
    for (int group = 0; group < WINDOWS_GROUPS; group++) {
        const int unit = (tile * WINDOWS_GROUPS + group) * 8 + g;
        offset[group] = (unit < units ? unit : units - 1) * WINDOWS_WIDTH * 4;
    }
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_SUMS; k++)
        sum[k] = 0;
    WINDOWS_PASTE(WINDOWS_NAME, _multiply)(&windows, piece, offset, sum);
    int window = piece.window;
    if (window < 0) {
        const spmm_gpu_part part = windows.parts[-1 - window];
        if (!WINDOWS_PASTE(WINDOWS_NAME, _meet)(&windows, part, -1 - window, tile, sum))
            return;
        window = part.target;
    }
    WINDOWS_PASTE(WINDOWS_NAME, _store)(&windows, window, tile, sum);
}

#undef WINDOWS_PASTE
#undef WINDOWS_PASTE2
#undef WINDOWS_JOIN
#undef WINDOWS_JOIN2
#undef WINDOWS_NAME
#undef WINDOWS_NUMBERS
#undef WINDOWS_FRAGMENT
#undef WINDOWS_SUMS
#undef WINDOWS_HIGH
#undef WINDOWS_ROWS
#undef WINDOWS_LOADS
#undef WINDOWS_DENSE
