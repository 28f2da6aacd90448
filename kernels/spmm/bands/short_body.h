/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) that expands tiles of A in shared memory and multiplies them by the
// matrix instructions for four warps (load as sparse, compute as dense), for numbers of 2 bytes, included
// once for each variant. Before it are defined
//
//     BANDS_TYPE       half or bfloat
//     BANDS_STORE      half or bfloat: the format of C
//     BANDS_COLUMNS    of a tile of C: 32, 64, 128, 256
//     BANDS_AHEAD      tiles that are on their way to shared memory: 2 or 3, as SPMM_GPU_BAND_AHEAD says
//     BANDS_RESIDENT   blocks of a multiprocessor
//
// While the matrix units work on a tile, each warp expands its 16 rows of the next one. Rows of B and entries
// of A are copied to rings in shared memory; a thread copies the entries that it will put in their places
// itself.

#define BANDS_PASTE2(a, b) a##b
#define BANDS_PASTE(a, b) BANDS_PASTE2(a, b)
#define BANDS_JOIN2(type, columns) bands_##type##_##columns
#define BANDS_JOIN(type, columns) BANDS_JOIN2(type, columns)
#define BANDS_NAME BANDS_JOIN(BANDS_TYPE, BANDS_COLUMNS)
#define BANDS_MULTIPLY BANDS_PASTE(BANDS_NAME, _multiply)
#define BANDS_COPY_B BANDS_PASTE(BANDS_NAME, _copy_b)
#define BANDS_COPY_ENTRIES BANDS_PASTE(BANDS_NAME, _copy_entries)
#define BANDS_EXPAND BANDS_PASTE(BANDS_NAME, _expand)
#define BANDS_PUT BANDS_PASTE(BANDS_NAME, _put)
#define BANDS_WGMMA BANDS_PASTE(BANDS_PASTE(BANDS_PASTE(spmm_group_, BANDS_TYPE), _), BANDS_COLUMNS)
#define BANDS_SUMS (BANDS_COLUMNS / 2)
#define BANDS_ROW (BANDS_COLUMNS < 64 ? 2 * BANDS_COLUMNS : 128) /* bytes of a row of B's tile, by rows */
#define BANDS_DEPTH (SPMM_GPU_BAND_BYTES / 2)                    /* columns of a tile of A */
#define BANDS_A (SPMM_GPU_BAND_ROWS * SPMM_GPU_BAND_BYTES)       /* bytes of a tile of A, … */
#define BANDS_B (SPMM_GPU_BAND_BYTES * BANDS_COLUMNS)            /* … of B, … */
#define BANDS_MANY 3                                             /* vectors of entries of a thread, … */
#define BANDS_E (SPMM_GPU_BAND_THREADS * BANDS_MANY * 16)        /* … bytes of all of them */
#define BANDS_KEPT_A 2
#define BANDS_KEPT_B (BANDS_AHEAD + 2)
#define BANDS_KEPT_E (BANDS_AHEAD + 1)
#define BANDS_PER_VECTOR 8
#define BANDS_STAGED (BANDS_COLUMNS + 4) /* floats of a row of C in shared memory */

// Where a warp's entries begin and end, of 31 tiles at a time.
typedef struct BANDS_PASTE(BANDS_NAME, _subtiles) {
    const int *start; /* of the piece's first tile */
    int count;        /* tiles */
    int own;          /* lane l: vector with which tile (k / 31) * 31 + l begins */
} BANDS_PASTE(BANDS_NAME, _subtiles);

// The first vector of tile k, and its end. Every 31 tiles a lane reads one start; tiles are asked for in
// order.
__device__ __forceinline__ int BANDS_PASTE(BANDS_NAME, _find)(BANDS_PASTE(BANDS_NAME, _subtiles) * subtiles,
                                                              int k, int *end) {
    if (k % 31 == 0) {
        const int at = k + (int)(threadIdx.x % 32);
        subtiles->own = __ldg(subtiles->start + (at < subtiles->count ? at : subtiles->count));
    }
    *end = __shfl_sync(0xffffffffu, subtiles->own, k % 31 + 1);
    return __shfl_sync(0xffffffffu, subtiles->own, k % 31);
}

