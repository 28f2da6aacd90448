// A device kernel for SpMM (gpu.h) that multiplies dense windows of 32 rows on tensor cores, for matrices
// made of dense blocks, included once for each variant. Before it are defined WINDOWS_TYPE, WINDOWS_STORE,
// WINDOWS_SUM and WINDOWS_SIZE as for windows_body.h, and
//
//     BLOCKS_WARPS      side by side, WINDOWS_GROUPS groups of 128 bytes of columns each
//     BLOCKS_RESIDENT   blocks of a multiprocessor
//
// The warps of a block share a piece: A, and the rows of B that it wants, come to shared memory chunk by
// chunk, two chunks ahead. So A is read once for all columns of the block, where windows_body.h reads it for
// each group. The kernel is blocks_TYPE_WARPS; its tiles are those of a warp, a multiple of BLOCKS_WARPS.

#define WINDOWS_PASTE2(a, b) a##b
#define WINDOWS_PASTE(a, b) WINDOWS_PASTE2(a, b)
#define WINDOWS_JOIN2(type, warps) blocks_##type##_##warps
#define WINDOWS_JOIN(type, warps) WINDOWS_JOIN2(type, warps)
#define WINDOWS_NAME WINDOWS_JOIN(WINDOWS_TYPE, BLOCKS_WARPS)
#define WINDOWS_TALL 2
#define WINDOWS_WIDTH 4
#define WINDOWS_NUMBERS (4 * WINDOWS_WIDTH / WINDOWS_SIZE) /* that a thread reads at a time */
#define WINDOWS_FRAGMENT (2 * WINDOWS_SIZE)                /* words of A of 16 rows in a thread */
#define WINDOWS_SUMS (WINDOWS_TALL * WINDOWS_GROUPS * WINDOWS_NUMBERS * 4)
#define BLOCKS_THREADS (32 * BLOCKS_WARPS)
#define BLOCKS_VECTORS (8 * WINDOWS_GROUPS * BLOCKS_WARPS) /* of a row of B */
#define BLOCKS_ROW (16 * BLOCKS_VECTORS + 32)
#define BLOCKS_A (256 * WINDOWS_TALL * WINDOWS_SIZE)
#define BLOCKS_STAGE (BLOCKS_A + SPMM_GPU_CHUNK * BLOCKS_ROW)

#include "spmm/windows_store.h"

// A chunk of A, and its rows of B from vector `first` on: row 4t + k in the place of row 4k + t, so that the
// threads of a fragment read from different banks. Always one commit.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _copy)(const spmm_gpu_windows *windows, int chunk,
                                                                   int first, int there, char *stage) {
    if (there) {
        const char *a = (const char *)windows->value + (long long)chunk * BLOCKS_A;
        SPMM_UNROLL
        for (int at = 0; at < BLOCKS_A / 16; at += BLOCKS_THREADS)
            if (at + (int)threadIdx.x < BLOCKS_A / 16)
                spmm_copy(stage + (at + threadIdx.x) * 16, a + (at + threadIdx.x) * 16, 1);
        SPMM_UNROLL
        for (int at = 0; at < SPMM_GPU_CHUNK * BLOCKS_VECTORS; at += BLOCKS_THREADS) {
            const int row = (at + (int)threadIdx.x) / BLOCKS_VECTORS,
                      vector = (at + (int)threadIdx.x) % BLOCKS_VECTORS;
            const int inside = first + vector < windows->operands.vectors;
            const char *from = (const char *)windows->operands.b;
            if (inside)
                from += (long long)__ldg(windows->column + (long long)chunk * SPMM_GPU_CHUNK + row) *
                            windows->operands.b_stride +
                        (long long)(first + vector) * 16;
            spmm_copy(stage + BLOCKS_A + (row % 4 * 4 + row / 4) * BLOCKS_ROW + vector * 16, from, inside);
        }
    }
    spmm_copy_commit();
}

