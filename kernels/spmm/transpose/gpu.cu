/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels transpose_… for dense operands of SpMM (contract.h).
#include "shim.h"

#include "spmm/common/number.h"
#include "spmm/transpose/contract.h"

enum { SPMM_TRANSPOSE_STEP = SPMM_TRANSPOSE_THREADS / SPMM_TRANSPOSE_TILE };

/* ---- rounding, step by step that of lib/spmm/problem/format.c ---- */

/* Half a unit less the last bit, and that bit again if the last kept one is odd: a tie goes to the even
 * neighbour. */
__device__ __forceinline__ double spmm_transpose_round(double x, int bits, double smallest, double unit,
                                                       double overflow) {
    const int dropped = 53 - bits;
    const double magnitude = fabs(x), shift = 6755399441055744.0 * unit; /* 1.5 · 2^52 */
    long long word = __double_as_longlong(x);
    if (!(magnitude < overflow))
        return x;
    if (magnitude < smallest)
        return copysign(__dsub_rn(__dadd_rn(x, shift), shift), x);
    word += (word >> dropped & 1) + (1LL << (dropped - 1)) - 1;
    word &= ~((1LL << dropped) - 1);
    return __longlong_as_double(word);
}

/* The number as the format has it; *beyond: it is not finite there. */
__device__ __forceinline__ void spmm_transpose_put(int format, double x, void *row, long long at,
                                                   int *beyond) {
    const double limit = format == SPMM_TRANSPOSE_FP16 ? 0x1p16 : 0x1p128;
    switch (format) {
    case SPMM_TRANSPOSE_FP16:
        x = spmm_transpose_round(x, 11, 0x1p-14, 0x1p-24, limit);
        ((unsigned short *)row)[at] = spmm_narrow_half((float)x);
        break;
    case SPMM_TRANSPOSE_BF16:
        x = spmm_transpose_round(x, 8, 0x1p-126, 0x1p-133, limit);
        ((unsigned short *)row)[at] = spmm_narrow_bfloat((float)x);
        break;
    case SPMM_TRANSPOSE_TF32:
        x = spmm_transpose_round(x, 11, 0x1p-126, 0x1p-136, limit);
        ((float *)row)[at] = (float)x;
        break;
    case SPMM_TRANSPOSE_FP32:
        ((float *)row)[at] = (float)x;
        x = (double)(float)x;
        break;
    default:
        ((double *)row)[at] = x;
        *beyond += !isfinite(x);
        return;
    }
    *beyond += !(fabs(x) < limit);
}

/* ---- tiles ---- */

/* The first row and column of a block's tile, and this thread's first place in it. */
typedef struct spmm_transpose_place {
    long long row, column;
    int across, down;
} spmm_transpose_place;

__device__ __forceinline__ spmm_transpose_place spmm_transpose_find(const spmm_transpose *it) {
    const long long parts = SPMM_TRANSPOSE_PARTS(it->stride);
    spmm_transpose_place at;
    at.across = (int)(threadIdx.x % SPMM_TRANSPOSE_TILE);
    at.down = (int)(threadIdx.x / SPMM_TRANSPOSE_TILE);
    at.row = blockIdx.x / parts * SPMM_TRANSPOSE_TILE;
    at.column = blockIdx.x % parts * SPMM_TRANSPOSE_TILE;
    return at;
}

SHIM_KERNEL void __launch_bounds__(SPMM_TRANSPOSE_THREADS)
    transpose_rows(const __grid_constant__ spmm_transpose it) {
    __shared__ double tile[SPMM_TRANSPOSE_TILE][SPMM_TRANSPOSE_TILE + 1];
    const spmm_transpose_place place = spmm_transpose_find(&it);
    const int across = place.across, down = place.down;
    const long long row = place.row, column = place.column;
    int beyond = 0;
    for (int k = down; k < SPMM_TRANSPOSE_TILE; k += SPMM_TRANSPOSE_STEP)
        tile[k][across] = row + across < it.nrow && column + k < it.ncol
                              ? it.column[(column + k) * it.nrow + row + across]
                              : 0;
    __syncthreads();
    for (int k = down; k < SPMM_TRANSPOSE_TILE; k += SPMM_TRANSPOSE_STEP)
        if (row + k < it.nrow && column + across < it.stride)
            spmm_transpose_put(it.format, tile[across][k], it.row, (row + k) * it.stride + column + across,
                               &beyond);
    if (beyond > 0)
        atomicAdd(it.beyond, (unsigned long long)beyond);
}

SHIM_KERNEL void __launch_bounds__(SPMM_TRANSPOSE_THREADS)
    transpose_columns(const __grid_constant__ spmm_transpose it) {
    __shared__ double tile[SPMM_TRANSPOSE_TILE][SPMM_TRANSPOSE_TILE + 1];
    const spmm_transpose_place place = spmm_transpose_find(&it);
    const int across = place.across, down = place.down;
    const long long row = place.row, column = place.column;
    int beyond = 0;
    for (int k = down; k < SPMM_TRANSPOSE_TILE; k += SPMM_TRANSPOSE_STEP) {
        const long long at = (row + k) * it.stride + column + across;
        double number = 0;
        if (row + k < it.nrow && column + across < it.ncol)
            number = it.format == SPMM_TRANSPOSE_FP64 ? ((const double *)it.row)[at]
                                                      : (double)((const float *)it.row)[at];
        beyond += !isfinite(number);
        tile[k][across] = number;
    }
    __syncthreads();
    for (int k = down; k < SPMM_TRANSPOSE_TILE; k += SPMM_TRANSPOSE_STEP)
        if (row + across < it.nrow && column + k < it.ncol)
            it.column[(column + k) * it.nrow + row + across] = tile[across][k];
    if (beyond > 0)
        atomicAdd(it.beyond, (unsigned long long)beyond);
}

SHIM_KERNEL void __launch_bounds__(SPMM_TRANSPOSE_THREADS)
    transpose_round(const __grid_constant__ spmm_transpose it) {
    const long long at = (long long)blockIdx.x * SPMM_TRANSPOSE_THREADS + threadIdx.x;
    int beyond = 0;
    if (at < it.nrow * it.stride)
        spmm_transpose_put(SPMM_TRANSPOSE_TF32, (double)((const float *)it.row)[at], it.row, at, &beyond);
}
