/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) that multiplies dense windows on tensor cores, for matrices
// made of dense blocks, for compute capability 9.0 alone, included once for each variant. Before it are
// defined ROWWINDOWS_TYPE, ROWWINDOWS_STORE, ROWWINDOWS_SUM and ROWWINDOWS_SIZE as for rowwindows/body.h, and
//
//     BLOCKS_TALL       16 rows each: of a window
//     BLOCKS_WARPS      side by side, …
//     ROWWINDOWS_GROUPS … with so many groups of 128 bytes of columns each
//     BLOCKS_RESIDENT   blocks of a multiprocessor
//
// Blocks are persistent and take piece after piece. The last warp of a block copies A, and the rows of B that
// it wants, chunk by chunk to a ring in shared memory, before the others are done with the piece before; the
// others multiply. So A is read once for all columns of the block, where rowwindows/body.h reads it for each
// group. The kernel is blocks_TYPE_TALL_WARPS_GROUPS; its tiles are those of a warp, a multiple of
// BLOCKS_WARPS.

#define ROWWINDOWS_PASTE2(a, b) a##b
#define ROWWINDOWS_PASTE(a, b) ROWWINDOWS_PASTE2(a, b)
#define ROWWINDOWS_JOIN2(type, tall, warps, groups) blocks_##type##_##tall##_##warps##_##groups
#define ROWWINDOWS_JOIN(type, tall, warps, groups) ROWWINDOWS_JOIN2(type, tall, warps, groups)
#define ROWWINDOWS_NAME ROWWINDOWS_JOIN(ROWWINDOWS_TYPE, BLOCKS_TALL, BLOCKS_WARPS, ROWWINDOWS_GROUPS)
#define BLOCKS_LOAD ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _load)
#define ROWWINDOWS_CHUNK ROWWINDOWS_PASTE(spmm_chunk_, ROWWINDOWS_TYPE)
#define ROWWINDOWS_TALL BLOCKS_TALL
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_NUMBERS (4 * ROWWINDOWS_WIDTH / ROWWINDOWS_SIZE) /* that a thread reads at a time */
#define ROWWINDOWS_FRAGMENT (2 * ROWWINDOWS_SIZE)                   /* words of A of 16 rows in a thread */
#define ROWWINDOWS_SUMS (ROWWINDOWS_TALL * ROWWINDOWS_GROUPS * ROWWINDOWS_NUMBERS * 4)
#define BLOCKS_THREADS (32 * (BLOCKS_WARPS + 1))
#define BLOCKS_VECTORS (8 * ROWWINDOWS_GROUPS * BLOCKS_WARPS) /* of a row of B */
#define BLOCKS_ROW (16 * BLOCKS_VECTORS + 32)
#define BLOCKS_A (256 * ROWWINDOWS_TALL * ROWWINDOWS_SIZE)
#define BLOCKS_STAGE (BLOCKS_A + SPMM_GPU_CHUNK * BLOCKS_ROW)

#include "spmm/rowwindows/store.h"

// The work of the warp that copies the chunks of a piece, of B from vector `first` on; `chunks` counts those
// of all pieces. Row 4t + k of a chunk comes to the place of row 4k + t, so that the threads of a fragment
// read from different banks.
__device__ __forceinline__ void BLOCKS_LOAD(const spmm_gpu_rowwindows *windows, spmm_gpu_piece piece,
                                            int first, int *chunks, char *shared, spmm_ring_barrier *full,
                                            spmm_ring_barrier *empty) {
    const int lane = threadIdx.x % 32, left = windows->operands.vectors - first;
    const int row_bytes = 16 * (left < BLOCKS_VECTORS ? left : BLOCKS_VECTORS);
    // Lanes 0 to 15 copy a row of B each, lane 16 copies A.
    const int bytes = lane < SPMM_GPU_CHUNK ? row_bytes : lane == SPMM_GPU_CHUNK ? BLOCKS_A : 0;
    const int to = lane < SPMM_GPU_CHUNK ? BLOCKS_A + (lane % 4 * 4 + lane / 4) * BLOCKS_ROW : 0;
    const int *column = windows->column + (long long)piece.first * SPMM_GPU_CHUNK + lane;
    const char *a = (const char *)windows->value + (long long)piece.first * BLOCKS_A,
               *b = (const char *)windows->operands.b + (long long)first * 16;
    int next = lane < SPMM_GPU_CHUNK && piece.count > 0 ? __ldg(column) : 0;
    for (int k = 0; k < piece.count; k++, ++*chunks) {
        const int stage = *chunks % BLOCKS_STAGES, round = *chunks / BLOCKS_STAGES;
        const char *from = a + (long long)k * BLOCKS_A;
        if (lane < SPMM_GPU_CHUNK) {
            from = b + (long long)next * windows->operands.b_stride;
            if (k + 1 < piece.count)
                next = __ldg(column + (k + 1) * SPMM_GPU_CHUNK);
        }
        // A stage is empty in round r after phase r - 1; a wait for the phase before the first one ends at
        // once.
        spmm_ring_wait(&empty[stage], (round & 1) ^ 1);
        spmm_ring_expect(&full[stage], bytes);
        if (bytes > 0)
            spmm_ring_copy(shared + stage * BLOCKS_STAGE + to, from, bytes, &full[stage]);
    }
}

