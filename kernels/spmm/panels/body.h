/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) that expands tiles of A in shared memory and multiplies them on
// tensor cores (load as sparse, compute as dense), included once for each variant. Before it are defined
//
//     PANELS_TYPE, PANELS_STORE, PANELS_VALUE, PANELS_SUM, PANELS_SIZE, PANELS_WIDTH   as in
//                     rowwindows/body.h
//     PANELS_DEPTH    columns of a tile of A, a multiple of 16
//     PANELS_GROUPS   of 8 times PANELS_WIDTH words, side by side in a tile of C
//     PANELS_SIDE     warps side by side; 8 / PANELS_SIDE below each other
//
// While a tile is multiplied, two more of B are on their way to shared memory, the next tile of A is in
// registers and its place is filled with zeros.

#define PANELS_PASTE2(a, b) a##b
#define PANELS_PASTE(a, b) PANELS_PASTE2(a, b)
#define PANELS_JOIN2(type, depth, width, groups) panels_##type##_##depth##_##width##_##groups
#define PANELS_JOIN(type, depth, width, groups) PANELS_JOIN2(type, depth, width, groups)
#define PANELS_NAME PANELS_JOIN(PANELS_TYPE, PANELS_DEPTH, PANELS_WIDTH, PANELS_GROUPS)
#define PANELS_COPY_B PANELS_PASTE(PANELS_NAME, _copy_b)
#define PANELS_CHUNK PANELS_PASTE(spmm_chunk_, PANELS_TYPE)
#define PANELS_STORE_VECTOR PANELS_PASTE(spmm_store_, PANELS_STORE)
#define PANELS_NUMBERS (4 * PANELS_WIDTH / PANELS_SIZE) /* that a thread reads at a time */
#define PANELS_TALL PANELS_SIDE                         /* 16 rows each, of a warp */
#define PANELS_OWN (PANELS_GROUPS / PANELS_SIDE)        /* groups of a warp */
#define PANELS_FRAGMENT (2 * PANELS_SIZE)               /* words of A of 16 rows in a thread */
#define PANELS_SUMS (PANELS_TALL * PANELS_OWN * PANELS_NUMBERS * 4)
#define PANELS_ROW (PANELS_GROUPS * 32 * PANELS_WIDTH + 32)         /* bytes of B in shared memory */
#define PANELS_A (SPMM_GPU_PANEL_ROWS * PANELS_DEPTH * PANELS_SIZE) /* bytes of a tile of A */
#define PANELS_B (PANELS_DEPTH * PANELS_ROW)
#define PANELS_AHEAD                                                                                         \
    (PANELS_SIZE == 2 ? 8 : PANELS_SIZE == 4 ? 5 : 3) /* entries of A that a thread reads ahead */

typedef struct PANELS_PASTE(PANELS_NAME, _entries) {
    long long first, end;
    int position[PANELS_AHEAD];
    PANELS_VALUE value[PANELS_AHEAD];
} PANELS_PASTE(PANELS_NAME, _entries);

// Reads this thread's first entries of tile `number`, none where `there` is 0.
__device__ __forceinline__ void
PANELS_PASTE(PANELS_NAME, _read_ahead)(const spmm_gpu_panels *panels, int number, int there,
                                       PANELS_PASTE(PANELS_NAME, _entries) * entries) {
    entries->first = entries->end = 0;
    if (there) {
        entries->first = __ldg(panels->start + number) + threadIdx.x;
        entries->end = __ldg(panels->start + number + 1);
    }
    SPMM_UNROLL
    for (int k = 0; k < PANELS_AHEAD; k++) {
        const long long entry = entries->first + SPMM_GPU_PANEL_THREADS * k;
        entries->position[k] = entry < entries->end ? (int)__ldg(panels->position + entry) : -1;
        entries->value[k] =
            entry < entries->end ? __ldg((const PANELS_VALUE *)panels->value + entry) : (PANELS_VALUE)0;
    }
}

// Puts the entries of a tile in their places; the tile holds zeros.
__device__ __forceinline__ void
PANELS_PASTE(PANELS_NAME, _expand)(const spmm_gpu_panels *panels,
                                   const PANELS_PASTE(PANELS_NAME, _entries) * entries, PANELS_VALUE *tile) {
    SPMM_UNROLL
    for (int k = 0; k < PANELS_AHEAD; k++)
        if (entries->position[k] >= 0)
            tile[entries->position[k]] = entries->value[k];
    SPMM_NO_UNROLL
    for (long long entry = entries->first + SPMM_GPU_PANEL_THREADS * PANELS_AHEAD; entry < entries->end;
         entry += SPMM_GPU_PANEL_THREADS)
        tile[__ldg(panels->position + entry)] = __ldg((const PANELS_VALUE *)panels->value + entry);
}

__device__ __forceinline__ void PANELS_PASTE(PANELS_NAME, _clear)(char *tile) {
    const spmm_words zero = {{0, 0, 0, 0}};
    SPMM_UNROLL
    for (int at = 0; at < PANELS_A; at += SPMM_GPU_PANEL_THREADS * 16)
        *(spmm_words *)(tile + at + threadIdx.x * 16) = zero;
}