__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _multiply)(const char *stage, WINDOWS_SUM *sum) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const char *b = stage + BLOCKS_A + lane % 4 * BLOCKS_ROW + (warp * WINDOWS_GROUPS * 8 + lane / 4) * 16;
    unsigned a[WINDOWS_TALL * WINDOWS_FRAGMENT];
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_TALL * WINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = ((const spmm_words *)stage)[k * 32 + lane];
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
    SPMM_UNROLL
    for (int group = 0; group < WINDOWS_GROUPS; group++) {
        unsigned words[4 * WINDOWS_WIDTH];
        SPMM_UNROLL
        for (int row = 0; row < 4; row++) {
            const spmm_words some = *(const spmm_words *)(b + 4 * row * BLOCKS_ROW + group * 128);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                words[row * 4 + word] = some.word[word];
        }
        WINDOWS_PASTE(spmm_chunk_, WINDOWS_TYPE)
        (WINDOWS_TALL, WINDOWS_GROUPS * WINDOWS_NUMBERS * 4, WINDOWS_WIDTH, a, words,
         sum + group * WINDOWS_NUMBERS * 4);
    }
}

SHIM_KERNEL void __launch_bounds__(BLOCKS_THREADS, BLOCKS_RESIDENT)
    WINDOWS_NAME(const __grid_constant__ spmm_gpu_windows windows) {
    SHIM_DYNAMIC_SHARED(spmm_words, shared);
    char *stages = (char *)shared;
    const unsigned groups = (unsigned)(windows.operands.tiles / BLOCKS_WARPS),
                   pieces = (unsigned)windows.piece_count;
    const spmm_gpu_piece piece =
        windows.pieces[windows.operands.tiles_first ? blockIdx.x % pieces : blockIdx.x / groups];
    const int tile =
        (int)(windows.operands.tiles_first ? blockIdx.x / pieces : blockIdx.x % groups) * BLOCKS_WARPS;
    const int first = tile * WINDOWS_GROUPS * 8, own = tile + (int)threadIdx.x / 32;
    WINDOWS_SUM sum[WINDOWS_SUMS];
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_SUMS; k++)
        sum[k] = 0;
    WINDOWS_PASTE(WINDOWS_NAME, _copy)(&windows, piece.first, first, piece.count > 0, stages);
    WINDOWS_PASTE(WINDOWS_NAME, _copy)
    (&windows, piece.first + 1, first, piece.count > 1, stages + BLOCKS_STAGE);
    SPMM_NO_UNROLL
    for (int k = 0; k < piece.count; k++) {
        spmm_copy_wait();
        __syncthreads();
        WINDOWS_PASTE(WINDOWS_NAME, _copy)
        (&windows, piece.first + k + 2, first, k + 2 < piece.count, stages + (k + 2) % 3 * BLOCKS_STAGE);
        WINDOWS_PASTE(WINDOWS_NAME, _multiply)(stages + k % 3 * BLOCKS_STAGE, sum);
    }
    int window = piece.window;
    if (window < 0) {
        const spmm_gpu_part part = windows.parts[-1 - window];
        if (!WINDOWS_PASTE(WINDOWS_NAME, _meet)(&windows, part, -1 - window, own, sum))
            return;
        window = part.target;
    }
    WINDOWS_PASTE(WINDOWS_NAME, _store)(&windows, window, own, sum);
}

#undef WINDOWS_PASTE
#undef WINDOWS_PASTE2
#undef WINDOWS_JOIN
#undef WINDOWS_JOIN2
#undef WINDOWS_NAME
#undef WINDOWS_TALL
#undef WINDOWS_WIDTH
#undef WINDOWS_NUMBERS
#undef WINDOWS_FRAGMENT
#undef WINDOWS_SUMS
#undef BLOCKS_THREADS
#undef BLOCKS_VECTORS
#undef BLOCKS_ROW
#undef BLOCKS_A
#undef BLOCKS_STAGE
#undef WINDOWS_GROUPS
#undef BLOCKS_WARPS
#undef BLOCKS_RESIDENT
