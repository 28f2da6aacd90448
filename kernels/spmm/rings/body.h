/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) on tensor cores with the formats of rowwindows_…, for compute
// capability 9.0 alone, included once for each variant. Before it are defined
//
//     RINGS_TYPE     half or bfloat
//     RINGS_TALL     16 rows each: of the window
//     RINGS_EACH     … and of a warp
//     RINGS_WIDE     64 columns each: of a tile
//     RINGS_DENSE    1: dense windows
//     RINGS_RESIDENT blocks of a multiprocessor
//
// Blocks are persistent and take piece after piece. The last warp of a block copies the rows of B for the
// next chunks, and A, to a ring in shared memory, before the others are done with the piece before; the
// others multiply, each 64 columns and RINGS_EACH fragments. Row 4t + r of a chunk lies at place t + 4r, so
// that the threads that read together read from different banks. The kernel is rings_TYPE_TALL_WIDE_DENSE.

#define RINGS_PASTE2(a, b) a##b
#define RINGS_PASTE(a, b) RINGS_PASTE2(a, b)
#define RINGS_JOIN2(type, tall, wide, dense) rings_##type##_##tall##_##wide##_##dense
#define RINGS_JOIN(type, tall, wide, dense) RINGS_JOIN2(type, tall, wide, dense)
#define RINGS_NAME RINGS_JOIN(RINGS_TYPE, RINGS_TALL, RINGS_WIDE, RINGS_DENSE)
#define RINGS_COPY_B RINGS_PASTE(RINGS_NAME, _copy_b)
#define RINGS_STORE RINGS_PASTE(spmm_store_, RINGS_TYPE)
#define RINGS_ROW (RINGS_WIDE * 128 + 32)    /* bytes from row to row of B in shared memory, … */
#define RINGS_B (SPMM_GPU_CHUNK * RINGS_ROW) /* … of the rows of a chunk, … */
#define RINGS_A (RINGS_TALL * 512)           /* … and of its A */
#define RINGS_STAGE (RINGS_B + RINGS_A)
#define RINGS_WORKERS (RINGS_WIDE * RINGS_TALL / RINGS_EACH) /* warps that multiply */
#define RINGS_THREADS (32 * (RINGS_WORKERS + 1))
#define RINGS_SUMS (RINGS_EACH * 32)

// The rings' barriers, behind the stages.
typedef struct RINGS_PASTE(RINGS_NAME, _barriers) {
    spmm_ring_barrier full[SPMM_GPU_RING_STAGES], ready[SPMM_GPU_RING_STAGES], empty[SPMM_GPU_RING_STAGES];
} RINGS_PASTE(RINGS_NAME, _barriers);

// Begins to copy the rows of B for a chunk: lanes 0 … 15 have the number of one row each in `from`.
__device__ __forceinline__ void RINGS_COPY_B(const char *b, int stride, int vectors, int from, char *to) {
    enum { OF_ROW = RINGS_WIDE * 8, ROWS = 32 / OF_ROW }; /* vectors; rows at a time */
    const int lane = threadIdx.x % 32, vector = lane % OF_ROW;
    SPMM_UNROLL
    for (int at = 0; at < SPMM_GPU_CHUNK; at += ROWS) {
        const int row = at + lane / OF_ROW, column = __shfl_sync(0xffffffffu, from, row);
        if (vector < vectors)
            spmm_copy(to + (row / 4 + row % 4 * 4) * RINGS_ROW + vector * 16,
                      b + (long long)column * stride + vector * 16, 1);
    }
}

