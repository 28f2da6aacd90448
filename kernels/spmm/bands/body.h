/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) that expands tiles of A in shared memory and multiplies them by the
// matrix instructions for four warps (load as sparse, compute as dense), included once for each variant.
// Before it are defined
//
//     BANDS_TYPE       tf32 or float
//     BANDS_STORE      float: the format of C
//     BANDS_COLUMNS    of a tile of C: 32, 64, 128
//     BANDS_RESIDENT   blocks of a multiprocessor
//
// While the matrix units work on a tile, each warp expands its 16 rows of the next tile of A and reads the
// entries of the one after it. The matrix units want numbers of 4 bytes by columns: B passes through
// registers. float makes three products of halves of numbers (tf32); a tile of A has sums of its own, since
// the matrix units cut where they should round. For numbers of 2 bytes there is short_body.h.

#define BANDS_PASTE2(a, b) a##b
#define BANDS_PASTE(a, b) BANDS_PASTE2(a, b)
#define BANDS_JOIN2(type, columns) bands_##type##_##columns
#define BANDS_JOIN(type, columns) BANDS_JOIN2(type, columns)
#define BANDS_NAME BANDS_JOIN(BANDS_TYPE, BANDS_COLUMNS)
#define BANDS_MULTIPLY BANDS_PASTE(BANDS_NAME, _multiply)
#define BANDS_WGMMA BANDS_PASTE(spmm_group_tf32_, BANDS_COLUMNS)
#define BANDS_PUT_NUMBER BANDS_PASTE(spmm_put_, BANDS_TYPE)
#define BANDS_SUMS (BANDS_COLUMNS / 2)
#define BANDS_DEPTH 32                       /* columns of a tile of A */
#define BANDS_ONE (SPMM_GPU_BAND_ROWS * 128) /* bytes of a tile of A, … */
#define BANDS_A (BANDS_PARTS * BANDS_ONE)    /* … of all its parts */
#define BANDS_B (BANDS_PARTS * 128 * BANDS_COLUMNS)
#define BANDS_AHEAD 3 /* vectors of entries that a thread reads ahead */
#define BANDS_PER_VECTOR 4
#define BANDS_STAGED (BANDS_COLUMNS + 4) /* floats of a row of C in shared memory */

typedef struct BANDS_PASTE(BANDS_NAME, _entries) {
    int first, end; /* vectors */
    spmm_words vector[BANDS_AHEAD];
} BANDS_PASTE(BANDS_NAME, _entries);

// The entries of the subtile that ends at `end`; it begins where the one before it ended.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME,
                                            _read_ahead)(const spmm_gpu_bands *bands, int end,
                                                         BANDS_PASTE(BANDS_NAME, _entries) * entries) {
    entries->first = entries->end;
    entries->end = end;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_AHEAD; k++) {
        const int vector = entries->first + k * 32 + (int)(threadIdx.x % 32);
        if (vector < end)
            entries->vector[k] = spmm_load(bands->entry + (long long)vector * 4);
    }
}

// Puts the two entries of a vector, position and value each, in their places.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _put)(spmm_words vector, char *subtile) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k += 2)
        BANDS_PUT_NUMBER(vector.word[k + 1], subtile + vector.word[k], subtile + BANDS_ONE + vector.word[k]);
}

// Expands this warp's 16 rows of a tile: zeros first, then the entries.
__device__ __forceinline__ void
BANDS_PASTE(BANDS_NAME, _expand)(const spmm_gpu_bands *bands,
                                 const BANDS_PASTE(BANDS_NAME, _entries) * entries, char *tile) {
    const spmm_words zero = {{0, 0, 0, 0}};
    const int lane = threadIdx.x % 32;
    char *subtile = tile + threadIdx.x / 32 * 2048;
    SPMM_UNROLL
    for (int part = 0; part < BANDS_PARTS; part++) {
        SPMM_UNROLL
        for (int k = 0; k < 4; k++)
            *(spmm_words *)(subtile + part * BANDS_ONE + (k * 32 + lane) * 16) = zero;
    }
    __syncwarp();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_AHEAD; k++)
        if (entries->first + k * 32 + lane < entries->end)
            BANDS_PASTE(BANDS_NAME, _put)(entries->vector[k], subtile);
    SPMM_NO_UNROLL
    for (int vector = entries->first + BANDS_AHEAD * 32 + lane; vector < entries->end; vector += 32)
        BANDS_PASTE(BANDS_NAME, _put)(spmm_load(bands->entry + (long long)vector * 4), subtile);
}

// Reads B's tile to registers: each lane has a row, and each warp BANDS_COLUMNS / 32 vectors of it.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _read_b)(const spmm_gpu_bands *bands, int tile,
                                                                 long long first, spmm_words *b) {
    const long long row = first + threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_COLUMNS / 32; k++) {
        const int vector = (tile * 8 + threadIdx.x / 32) * (BANDS_COLUMNS / 32) + k;
        const spmm_words zero = {{0, 0, 0, 0}};
        b[k] = zero;
        if (row < bands->ncol && vector < bands->operands.vectors)
            b[k] = spmm_load((const char *)bands->operands.b + row * bands->operands.b_stride +
                             (long long)vector * 16);
    }
}

// Writes B's tile to shared memory by columns, of 32 rows or 128 bytes each, in the swizzled order.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _put_b)(const spmm_words *b, char *to) {
    const int row = threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_COLUMNS / 32; k++) {
        SPMM_UNROLL
        for (int word = 0; word < 4; word++) {
            const int column = (threadIdx.x / 32 * (BANDS_COLUMNS / 32) + k) * 4 + word;
            char *place = to + column * 128 + ((row / 4) ^ (column % 8)) * 16 + row % 4 * 4;
            BANDS_PUT_NUMBER(b[k].word[word], place, place + 128 * BANDS_COLUMNS);
        }
    }
}

