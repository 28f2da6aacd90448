/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors that reveal the rank, as compress/reveal_gpu.h has them, of up to 256 × 512 numbers (Gram matrices:
 * 512 × 512) in shared or in global memory. A thread has every 256th column. */
#ifndef H2_LARGE_REVEAL_GPU_H
#define H2_LARGE_REVEAL_GPU_H

#include "h2/compress/reveal_gpu.h"

/* Squares of the columns from row `first` on; 0 of those that were pivots. */
__device__ void h2_gpu_measure_columns(const double *a, int rows, int length, int first, const bool *used,
                                       double *squares) {
    __syncthreads();
    for (int col = threadIdx.x; col < length; col += H2_GPU_LARGE_THREADS) {
        double sum = 0;
        H2_UNROLL4
        for (int row = first; row < rows; row++)
            sum += a[row * length + col] * a[row * length + col];
        squares[col] = used[col] ? 0 : sum;
    }
    __syncthreads();
}

/* Reflects all columns by the pivot's vector, and takes row `rank` from their squares. */
__device__ __forceinline__ void h2_gpu_reflect_columns(double *a, int rows, int length, int rank,
                                                       const h2_gpu_pivot *pivot, const double *vector,
                                                       bool *used, double *squares) {
    for (int col = threadIdx.x; col < length; col += H2_GPU_LARGE_THREADS) {
        double one = 0, two = 0; /* Two sums halve the chain of additions. */
        int row = rank;
        H2_UNROLL4
        for (; row + 1 < rows; row += 2) {
            one += vector[row] * a[row * length + col];
            two += vector[row + 1] * a[(row + 1) * length + col];
        }
        if (row < rows)
            one += vector[row] * a[row * length + col];
        const double sum = (one + two) * pivot->tau;
        const bool is_pivot = col == pivot->col;
        H2_UNROLL4
        for (row = rank; row < rows; row++)
            a[row * length + col] = !is_pivot     ? a[row * length + col] - vector[row] * sum
                                    : row == rank ? pivot->beta
                                                  : 0;
        squares[col] = is_pivot ? 0 : squares[col] - a[rank * length + col] * a[rank * length + col];
        used[col] = used[col] || is_pivot;
    }
    __syncthreads();
}

/* h2_gpu_reveal for rows of `length` numbers without gaps. */
__device__ int h2_gpu_reveal_rows(double *a, int rows, int length, h2_gpu_limit limit, double *left) {
    __shared__ double squares[H2_GPU_LARGE_ROWS], vector[H2_GPU_LARGE_RANK];
    __shared__ bool used[H2_GPU_LARGE_ROWS];
    __shared__ h2_gpu_pivot pivot;
    const int most = rows < length ? rows : length;
    double measured = 0;
    int rank = 0;
    for (int at = threadIdx.x; at < length; at += H2_GPU_LARGE_THREADS)
        used[at] = false;
    h2_gpu_measure_columns(a, rows, length, 0, used, squares);
    for (; rank < most; rank++) {
        if (threadIdx.x < 32)
            h2_gpu_find_pivot(length, squares, &pivot);
        __syncthreads();
        if (rank == 0)
            measured = pivot.left;
        if (rank > 0 && pivot.left < 1e-3 * measured) { /* as in h2_gpu_reveal */
            h2_gpu_measure_columns(a, rows, length, rank, used, squares);
            if (threadIdx.x < 32)
                h2_gpu_find_pivot(length, squares, &pivot);
            __syncthreads();
            measured = pivot.left;
        }
        *left = pivot.left;
        if (h2_gpu_is_reached(&limit, rank, pivot.left) || pivot.stop)
            return rank;
        if (threadIdx.x < 32)
            h2_gpu_reflect_pivot(a, length, rows, rank, &pivot, vector);
        __syncthreads();
        h2_gpu_reflect_columns(a, rows, length, rank, &pivot, vector, used, squares);
    }
    h2_gpu_measure_columns(a, rows, length, most, used, squares);
    if (threadIdx.x < 32)
        h2_gpu_find_pivot(length, squares, &pivot);
    __syncthreads();
    *left = pivot.left;
    return most;
}

/* What rows 0 … rank - 1 of Lᵀ have of the Gram matrix's row `pivot`, in one of its columns. */
__device__ __forceinline__ double h2_gpu_add_rows(const double *g, int length, int rank, int pivot, int col) {
    double one = 0, two = 0;
    int row = 0;
    H2_UNROLL4
    for (; row + 1 < rank; row += 2) {
        one += g[row * length + pivot] * g[row * length + col];
        two += g[(row + 1) * length + pivot] * g[(row + 1) * length + col];
    }
    if (row < rank)
        one += g[row * length + pivot] * g[row * length + col];
    return one + two;
}

/* h2_gpu_reveal_gram, at most `most` rows of Lᵀ. */
__device__ int h2_gpu_reveal_whole_gram(double *g, int length, int most, h2_gpu_limit limit, double *left) {
    __shared__ double diagonal[H2_GPU_LARGE_ROWS];
    __shared__ int place[H2_GPU_LARGE_ROWS],
        at[H2_GPU_LARGE_ROWS]; /* of a row of G, and the other way round */
    __shared__ h2_gpu_pivot pivot;
    for (int i = threadIdx.x; i < length; i += H2_GPU_LARGE_THREADS) {
        diagonal[i] = g[i * length + i];
        place[i] = at[i] = i;
    }
    __syncthreads();
    for (int rank = 0;; rank++) {
        double sum[H2_GPU_LARGE_ROWS / H2_GPU_LARGE_THREADS];
        if (threadIdx.x < 32) {
            h2_gpu_find_pivot(length, diagonal, &pivot);
            if (threadIdx.x == 0)
                pivot.beta = 1 / sqrt(diagonal[pivot.col]);
        }
        __syncthreads();
        *left = pivot.left;
        if (h2_gpu_is_reached(&limit, rank, pivot.left) || rank == most || pivot.stop)
            return rank;
        const int from = place[pivot.col];
        H2_UNROLL
        for (int i = 0; i < H2_GPU_LARGE_ROWS / H2_GPU_LARGE_THREADS; i++) {
            const int col = threadIdx.x + H2_GPU_LARGE_THREADS * i;
            sum[i] = col < length ? h2_gpu_add_rows(g, length, rank, pivot.col, col) : 0;
        }
        __syncthreads();
        H2_UNROLL
        for (int i = 0; i < H2_GPU_LARGE_ROWS / H2_GPU_LARGE_THREADS; i++) {
            const int col = threadIdx.x + H2_GPU_LARGE_THREADS * i;
            if (col < length)
                h2_gpu_swap_row(g, length, rank, from, col, &pivot, sum[i], diagonal);
        }
        if (threadIdx.x == 0) { /* nobody reads place before the next barrier */
            const int moved = at[rank];
            place[moved] = from;
            at[from] = moved;
        }
        __syncthreads();
    }
}

#endif