// The work of the warp that copies the chunks of a piece; `chunks` counts those of all pieces.
__device__ __forceinline__ void RINGS_PASTE(RINGS_NAME, _load)(const spmm_gpu_rowwindows *windows,
                                                               spmm_gpu_piece piece, int tile, int *chunks,
                                                               char *shared,
                                                               RINGS_PASTE(RINGS_NAME, _barriers) * at) {
    const int lane = threadIdx.x % 32, first_vector = tile * RINGS_WIDE * 8;
    const int *column = windows->column + (long long)piece.first * SPMM_GPU_CHUNK + lane;
    int next = 0, own = 0; /* lanes 16 … 31 have the columns of every other chunk */
    if (piece.count > lane / 16)
        next = __ldg(column);
    for (int k = 0; k < piece.count; k++, ++*chunks) {
        const int stage = *chunks % SPMM_GPU_RING_STAGES, round = *chunks / SPMM_GPU_RING_STAGES;
        char *to = shared + stage * RINGS_STAGE;
        if (k % 2 == 0) {
            own = next;
            if (k + 2 + lane / 16 < piece.count)
                next = __ldg(column + (long long)(k + 2) * SPMM_GPU_CHUNK);
        }
        const int from = __shfl_sync(0xffffffffu, own, k % 2 * 16 + lane % 16);
        const char *raw = (const char *)windows->value + (long long)(piece.first + k) * RINGS_A;
        // A stage is empty in round r after phase r - 1; a wait for the phase before the first one ends at
        // once.
        spmm_ring_wait(&at->empty[stage], (round & 1) ^ 1);
        SPMM_UNROLL
        for (int m = 0; m < RINGS_TALL; m++)
            spmm_copy(to + RINGS_B + (m * 32 + lane) * 16, raw + (m * 32 + lane) * 16, 1);
        RINGS_COPY_B((const char *)windows->operands.b + (long long)first_vector * 16,
                     windows->operands.b_stride, windows->operands.vectors - first_vector, from, to);
        spmm_ring_arrive_later(&at->full[stage]);
    }
}

// The work of a warp that multiplies: 64 columns of B that begin at `column` bytes, and fragments from `tall`
// on.
__device__ __forceinline__ void RINGS_PASTE(RINGS_NAME, _multiply)(int count, int *chunks, int tall,
                                                                   int column, const char *shared,
                                                                   RINGS_PASTE(RINGS_NAME, _barriers) * at,
                                                                   float *sum) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    for (int k = 0; k < count; k++, ++*chunks) {
        const int stage = *chunks % SPMM_GPU_RING_STAGES, round = *chunks / SPMM_GPU_RING_STAGES;
        const char *b = shared + stage * RINGS_STAGE + t * RINGS_ROW + column + g * 16;
        const spmm_words *left = (const spmm_words *)(shared + stage * RINGS_STAGE + RINGS_B) + tall * 32;
        spmm_words a[RINGS_EACH], words[4];
        spmm_ring_wait(&at->full[stage], round & 1);
        SPMM_UNROLL
        for (int r = 0; r < 4; r++)
            words[r] = *(const spmm_words *)(b + 4 * r * RINGS_ROW);
        SPMM_UNROLL
        for (int m = 0; m < RINGS_EACH; m++)
            a[m] = left[m * 32 + lane];
        // All is in registers: the stage is free before the products.
        __syncwarp();
        if (lane == 0)
            spmm_ring_arrive(&at->empty[stage]);
        RINGS_PASTE(spmm_chunk_, RINGS_TYPE)(RINGS_EACH, 32, 4, a->word, words->word, sum);
    }
}

// Leaves the sums of a part; true in the warp of the part that came last, with the sums of all parts. A warp
// adds the sums of the warps of other blocks that have its number.
__device__ __forceinline__ int RINGS_PASTE(RINGS_NAME, _reduction)(const spmm_gpu_operands *operands,
                                                                   spmm_gpu_part part, int number, int tile,
                                                                   int worker, float *sum) {
    const long long workers = (long long)operands->tiles * RINGS_WORKERS, own = tile * RINGS_WORKERS + worker;
    const long long next = workers * RINGS_SUMS / 4 * 32;
    spmm_words *partial = (spmm_words *)operands->partial + own * (RINGS_SUMS / 4 * 32) + threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < RINGS_SUMS / 4; k++)
        partial[number * next + k * 32] = spmm_partial_float(sum + 4 * k);
    if (!spmm_reduction_warps(&operands->arrived[part.first * workers + own], part.count))
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < RINGS_SUMS; k++)
        sum[k] = 0;
    for (int p = part.first; p < part.first + part.count; p++) {
        SPMM_UNROLL
        for (int k = 0; k < RINGS_SUMS / 4; k++) {
            const spmm_words some = spmm_load_sums(partial + p * next + k * 32);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                sum[4 * k + word] += spmm_float(some.word[word]);
        }
    }
    return 1;
}