// Starts the products of a tile, 8 columns of A at a time, and commits them.
__device__ __forceinline__ void BANDS_MULTIPLY(const char *a, const char *b, float *sum) {
    const unsigned left = spmm_shared_address(a) + threadIdx.x / 128 * (BANDS_ONE / 2),
                   right = spmm_shared_address(b);
    spmm_group_begin();
    SPMM_UNROLL
    for (int k = 0; k < (BANDS_PARTS == 1 ? 4 : 12); k++) {
        // Of split numbers come first low times high, then high times low, then high times high.
        const unsigned left_part = BANDS_PARTS == 2 && k / 4 == 0 ? BANDS_ONE : 0,
                       right_part = BANDS_PARTS == 2 && k / 4 == 1 ? 128 * BANDS_COLUMNS : 0;
        BANDS_WGMMA(sum, spmm_describe(left + left_part + k % 4 * 32, 16, 1024, 128),
                    spmm_describe(right + right_part + k % 4 * 32, 16, 1024, 128), BANDS_PARTS == 1 || k > 0);
    }
    spmm_group_commit();
}

#include "spmm/bands/end.h"

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_BAND_THREADS, BANDS_RESIDENT)
    BANDS_NAME(const __grid_constant__ spmm_gpu_bands bands) {
    SPMM_GROUP_SHARED(shared); /* tiles of A, then of B */
    char *a = shared, *b = a + BANDS_KEPT_A * BANDS_A;
    const spmm_gpu_operands *operands = &bands.operands;
    const spmm_gpu_piece piece = bands.pieces[blockIdx.x / operands->tiles];
    const int tile = (int)(blockIdx.x % operands->tiles), count = piece.count;
    const long long step = piece.first % bands.steps;
    const int *start =
        bands.start + ((long long)(piece.first / bands.steps) * 8 + threadIdx.x / 32) * bands.steps + step;
    BANDS_PASTE(BANDS_NAME, _entries) entries;
    float sum[BANDS_SUMS];
    int next = 0; /* end of the subtile after the one that is in registers */
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        sum[k] = 0;
    // Before the loop: tile 0 is in shared memory, the entries and B of tile 1 are in registers.
    entries.end = count > 0 ? __ldg(start) : 0;
    BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, count > 0 ? __ldg(start + 1) : 0, &entries);
    if (count > 1)
        next = __ldg(start + 2);
    spmm_words coming[BANDS_COLUMNS / 32];
    if (count > 0) {
        BANDS_PASTE(BANDS_NAME, _read_b)(&bands, tile, step * BANDS_DEPTH, coming);
        BANDS_PASTE(BANDS_NAME, _put_b)(coming, b);
    }
    if (count > 1)
        BANDS_PASTE(BANDS_NAME, _read_b)(&bands, tile, (step + 1) * BANDS_DEPTH, coming);
    BANDS_PASTE(BANDS_NAME, _expand)(&bands, &entries, a);
    if (count > 1)
        BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, next, &entries);
    if (count > 2)
        next = __ldg(start + 3);
    SPMM_NO_UNROLL
    for (int k = 0; k < count; k++) {
        // Tile k is complete. While its products run, tile k + 1 is put together and tile k + 2 is read.
        spmm_group_publish();
        __syncthreads();
#if BANDS_PARTS == 1
        BANDS_MULTIPLY(a + k % BANDS_KEPT_A * BANDS_A, b + k % BANDS_KEPT_B * BANDS_B, sum);
        spmm_group_wait_one();
#else
        float part[BANDS_SUMS];
        BANDS_MULTIPLY(a + k % BANDS_KEPT_A * BANDS_A, b + k % BANDS_KEPT_B * BANDS_B, part);
#endif
        if (k + 1 < count)
            BANDS_PASTE(BANDS_NAME, _put_b)(coming, b + (k + 1) % BANDS_KEPT_B * BANDS_B);
        if (k + 2 < count)
            BANDS_PASTE(BANDS_NAME, _read_b)(&bands, tile, (step + k + 2) * BANDS_DEPTH, coming);
        if (k + 1 < count)
            BANDS_PASTE(BANDS_NAME, _expand)(&bands, &entries, a + (k + 1) % BANDS_KEPT_A * BANDS_A);
        if (k + 2 < count)
            BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, next, &entries);
        if (k + 3 < count)
            next = __ldg(start + k + 4);
#if BANDS_PARTS == 2
        spmm_group_wait();
        SPMM_UNROLL
        for (int at = 0; at < BANDS_SUMS; at++) {
            spmm_group_hold(&part[at]);
            sum[at] += part[at];
        }
#endif
    }
    BANDS_PASTE(BANDS_NAME, _finish)(&bands, piece.window, tile, shared, sum);
}

#undef BANDS_PASTE
#undef BANDS_PASTE2
#undef BANDS_JOIN
#undef BANDS_JOIN2
#undef BANDS_NAME
#undef BANDS_MULTIPLY
#undef BANDS_WGMMA
#undef BANDS_PUT_NUMBER
#undef BANDS_SUMS
#undef BANDS_A
#undef BANDS_B
#undef BANDS_ONE
#undef BANDS_DEPTH
#undef BANDS_PER_VECTOR
#undef BANDS_AHEAD
#undef BANDS_STAGED
#undef BANDS_COLUMNS
#undef BANDS_RESIDENT