// Begins to copy this thread's entries of a subtile, whose vectors are first … end - 1, as many as have room.
__device__ __forceinline__ void BANDS_COPY_ENTRIES(const spmm_gpu_bands *bands, int first, int end,
                                                   char *to) {
    SPMM_UNROLL
    for (int k = 0; k < BANDS_MANY; k++) {
        const int vector = first + k * 32 + (int)(threadIdx.x % 32);
        if (vector < end)
            spmm_copy(to + (k * SPMM_GPU_BAND_THREADS + threadIdx.x) * 16,
                      bands->entry + (long long)vector * 4, 1);
    }
}

// Begins to copy rows `first` … of B, in the columns of tile `tile` of C, in the swizzled order.
__device__ __forceinline__ void BANDS_COPY_B(const spmm_gpu_bands *bands, int tile, long long first,
                                             char *to) {
    enum { VECTORS = BANDS_COLUMNS / 8, OF_ROW = BANDS_ROW / 16 };
    SPMM_UNROLL
    for (int at = 0; at < BANDS_DEPTH * VECTORS; at += SPMM_GPU_BAND_THREADS) {
        const int mine = at + threadIdx.x, row = mine / VECTORS, wanted = mine % VECTORS;
        const int vector = tile * VECTORS + wanted;
        const int inside = first + row < bands->ncol && vector < bands->operands.vectors;
        const int place = wanted % OF_ROW ^ (BANDS_ROW == 128 ? row % 8 : row / 2 % 4);
        const char *from = (const char *)bands->operands.b;
        if (inside)
            from += (first + row) * bands->operands.b_stride + (long long)vector * 16;
        spmm_copy(to + wanted / OF_ROW * BANDS_DEPTH * BANDS_ROW + row * BANDS_ROW + place * 16, from,
                  inside);
    }
}

// Puts the four entries of a vector, each a value above a position, in their places.
__device__ __forceinline__ void BANDS_PUT(spmm_words vector, char *subtile) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        *(unsigned short *)(subtile + (vector.word[k] & 0xffff)) = (unsigned short)(vector.word[k] >> 16);
}

// Expands this warp's 16 rows of a tile: zeros first, then the entries that were copied, then those for which
// there was no room.
__device__ __forceinline__ void BANDS_EXPAND(const spmm_gpu_bands *bands, int first, int end,
                                             const char *entries, char *tile) {
    const spmm_words zero = {{0, 0, 0, 0}};
    const int lane = threadIdx.x % 32;
    char *subtile = tile + threadIdx.x / 32 * 2048;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        *(spmm_words *)(subtile + (k * 32 + lane) * 16) = zero;
    __syncwarp();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_MANY; k++)
        if (first + k * 32 + lane < end)
            BANDS_PUT(*(const spmm_words *)(entries + (k * SPMM_GPU_BAND_THREADS + threadIdx.x) * 16),
                      subtile);
    SPMM_NO_UNROLL
    for (int vector = first + BANDS_MANY * 32 + lane; vector < end; vector += 32)
        BANDS_PUT(spmm_load(bands->entry + (long long)vector * 4), subtile);
}

// Starts the products of a tile, 16 columns of A at a time, and commits them.
__device__ __forceinline__ void BANDS_MULTIPLY(const char *a, const char *b, float *sum) {
    const unsigned left = spmm_shared_address(a) + threadIdx.x / 128 * (BANDS_A / 2),
                   right = spmm_shared_address(b);
    spmm_group_begin();
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        BANDS_WGMMA(
            sum, spmm_describe(left + k * 32, 16, 1024, 128),
            spmm_describe(right + k * 16 * BANDS_ROW, BANDS_DEPTH * BANDS_ROW, 8 * BANDS_ROW, BANDS_ROW));
    spmm_group_commit();
}