// Begins to copy rows `first` … of B, in the columns of tile `tile` of C. It commits once, copies or not, as
// waits count commits.
__device__ __forceinline__ void PANELS_COPY_B(const spmm_gpu_panels *panels, int tile, long long first,
                                              int there, char *to) {
    enum { VECTORS = PANELS_GROUPS * 2 * PANELS_WIDTH };
    if (there) {
        SPMM_UNROLL
        for (int at = 0; at < PANELS_DEPTH * VECTORS; at += SPMM_GPU_PANEL_THREADS) {
            const int mine = at + threadIdx.x, row = mine / VECTORS, vector = tile * VECTORS + mine % VECTORS;
            if (mine < PANELS_DEPTH * VECTORS) {
                const int inside = first + row < panels->ncol && vector < panels->operands.vectors;
                const char *from = (const char *)panels->operands.b;
                if (inside)
                    from += (first + row) * panels->operands.b_stride + (long long)vector * 16;
                spmm_copy(to + row * PANELS_ROW + mine % VECTORS * 16, from, inside);
            }
        }
    }
    spmm_copy_commit();
}

// Adds the products of a tile, 16 columns of A at a time. A thread reads its fragments of A and rows t, t +
// 4, t + 8, t + 12 of B from shared memory; the order of columns in a chunk is made for these
// (panels/contract.h).
__device__ __forceinline__ void PANELS_PASTE(PANELS_NAME, _multiply)(const char *a_tile, const char *b_tile,
                                                                     PANELS_SUM *sum) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, side = warp % PANELS_SIDE;
    const char *from_a = a_tile + warp / PANELS_SIDE * PANELS_TALL * PANELS_FRAGMENT * 128 + lane * 16;
    const char *from_b =
        b_tile + lane % 4 * PANELS_ROW + (side * PANELS_OWN * 8 + lane / 4) * PANELS_WIDTH * 4;
    SPMM_UNROLL
    for (int chunk = 0; chunk < PANELS_DEPTH / 16; chunk++) {
        unsigned a[PANELS_TALL * PANELS_FRAGMENT];
        SPMM_UNROLL
        for (int k = 0; k < PANELS_TALL * PANELS_FRAGMENT / 4; k++) {
            const spmm_words some = *(const spmm_words *)(from_a + (chunk * 2 * PANELS_FRAGMENT + k) * 512);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                a[4 * k + word] = some.word[word];
        }
        SPMM_UNROLL
        for (int group = 0; group < PANELS_OWN; group++) {
            unsigned words[4 * PANELS_WIDTH];
            SPMM_UNROLL
            for (int row = 0; row < 4; row++) {
                const char *from = from_b + (chunk * 16 + row * 4) * PANELS_ROW + group * 32 * PANELS_WIDTH;
#if PANELS_WIDTH == 4
                const spmm_words some = *(const spmm_words *)from;
#else
                const spmm_word_pair some = *(const spmm_word_pair *)from;
#endif
                SPMM_UNROLL
                for (int word = 0; word < PANELS_WIDTH; word++)
                    words[row * PANELS_WIDTH + word] = some.word[word];
            }
            PANELS_CHUNK(PANELS_TALL, PANELS_OWN * PANELS_NUMBERS * 4, PANELS_WIDTH, a, words,
                         sum + group * PANELS_NUMBERS * 4);
        }
    }
}

// Leaves the sums of a part; true in the block of the part that came last, with the sums of all parts.
__device__ __forceinline__ int PANELS_PASTE(PANELS_NAME, _reduction)(const spmm_gpu_panels *panels,
                                                                     spmm_gpu_part part, int number, int tile,
                                                                     unsigned *shared, PANELS_SUM *sum) {
    PANELS_SUM *partial = (PANELS_SUM *)panels->operands.partial + threadIdx.x;
    SPMM_UNROLL
    for (int k = 0; k < PANELS_SUMS; k++)
        partial[(((long long)number * panels->operands.tiles + tile) * PANELS_SUMS + k) *
                SPMM_GPU_PANEL_THREADS] = sum[k];
    if (!spmm_reduction_blocks(
            &panels->operands.arrived[(long long)part.first * panels->operands.tiles + tile], part.count,
            shared))
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < PANELS_SUMS; k++)
        sum[k] = 0;
    SPMM_NO_UNROLL
    for (int p = part.first; p < part.first + part.count; p++) {
        SPMM_UNROLL
        for (int k = 0; k < PANELS_SUMS; k++)
            sum[k] += PANELS_PASTE(PANELS_PASTE(spmm_load_, PANELS_SUM), _sum)(
                partial +
                (((long long)p * panels->operands.tiles + tile) * PANELS_SUMS + k) * SPMM_GPU_PANEL_THREADS);
    }
    return 1;
}

