// A device kernel for SpMM (gpu.h) on tensor cores, included once for each variant. Before it are defined
//
//     WINDOWS_TYPE      half, bfloat, tf32, float (three products of tf32), double
//     WINDOWS_STORE     the name of the function that stores C: half, bfloat, float, double
//     WINDOWS_SUM       float or double
//     WINDOWS_SIZE      bytes of a number
//     WINDOWS_WIDTH     words of B that a thread reads at a time: 4, or 2 for half and bfloat
//     WINDOWS_TALL      16 rows each; 0: windows of 8 rows, half and bfloat, width 4, compressed
//     WINDOWS_GROUPS    of 8 times these words: the columns of a tile
//     WINDOWS_DENSE     1: dense windows
//     WINDOWS_RESIDENT  warps that a multiprocessor shall hold
//
// A warp works on a piece and a tile by itself. Thread 4g + t reads words of rows 4t … 4t + 3 of a chunk from
// B straight into the fragments of the matrix instruction, and has in its sums 2 such pieces of rows g and g
// + 8 of C. The rows of B for the next chunk are under way while a chunk is multiplied.

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
#define WINDOWS_AHEAD (2 * WINDOWS_HIGH) /* entries of A that a thread reads ahead */

#include "spmm/windows_entries.h"

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

#include "spmm/windows_store.h"

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_WINDOW_THREADS, WINDOWS_RESIDENT)
    WINDOWS_NAME(const __grid_constant__ spmm_gpu_windows windows) {
    enum { LOADS = 4 * WINDOWS_GROUPS * WINDOWS_WIDTH };
#if !WINDOWS_DENSE
    __shared__ __align__(16) char expanded[256 * WINDOWS_HIGH * WINDOWS_SIZE];
    WINDOWS_PASTE(WINDOWS_NAME, _entry) entries[WINDOWS_AHEAD];
    const char *from = NULL;          /* this thread's first entry of the chunk that is read ahead, … */
    long long done = 0, next_end = 0; /* first entry of that chunk, end of the next */
    int ahead = 0;                    /* … and how many the chunk has */
#endif
    const long long worker = ((long long)blockIdx.x * SPMM_GPU_WINDOW_THREADS + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (worker >= windows.piece_count * windows.operands.tiles)
        return;
    const long long at =
        windows.operands.tiles_first ? worker % windows.piece_count : worker / windows.operands.tiles;
    const int tile =
        (int)(windows.operands.tiles_first ? worker / windows.piece_count : worker % windows.operands.tiles);
    const spmm_gpu_piece piece = windows.pieces[at];
    const int units = windows.operands.vectors * 4 / WINDOWS_WIDTH, end = piece.first + piece.count;
    int offset[WINDOWS_GROUPS];
    WINDOWS_SUM sum[WINDOWS_SUMS];
    unsigned coming[LOADS];
#if WINDOWS_DENSE
    unsigned coming_a[WINDOWS_HIGH * WINDOWS_FRAGMENT] = {0};
#endif
    spmm_words column;
    SPMM_UNROLL
    for (int group = 0; group < WINDOWS_GROUPS; group++) {
        const int unit = (tile * WINDOWS_GROUPS + group) * 8 + g;
        offset[group] = (unit < units ? unit : units - 1) * WINDOWS_WIDTH * 4;
    }
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_SUMS; k++)
        sum[k] = 0;
    SPMM_UNROLL
    for (int k = 0; k < LOADS; k++)
        coming[k] = 0;
    if (piece.count > 0) {
        column = spmm_load(windows.column + (long long)piece.first * SPMM_GPU_CHUNK + 4 * t);
        WINDOWS_PASTE(WINDOWS_NAME, _read)
        ((const char *)windows.operands.b, windows.operands.b_stride, offset, column, coming);
        if (piece.count > 1)
            column = spmm_load(windows.column + (long long)(piece.first + 1) * SPMM_GPU_CHUNK + 4 * t);
#if WINDOWS_DENSE
        WINDOWS_PASTE(WINDOWS_NAME, _read_dense)(&windows, piece.first, coming_a);
#else
        done = __ldg(windows.start + piece.first);
        ahead = (int)(__ldg(windows.start + piece.first + 1) - done);
        from = (const char *)windows.value + (done + lane) * (long long)sizeof *entries;
        WINDOWS_PASTE(WINDOWS_NAME, _read_ahead)(from, ahead, entries);
        if (piece.count > 1)
            next_end = __ldg(windows.start + piece.first + 2);
#endif
    }
    SPMM_NO_UNROLL
    for (int chunk = piece.first; chunk < end; chunk++) {
        unsigned words[LOADS];
        unsigned a[WINDOWS_HIGH * WINDOWS_FRAGMENT];
#if WINDOWS_DENSE
        SPMM_UNROLL
        for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT; k++)
            a[k] = coming_a[k];
#endif
        SPMM_UNROLL
        for (int k = 0; k < LOADS; k++)
            words[k] = coming[k];
        if (chunk + 1 < end) {
            WINDOWS_PASTE(WINDOWS_NAME, _read)
            ((const char *)windows.operands.b, windows.operands.b_stride, offset, column, coming);
            if (chunk + 2 < end)
                column = spmm_load(windows.column + (long long)(chunk + 2) * SPMM_GPU_CHUNK + 4 * t);
#if WINDOWS_DENSE
            WINDOWS_PASTE(WINDOWS_NAME, _read_dense)(&windows, chunk + 1, coming_a);
#endif
        }
#if !WINDOWS_DENSE
        SPMM_UNROLL
        for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT / 4; k++) {
            const spmm_words zero = {{0, 0, 0, 0}};
            ((spmm_words *)expanded)[k * 32 + lane] = zero;
        }
        __syncwarp();
        WINDOWS_PASTE(WINDOWS_NAME, _expand)(from, ahead, entries, expanded);
        __syncwarp();
        SPMM_UNROLL
        for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT / 4; k++) {
            const spmm_words some = ((const spmm_words *)expanded)[k * 32 + lane];
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                a[4 * k + word] = some.word[word];
        }
        __syncwarp();
        if (chunk + 1 < end) {
            from += ahead * (int)sizeof *entries;
            done += ahead;
            ahead = (int)(next_end - done);
            WINDOWS_PASTE(WINDOWS_NAME, _read_ahead)(from, ahead, entries);
            if (chunk + 2 < end)
                next_end = __ldg(windows.start + chunk + 3);
        }
#endif
        SPMM_UNROLL
        for (int group = 0; group < WINDOWS_GROUPS; group++)
#if WINDOWS_TALL == 0
            WINDOWS_PASTE(spmm_eight_, WINDOWS_TYPE)
        (a, words + group * 4 * WINDOWS_WIDTH, sum + group * WINDOWS_NUMBERS * 2);
#else
            WINDOWS_PASTE(spmm_chunk_, WINDOWS_TYPE)
        (WINDOWS_TALL, WINDOWS_GROUPS * WINDOWS_NUMBERS * 4, WINDOWS_WIDTH, a,
         words + group * 4 * WINDOWS_WIDTH, sum + group * WINDOWS_NUMBERS * 4);
#endif
    }
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
#undef WINDOWS_AHEAD
#undef WINDOWS_DENSE