// Adds the products of the chunk in a stage, for the warp's columns.
__device__ __forceinline__ void ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _multiply)(const char *stage,
                                                                             ROWWINDOWS_SUM *sum) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const char *b = stage + BLOCKS_A + lane % 4 * BLOCKS_ROW + (warp * ROWWINDOWS_GROUPS * 8 + lane / 4) * 16;
    unsigned a[ROWWINDOWS_TALL * ROWWINDOWS_FRAGMENT];
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_TALL * ROWWINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = ((const spmm_words *)stage)[k * 32 + lane];
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
    SPMM_UNROLL
    for (int group = 0; group < ROWWINDOWS_GROUPS; group++) {
        unsigned words[4 * ROWWINDOWS_WIDTH];
        SPMM_UNROLL
        for (int row = 0; row < 4; row++) {
            const spmm_words some = *(const spmm_words *)(b + 4 * row * BLOCKS_ROW + group * 128);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                words[row * 4 + word] = some.word[word];
        }
        ROWWINDOWS_CHUNK(ROWWINDOWS_TALL, ROWWINDOWS_GROUPS * ROWWINDOWS_NUMBERS * 4, ROWWINDOWS_WIDTH, a,
                         words, sum + group * ROWWINDOWS_NUMBERS * 4);
    }
}

SHIM_KERNEL void __launch_bounds__(BLOCKS_THREADS, BLOCKS_RESIDENT)
    ROWWINDOWS_NAME(const __grid_constant__ spmm_gpu_rowwindows windows) {
    SPMM_GROUP_SHARED(shared);
    __shared__ __align__(8) spmm_ring_barrier full[BLOCKS_STAGES], empty[BLOCKS_STAGES];
    const int warp = threadIdx.x / 32;
    int chunks = 0;
    if (threadIdx.x < BLOCKS_STAGES) {
        spmm_ring_open(&full[threadIdx.x], 32);
        spmm_ring_open(&empty[threadIdx.x], BLOCKS_WARPS);
    }
    __syncthreads();
    spmm_walk walk;
    spmm_walk_begin(&windows, BLOCKS_WARPS, &walk);
    SPMM_NO_UNROLL
    while (spmm_walk_step(&windows, BLOCKS_WARPS, &walk)) {
        const spmm_gpu_piece piece = walk.piece;
        const int tile = walk.tile;
        int window = piece.window;
        if (warp == BLOCKS_WARPS) {
            BLOCKS_LOAD(&windows, piece, tile * ROWWINDOWS_GROUPS * 8, &chunks, shared, full, empty);
            continue;
        }
        ROWWINDOWS_SUM sum[ROWWINDOWS_SUMS];
        SPMM_UNROLL
        for (int k = 0; k < ROWWINDOWS_SUMS; k++)
            sum[k] = 0;
        SPMM_NO_UNROLL
        for (int k = 0; k < piece.count; k++, chunks++) {
            const int stage = chunks % BLOCKS_STAGES;
            spmm_ring_wait(&full[stage], chunks / BLOCKS_STAGES & 1);
            __syncwarp();
            ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _multiply)(shared + stage * BLOCKS_STAGE, sum);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                spmm_ring_arrive(&empty[stage]);
        }
        if (window < 0) {
            const spmm_gpu_part part = windows.parts[-1 - window];
            if (!ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _reduction)(&windows, part, -1 - window, tile + warp, sum))
                continue;
            window = part.target;
        }
        ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _store)(&windows, window, tile + warp, sum);
    }
}

#undef ROWWINDOWS_PASTE
#undef ROWWINDOWS_PASTE2
#undef ROWWINDOWS_JOIN
#undef ROWWINDOWS_JOIN2
#undef ROWWINDOWS_NAME
#undef BLOCKS_LOAD
#undef ROWWINDOWS_CHUNK
#undef ROWWINDOWS_TALL
#undef ROWWINDOWS_WIDTH
#undef ROWWINDOWS_NUMBERS
#undef ROWWINDOWS_FRAGMENT
#undef ROWWINDOWS_SUMS
#undef BLOCKS_THREADS
#undef BLOCKS_VECTORS
#undef BLOCKS_ROW
#undef BLOCKS_A
#undef BLOCKS_STAGE
#undef ROWWINDOWS_GROUPS
#undef BLOCKS_TALL
#undef BLOCKS_WARPS
#undef BLOCKS_RESIDENT
