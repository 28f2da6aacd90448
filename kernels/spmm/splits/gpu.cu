/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels halves and splits_float_64 for SpMM (common/gpu.h): a dense product by three of tf32,
// for compute capability 9.0 alone.
#include "shim.h"

#include "spmm/common/group.h"
#include "spmm/common/matrix.h"
#include "spmm/common/ring.h"
#include "spmm/common/row.h"
#include "spmm/pack/place.h"
#include "spmm/reduction/reduction.h"
#include "spmm/splits/contract.h"

enum {
    SPLITS_A = 2 * SPMM_GPU_BAND_ROWS * SPMM_GPU_BAND_BYTES, /* bytes of a tile of A, both halves */
    SPLITS_B = 2 * SPMM_GPU_SPLIT_COLUMNS * SPMM_GPU_BAND_BYTES,
    SPLITS_SUMS = SPMM_GPU_SPLIT_COLUMNS / 2
};

// A block takes a tile of B (32 rows, SPMM_GPU_SPLIT_COLUMNS columns): each number in two halves, by columns.
SHIM_KERNEL void __launch_bounds__(SPMM_GPU_SPLIT_WORKERS)
    halves_float_64(const __grid_constant__ spmm_gpu_splits splits) {
    enum { ROWS = SPMM_GPU_BAND_BYTES / 4, COLUMNS = SPMM_GPU_SPLIT_COLUMNS };
    __shared__ unsigned number[ROWS][COLUMNS + 1];
    const spmm_gpu_operands *operands = &splits.operands;
    const long long first = (long long)(blockIdx.x / operands->tiles) * ROWS;
    const int first_vector = (int)(blockIdx.x % operands->tiles) * (COLUMNS / 4);
    char *tile = (char *)splits.halves + (long long)blockIdx.x * SPLITS_B;
    for (int at = threadIdx.x; at < ROWS * COLUMNS / 4; at += SPMM_GPU_SPLIT_WORKERS) {
        const int row = at / (COLUMNS / 4), vector = at % (COLUMNS / 4);
        spmm_words some = {{0, 0, 0, 0}};
        if (first + row < splits.ncol && first_vector + vector < operands->vectors)
            some = spmm_load((const char *)operands->b + (first + row) * operands->b_stride +
                             (long long)(first_vector + vector) * 16);
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            number[row][4 * vector + word] = some.word[word];
    }
    __syncthreads();
    for (int at = threadIdx.x; at < COLUMNS * ROWS / 4; at += SPMM_GPU_SPLIT_WORKERS) {
        const int column = at / (ROWS / 4), row = at % (ROWS / 4) * 4;
        spmm_words high, low;
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            spmm_split(number[row + word][column], &high.word[word], &low.word[word]);
        // B's tile is stored by columns, each as a row of the swizzled layout of A's.
        char *to = tile + spmm_place_in_subtile(column, 4 * row);
        *(spmm_words *)to = high;
        *(spmm_words *)(to + SPLITS_B / 2) = low;
    }
}

// Multiplies the 64 rows of this warpgroup in a tile of A by a tile of B, both of 32 numbers deep: four
// products of 8 each for low times high, for high times low and for high times high.
__device__ __forceinline__ void splits_multiply(const char *stage, float *sum) {
    const unsigned left = spmm_shared_address(stage) + threadIdx.x / 128 * (SPLITS_A / 4),
                   right = spmm_shared_address(stage) + SPLITS_A;
    spmm_group_begin();
    SPMM_UNROLL
    for (int k = 0; k < 12; k++)
        spmm_group_tf32_64(
            sum, spmm_describe(left + (k / 4 == 0 ? SPLITS_A / 2 : 0) + k % 4 * 32, 16, 1024, 128),
            spmm_describe(right + (k / 4 == 1 ? SPLITS_B / 2 : 0) + k % 4 * 32, 16, 1024, 128), k > 0);
    spmm_group_commit();
    spmm_group_wait();
}

// Leaves the sums of a part; true in the block of the part that came last, with the sums of all parts.
__device__ __forceinline__ int splits_reduce(const spmm_gpu_splits *splits, int band, int part, int tile,
                                             unsigned *before, float *sum) {
    const spmm_gpu_operands *operands = &splits->operands;
    enum { EACH = SPLITS_SUMS / 4 };
    spmm_words *partial = (spmm_words *)operands->partial + threadIdx.x;
    const int works = threadIdx.x < SPMM_GPU_SPLIT_WORKERS;
    SPMM_UNROLL
    for (int k = 0; k < EACH; k++)
        if (works)
            partial[((((long long)band * splits->parts + part) * operands->tiles + tile) * EACH + k) *
                    SPMM_GPU_SPLIT_WORKERS] = spmm_partial_float(sum + 4 * k);
    if (!spmm_reduction_blocks(operands->arrived + (long long)band * splits->parts * operands->tiles + tile,
                               splits->parts, before) ||
        !works)
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < SPLITS_SUMS; k++)
        sum[k] = 0;
    SPMM_NO_UNROLL
    for (int p = 0; p < splits->parts; p++) {
        SPMM_UNROLL
        for (int k = 0; k < EACH; k++) {
            const spmm_words some = spmm_load_sums(
                partial + ((((long long)band * splits->parts + p) * operands->tiles + tile) * EACH + k) *
                              SPMM_GPU_SPLIT_WORKERS);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                sum[4 * k + word] += spmm_float(some.word[word]);
        }
    }
    return 1;
}