// Writes sum[fragment][number][4] of 64 columns to C; `block` times 64 columns are left of these.
__device__ __forceinline__ void RINGS_PASTE(RINGS_NAME, _store)(const spmm_gpu_rowwindows *windows,
                                                                int window, int tall, int block,
                                                                const float *sum) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    SPMM_UNROLL
    for (int m = 0; m < 2 * RINGS_EACH; m++) {
        const int row = __ldg(windows->rows + (long long)window * 16 * RINGS_TALL + tall * 16 + m * 8 + g);
        float numbers[2][8], stored[2][8];
        SPMM_UNROLL
        for (int k = 0; k < 8; k++) {
            numbers[0][k] = sum[(m / 2 * 8 + k) * 4 + m % 2 * 2];
            numbers[1][k] = sum[(m / 2 * 8 + k) * 4 + m % 2 * 2 + 1];
        }
        spmm_exchange_float(8, numbers[0], numbers[1], stored[0], stored[1]);
        SPMM_UNROLL
        for (int v = 0; v < 2; v++) {
            const int vector = block * 8 + t / 2 * 4 + 2 * v + t % 2;
            if (row >= 0 && vector < windows->operands.vectors)
                RINGS_STORE((char *)windows->operands.c + (long long)row * windows->operands.c_stride, vector,
                            stored[v], windows->operands.alpha, windows->operands.beta,
                            windows->operands.wide);
        }
    }
}

SHIM_KERNEL void __launch_bounds__(RINGS_THREADS, RINGS_RESIDENT)
    RINGS_NAME(const __grid_constant__ spmm_gpu_rowwindows windows) {
    SPMM_GROUP_SHARED(shared); /* stages, then barriers */
    RINGS_PASTE(RINGS_NAME, _barriers) *barriers =
        (RINGS_PASTE(RINGS_NAME, _barriers) *)(shared + SPMM_GPU_RING_STAGES * RINGS_STAGE);
    const int warp = threadIdx.x / 32, tall = warp / RINGS_WIDE * RINGS_EACH, block = warp % RINGS_WIDE;
    int chunks = 0;
    if (threadIdx.x < SPMM_GPU_RING_STAGES) {
        spmm_ring_open(&barriers->full[threadIdx.x], 32);
        spmm_ring_open(&barriers->ready[threadIdx.x], 1);
        spmm_ring_open(&barriers->empty[threadIdx.x], RINGS_WORKERS);
    }
    __syncthreads();
    spmm_walk walk;
    spmm_walk_begin(&windows, 1, &walk);
    SPMM_NO_UNROLL
    while (spmm_walk_step(&windows, 1, &walk)) {
        const spmm_gpu_piece piece = walk.piece;
        const int tile = walk.tile;
        int window = piece.window;
        float sum[RINGS_SUMS];
        if (warp == RINGS_THREADS / 32 - 1) {
            RINGS_PASTE(RINGS_NAME, _load)(&windows, piece, tile, &chunks, shared, barriers);
            continue;
        }
        SPMM_UNROLL
        for (int k = 0; k < RINGS_SUMS; k++)
            sum[k] = 0;
        RINGS_PASTE(RINGS_NAME, _multiply)(piece.count, &chunks, tall, block * 128, shared, barriers, sum);
        if (window < 0) {
            const spmm_gpu_part part = windows.parts[-1 - window];
            if (!RINGS_PASTE(RINGS_NAME, _reduction)(&windows.operands, part, -1 - window, tile, warp, sum))
                continue;
            window = part.target;
        }
        RINGS_PASTE(RINGS_NAME, _store)(&windows, window, tall, tile * RINGS_WIDE + block, sum);
    }
}

#undef RINGS_PASTE
#undef RINGS_PASTE2
#undef RINGS_JOIN
#undef RINGS_JOIN2
#undef RINGS_NAME
#undef RINGS_COPY_B
#undef RINGS_STORE
#undef RINGS_ROW
#undef RINGS_B
#undef RINGS_A
#undef RINGS_STAGE
#undef RINGS_WORKERS
#undef RINGS_THREADS
#undef RINGS_SUMS
#undef RINGS_TALL
#undef RINGS_EACH
#undef RINGS_WIDE
#undef RINGS_DENSE
#undef RINGS_RESIDENT
