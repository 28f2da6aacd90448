// A device kernel for SpMM (common/gpu.h) that multiplies dense windows on tensor cores, for matrices
// made of dense blocks, for compute capability 9.0 alone, included once for each variant. Before it are
// defined WINDOWS_TYPE, WINDOWS_STORE, WINDOWS_SUM and WINDOWS_SIZE as for windows/body.h, and
//
//     BLOCKS_TALL       16 rows each: of a window
//     BLOCKS_WARPS      side by side, …
//     WINDOWS_GROUPS    … with so many groups of 128 bytes of columns each
//     BLOCKS_RESIDENT   blocks of a multiprocessor
//
// Blocks stay, and take piece after piece. The last warp of a block has A, and the rows of B that it wants,
// copied chunk by chunk to a ring in shared memory, before the others are done with the piece before; these
// multiply. So A is read once for all columns of the block, where windows/body.h reads it for each group. The
// kernel is blocks_TYPE_TALL_WARPS_GROUPS; its tiles are those of a warp, a multiple of BLOCKS_WARPS.

#define WINDOWS_PASTE2(a, b) a##b
#define WINDOWS_PASTE(a, b) WINDOWS_PASTE2(a, b)
#define WINDOWS_JOIN2(type, tall, warps, groups) blocks_##type##_##tall##_##warps##_##groups
#define WINDOWS_JOIN(type, tall, warps, groups) WINDOWS_JOIN2(type, tall, warps, groups)
#define WINDOWS_NAME WINDOWS_JOIN(WINDOWS_TYPE, BLOCKS_TALL, BLOCKS_WARPS, WINDOWS_GROUPS)
#define WINDOWS_TALL BLOCKS_TALL
#define WINDOWS_WIDTH 4
#define WINDOWS_NUMBERS (4 * WINDOWS_WIDTH / WINDOWS_SIZE) /* that a thread reads at a time */
#define WINDOWS_FRAGMENT (2 * WINDOWS_SIZE)                /* words of A of 16 rows in a thread */
#define WINDOWS_SUMS (WINDOWS_TALL * WINDOWS_GROUPS * WINDOWS_NUMBERS * 4)
#define BLOCKS_THREADS (32 * (BLOCKS_WARPS + 1))
#define BLOCKS_VECTORS (8 * WINDOWS_GROUPS * BLOCKS_WARPS) /* of a row of B */
#define BLOCKS_ROW (16 * BLOCKS_VECTORS + 32)
#define BLOCKS_A (256 * WINDOWS_TALL * WINDOWS_SIZE)
#define BLOCKS_STAGE (BLOCKS_A + SPMM_GPU_CHUNK * BLOCKS_ROW)

#include "spmm/windows/store.h"

// The warp that has the chunks of a piece copied, of B from vector `first` on; `chunks` counts those of all
// pieces. Row 4t + k of a chunk comes to the place of row 4k + t, so that the threads of a fragment read from
// different banks.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME,
                                              _load)(const spmm_gpu_windows *windows, spmm_gpu_piece piece,
                                                     int first, int *chunks, char *shared,
                                                     spmm_ring_barrier *full, spmm_ring_barrier *empty) {
    const int lane = threadIdx.x % 32, left = windows->operands.vectors - first;
    const int row_bytes = 16 * (left < BLOCKS_VECTORS ? left : BLOCKS_VECTORS);
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
        spmm_ring_wait(&empty[stage], (round & 1) ^ 1);
        spmm_ring_expect(&full[stage], bytes);
        if (bytes > 0)
            spmm_ring_copy(shared + stage * BLOCKS_STAGE + to, from, bytes, &full[stage]);
    }
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
            WINDOWS_PASTE(WINDOWS_NAME, _load)
            (&windows, piece, tile * WINDOWS_GROUPS * 8, &chunks, shared, full, empty);
            continue;
        }
        WINDOWS_SUM sum[WINDOWS_SUMS];
        SPMM_UNROLL
        for (int k = 0; k < WINDOWS_SUMS; k++)
            sum[k] = 0;
        SPMM_NO_UNROLL
        for (int k = 0; k < piece.count; k++, chunks++) {
            const int stage = chunks % BLOCKS_STAGES;
            spmm_ring_wait(&full[stage], chunks / BLOCKS_STAGES & 1);
            __syncwarp();
            WINDOWS_PASTE(WINDOWS_NAME, _multiply)(shared + stage * BLOCKS_STAGE, sum);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                spmm_ring_arrive(&empty[stage]);
        }
        if (window < 0) {
            const spmm_gpu_part part = windows.parts[-1 - window];
            if (!WINDOWS_PASTE(WINDOWS_NAME, _meet)(&windows, part, -1 - window, tile + warp, sum))
                continue;
            window = part.target;
        }
        WINDOWS_PASTE(WINDOWS_NAME, _store)(&windows, window, tile + warp, sum);
    }
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
#undef BLOCKS_TALL
#undef BLOCKS_WARPS
#undef BLOCKS_RESIDENT