#include "spmm/bands/end.h"

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_BAND_THREADS, BANDS_RESIDENT)
    BANDS_NAME(const __grid_constant__ spmm_gpu_bands bands) {
    SPMM_GROUP_SHARED(shared); /* tiles of A, then of B, then entries */
    char *a = shared, *b = a + BANDS_KEPT_A * BANDS_A, *entries = b + BANDS_KEPT_B * BANDS_B;
    const spmm_gpu_operands *operands = &bands.operands;
    const spmm_gpu_piece piece = bands.pieces[blockIdx.x / operands->tiles];
    const int tile = (int)(blockIdx.x % operands->tiles), count = piece.count;
    const long long step = piece.first % bands.steps;
    BANDS_PASTE(BANDS_NAME, _subtiles)
    subtiles = {bands.start + ((long long)(piece.first / bands.steps) * 8 + threadIdx.x / 32) * bands.steps +
                    step,
                count, 0};
    int first[BANDS_KEPT_E], end[BANDS_KEPT_E]; /* vectors of tiles k + 1 … k + BANDS_AHEAD + 1 */
    float sum[BANDS_SUMS];
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        sum[k] = 0;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_KEPT_E; k++) {
        first[k] = end[k] = 0;
        if (k < count) {
            first[k] = BANDS_PASTE(BANDS_NAME, _find)(&subtiles, k, &end[k]);
            BANDS_COPY_ENTRIES(&bands, first[k], end[k], entries + k * BANDS_E);
        }
        if (k > 0) { // Of B comes the tile before: entries have to be one tile further ahead.
            if (k - 1 < count)
                BANDS_COPY_B(&bands, tile, (step + k - 1) * BANDS_DEPTH, b + (k - 1) * BANDS_B);
            spmm_copy_commit();
        }
    }
    BANDS_PASTE(spmm_copy_wait_, BANDS_AHEAD)();
    BANDS_EXPAND(&bands, first[0], end[0], entries, a);
    SPMM_NO_UNROLL
    for (int k = 0; k < count; k++) {
        // B of tile k and the entries of tile k + 1 have arrived, and tile k of A is expanded.
        BANDS_PASTE(spmm_copy_wait_, BANDS_AHEAD)();
        spmm_group_publish();
        __syncthreads();
        BANDS_MULTIPLY(a + k % BANDS_KEPT_A * BANDS_A, b + k % BANDS_KEPT_B * BANDS_B, sum);
        spmm_group_wait_one();
        SPMM_UNROLL
        for (int at = 0; at < BANDS_AHEAD; at++) {
            first[at] = first[at + 1];
            end[at] = end[at + 1];
        }
        first[BANDS_AHEAD] = end[BANDS_AHEAD] = 0;
        if (k + BANDS_AHEAD < count)
            BANDS_COPY_B(&bands, tile, (step + k + BANDS_AHEAD) * BANDS_DEPTH,
                         b + (k + BANDS_AHEAD) % BANDS_KEPT_B * BANDS_B);
        if (k + BANDS_AHEAD + 1 < count) {
            first[BANDS_AHEAD] =
                BANDS_PASTE(BANDS_NAME, _find)(&subtiles, k + BANDS_AHEAD + 1, &end[BANDS_AHEAD]);
            BANDS_COPY_ENTRIES(&bands, first[BANDS_AHEAD], end[BANDS_AHEAD],
                               entries + k % BANDS_KEPT_E * BANDS_E);
        }
        spmm_copy_commit();
        if (k + 1 < count)
            BANDS_EXPAND(&bands, first[0], end[0], entries + (k + 1) % BANDS_KEPT_E * BANDS_E,
                         a + (k + 1) % BANDS_KEPT_A * BANDS_A);
    }
    BANDS_PASTE(BANDS_NAME, _finish)(&bands, piece.window, tile, shared, sum);
}

#undef BANDS_PASTE
#undef BANDS_PASTE2
#undef BANDS_JOIN
#undef BANDS_JOIN2
#undef BANDS_NAME
#undef BANDS_MULTIPLY
#undef BANDS_COPY_B
#undef BANDS_COPY_ENTRIES
#undef BANDS_EXPAND
#undef BANDS_PUT
#undef BANDS_WGMMA
#undef BANDS_SUMS
#undef BANDS_ROW
#undef BANDS_DEPTH
#undef BANDS_A
#undef BANDS_B
#undef BANDS_MANY
#undef BANDS_E
#undef BANDS_KEPT_A
#undef BANDS_KEPT_B
#undef BANDS_KEPT_E
#undef BANDS_PER_VECTOR
#undef BANDS_STAGED
#undef BANDS_COLUMNS
#undef BANDS_AHEAD
#undef BANDS_RESIDENT