// Writes the sums of a thread to C, at the rows and columns that common/group.h says.
__device__ __forceinline__ void splits_store(const spmm_gpu_splits *splits, int band, int tile,
                                             const float *sum) {
    const spmm_gpu_operands *operands = &splits->operands;
    const int lane = threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < SPLITS_SUMS; k++) {
        const long long row =
            (long long)band * SPMM_GPU_BAND_ROWS + threadIdx.x / 32 * 16 + lane / 4 + k % 4 / 2 * 8;
        const int column = tile * SPMM_GPU_SPLIT_COLUMNS + k / 4 * 8 + lane % 4 * 2 + k % 2;
        if (row < splits->nrow && column < 4 * operands->vectors)
            spmm_store_one_float((char *)operands->c + row * operands->c_stride, column, sum[k],
                                 operands->alpha, operands->beta, 0);
    }
}

// Two warpgroups multiply, 64 rows each, while a thread of one more warp has tiles copied to the next stages.
// A step has sums of its own, since the matrix units cut where they should round.
SHIM_KERNEL void __launch_bounds__(SPMM_GPU_SPLIT_WORKERS + 32, 1)
    splits_float_64(const __grid_constant__ spmm_gpu_splits splits) {
    enum { STAGE = SPLITS_A + SPLITS_B, STAGES = SPMM_GPU_SPLIT_STAGES };
    SPMM_GROUP_SHARED(shared);
    __shared__ __align__(8) spmm_ring_barrier full[STAGES], empty[STAGES];
    __shared__ unsigned before;
    const int tile = (int)(blockIdx.x % splits.operands.tiles),
              part = (int)(blockIdx.x / splits.operands.tiles % splits.parts),
              band = (int)(blockIdx.x / splits.operands.tiles / splits.parts);
    const int first = (int)((long long)splits.steps * part / splits.parts),
              count = (int)((long long)splits.steps * (part + 1) / splits.parts) - first;
    float sum[SPLITS_SUMS];
    SPMM_UNROLL
    for (int k = 0; k < SPLITS_SUMS; k++)
        sum[k] = 0;
    if (threadIdx.x == 0)
        for (int stage = 0; stage < STAGES; stage++) {
            spmm_ring_open(&full[stage], 1);
            spmm_ring_open(&empty[stage], SPMM_GPU_SPLIT_WORKERS / 32);
        }
    __syncthreads();
    if (threadIdx.x >= SPMM_GPU_SPLIT_WORKERS) {
        const char *a = (const char *)splits.a + ((long long)band * splits.steps + first) * SPLITS_A,
                   *b = (const char *)splits.halves +
                        ((long long)first * splits.operands.tiles + tile) * SPLITS_B;
        for (int k = 0; k < count && threadIdx.x == SPMM_GPU_SPLIT_WORKERS; k++) {
            const int stage = k % STAGES;
            if (k >= STAGES) // The stage was used: its phase of round k / STAGES - 1 must be over.
                spmm_ring_wait(&empty[stage], (k / STAGES - 1) % 2);
            spmm_ring_expect(&full[stage], STAGE);
            spmm_ring_copy(shared + stage * STAGE, a + (long long)k * SPLITS_A, SPLITS_A, &full[stage]);
            spmm_ring_copy(shared + stage * STAGE + SPLITS_A,
                           b + (long long)k * splits.operands.tiles * SPLITS_B, SPLITS_B, &full[stage]);
        }
    } else {
        SPMM_NO_UNROLL
        for (int k = 0; k < count; k++) {
            const int stage = k % STAGES;
            float own[SPLITS_SUMS];
            spmm_ring_wait(&full[stage], k / STAGES % 2);
            splits_multiply(shared + stage * STAGE, own);
            if (threadIdx.x % 32 == 0)
                spmm_ring_arrive(&empty[stage]);
            SPMM_UNROLL
            for (int at = 0; at < SPLITS_SUMS; at++) {
                spmm_group_hold(&own[at]);
                sum[at] += own[at];
            }
        }
    }
    // Where a band is cut, the block that comes last goes on with the sums of all parts.
    if (splits.parts > 1 && !splits_reduce(&splits, band, part, tile, &before, sum))
        return;
    if (threadIdx.x < SPMM_GPU_SPLIT_WORKERS)
        splits_store(&splits, band, tile, sum);
}