// Writes the sums to C, whole vectors at a time.
__device__ __forceinline__ void PANELS_PASTE(PANELS_NAME, _store)(const spmm_gpu_panels *panels, int band,
                                                                  int tile, const PANELS_SUM *sum) {
    enum { VECTORS = PANELS_WIDTH / 2, PER_VECTOR = 16 / PANELS_SIZE };
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    SPMM_UNROLL
    for (int m = 0; m < 2 * PANELS_TALL; m++) {
        const long long row =
            (long long)band * SPMM_GPU_PANEL_ROWS + warp / PANELS_SIDE * PANELS_TALL * 16 + m * 8 + g;
        char *c = (char *)panels->operands.c + row * panels->operands.c_stride;
        SPMM_UNROLL
        for (int group = 0; group < PANELS_OWN; group++) {
            SPMM_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                const int vector =
                    ((tile * PANELS_GROUPS + warp % PANELS_SIDE * PANELS_OWN + group) * 4 + t) * VECTORS + v;
                PANELS_SUM numbers[PER_VECTOR];
                SPMM_UNROLL
                for (int k = 0; k < PER_VECTOR; k++) {
                    const int j =
                        v * PER_VECTOR + k; // of the 2 PANELS_NUMBERS that the thread has side by side
                    numbers[k] =
                        sum[((m / 2 * PANELS_OWN + group) * PANELS_NUMBERS + j % PANELS_NUMBERS) * 4 +
                            m % 2 * 2 + j / PANELS_NUMBERS];
                }
                if (row < panels->nrow && vector < panels->operands.vectors)
                    PANELS_STORE_VECTOR(c, vector, numbers, panels->operands.alpha, panels->operands.beta,
                                        panels->operands.wide);
            }
        }
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_PANEL_THREADS, 2)
    PANELS_NAME(const __grid_constant__ spmm_gpu_panels panels) {
    SHIM_DYNAMIC_SHARED(spmm_words, shared); /* tiles: two of A, three of B */
    char *a = (char *)shared, *b = a + 2 * PANELS_A;
    const spmm_gpu_piece piece = panels.pieces[blockIdx.x / panels.operands.tiles];
    const int tile = (int)(blockIdx.x % panels.operands.tiles), first = piece.first, count = piece.count;
    const int step = first % panels.steps;
    PANELS_PASTE(PANELS_NAME, _entries) entries;
    PANELS_SUM sum[PANELS_SUMS];
    SPMM_UNROLL
    for (int k = 0; k < PANELS_SUMS; k++)
        sum[k] = 0;
    PANELS_COPY_B(&panels, tile, (long long)step * PANELS_DEPTH, count > 0, b);
    PANELS_COPY_B(&panels, tile, (long long)(step + 1) * PANELS_DEPTH, count > 1, b + PANELS_B);
    PANELS_PASTE(PANELS_NAME, _read_ahead)(&panels, first, count > 0, &entries);
    PANELS_PASTE(PANELS_NAME, _clear)(a);
    __syncthreads();
    PANELS_PASTE(PANELS_NAME, _expand)(&panels, &entries, (PANELS_VALUE *)a);
    PANELS_PASTE(PANELS_NAME, _read_ahead)(&panels, first + 1, count > 1, &entries);
    SPMM_NO_UNROLL
    for (int k = 0; k < count; k++) {
        char *other = a + (k + 1) % 2 * PANELS_A;
        // Of the commits, that for tile k + 1 may go on: B of tile k has arrived, and all have done tile k
        // - 1.
        spmm_copy_wait();
        __syncthreads();
        PANELS_COPY_B(&panels, tile, (long long)(step + k + 2) * PANELS_DEPTH, k + 2 < count,
                      b + (k + 2) % 3 * PANELS_B);
        PANELS_PASTE(PANELS_NAME, _clear)(other);
        PANELS_PASTE(PANELS_NAME, _multiply)(a + k % 2 * PANELS_A, b + k % 3 * PANELS_B, sum);
        __syncthreads();
        PANELS_PASTE(PANELS_NAME, _expand)(&panels, &entries, (PANELS_VALUE *)other);
        PANELS_PASTE(PANELS_NAME, _read_ahead)(&panels, first + k + 2, k + 2 < count, &entries);
    }
    int band = piece.window;
    if (band < 0) {
        const spmm_gpu_part part = panels.parts[-1 - band];
        if (!PANELS_PASTE(PANELS_NAME, _reduction)(&panels, part, -1 - band, tile, (unsigned *)shared, sum))
            return;
        band = part.target;
    }
    PANELS_PASTE(PANELS_NAME, _store)(&panels, band, tile, sum);
}

#undef PANELS_PASTE
#undef PANELS_PASTE2
#undef PANELS_JOIN
#undef PANELS_JOIN2
#undef PANELS_NAME
#undef PANELS_COPY_B
#undef PANELS_CHUNK
#undef PANELS_STORE_VECTOR
#undef PANELS_NUMBERS
#undef PANELS_TALL
#undef PANELS_OWN
#undef PANELS_FRAGMENT
#undef PANELS_SUMS
#undef PANELS_ROW
#undef PANELS_A
#undef PANELS_B
#undef PANELS_AHEAD
#undef PANELS_DEPTH
#undef PANELS_WIDTH
#undef PANELS_GROUPS
#undef PANELS_SIDE
