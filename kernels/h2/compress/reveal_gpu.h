/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors that reveal the rank, by the threads of a grid block in shared memory: Cholesky's method and QR,
 * both with pivoting, which stop where what is left is negligible. */
#ifndef H2_COMPRESS_REVEAL_GPU_H
#define H2_COMPRESS_REVEAL_GPU_H

/* What all threads know of the factorization at hand. */
typedef struct h2_gpu_pivot {
    int col, stop;
    double left, tau, beta;
} h2_gpu_pivot;

/* Where a factorization may end: squares of what is left, relative to that of the first row, and absolute. */
typedef struct h2_gpu_limit {
    double relative, absolute;
    double whole, first; /* squares of all and of the first row: h2_gpu_is_reached sets them */
} h2_gpu_limit;

/* Whether `rank` rows, which leave `left`, are enough. To be asked for 0, 1, 2, … in turn. */
__device__ __forceinline__ bool h2_gpu_is_reached(h2_gpu_limit *limit, int rank, double left) {
    if (rank == 0)
        limit->whole = left;
    if (rank == 1)
        limit->first = limit->whole - left;
    return left <= limit->relative * limit->first || left <= limit->absolute;
}

__device__ __forceinline__ double h2_gpu_add_warp(double x) {
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* A (rank × length) = R Zᵀ for R (rank × rank) and Z (length × rank). */
__device__ void h2_gpu_weigh_stack(int rank, int length, const double *weight, const double *stack, double *a,
                                   int stride) {
    enum { ROWS = 16 };
    double *r = a + H2_GPU_QR_COLS * stride;
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int col = threadIdx.x % width;
    for (int at = threadIdx.x; at < rank * rank; at += H2_GPU_QR_THREADS)
        r[at / rank * H2_GPU_QR_STRIDE + at % rank] = weight[at];
    __syncthreads();
    for (int first = threadIdx.x / width * ROWS; first < rank && col < length;
         first += H2_GPU_QR_THREADS / width * ROWS) {
        double sum[ROWS];
        H2_UNROLL
        for (int i = 0; i < ROWS; i++)
            sum[i] = 0;
        for (int p = 0; p < rank; p++) {
            const double factor = stack[col * rank + p];
            H2_UNROLL
            for (int i = 0; i < ROWS; i++)
                sum[i] += r[(first + i) * H2_GPU_QR_STRIDE + p] * factor; /* junk beyond `rank` is not kept */
        }
        H2_UNROLL
        for (int i = 0; i < ROWS; i++)
            if (first + i < rank)
                a[(first + i) * stride + col] = sum[i];
    }
}

/* Squares of the columns from row `first` on; 0 of those that were pivots. */
__device__ void h2_gpu_measure(const double *a, int stride, int rows, int length, int first, const bool *used,
                               double *squares) {
    __syncthreads();
    for (int col = threadIdx.x; col < length; col += H2_GPU_QR_THREADS) {
        double sum = 0;
        for (int row = first; row < rows; row++)
            sum += a[row * stride + col] * a[row * stride + col];
        squares[col] = used[col] ? 0 : sum;
    }
    __syncthreads();
}

/* The largest square, the first of equal ones, and the sum of all; by one warp. */
__device__ void h2_gpu_find_pivot(int length, const double *squares, h2_gpu_pivot *pivot) {
    const int lane = threadIdx.x % 32;
    double best = -1, sum = 0;
    int where = 0;
    for (int col = lane; col < length; col += 32) {
        sum += squares[col] > 0 ? squares[col] : 0;
        if (squares[col] > best) {
            best = squares[col];
            where = col;
        }
    }
    sum = h2_gpu_add_warp(sum);
    for (int step = 16; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, best, step);
        const int there = __shfl_xor_sync(0xffffffffu, where, step);
        if (other > best || (other == best && there < where)) {
            best = other;
            where = there;
        }
    }
    if (lane == 0) {
        pivot->col = where;
        pivot->left = sum;
        pivot->stop = !(best > 0);
    }
}

/* Makes row `rank` of Lᵀ from the Gram matrix's row `pivot`, to whose place the matrix's row there moves. The
 * thread that has the column does all of it. */
__device__ __forceinline__ void h2_gpu_swap_row(double *g, int stride, int rank, int place, int col,
                                                const h2_gpu_pivot *pivot, double product, double *diagonal) {
    const double own = diagonal[col], old = g[rank * stride + col];
    const double value = own > 0 ? (g[place * stride + col] - product) * pivot->beta : 0;
    g[place * stride + col] = old;
    g[rank * stride + col] = value;
    diagonal[col] = col == pivot->col ? 0 : own - value * value; /* 0: it was a pivot */
}

/* G (length × length, symmetric) = L Lᵀ but for a remainder, as h2_gpu_reveal leaves it, by Cholesky's method
 * with diagonal pivoting. Lᵀ lies in the first rows, whose number is the result. */
__device__ int h2_gpu_reveal_gram(double *g, int stride, int length, h2_gpu_limit limit, double *left) {
    __shared__ double diagonal[H2_GPU_STACK], sums[H2_GPU_QR_THREADS];
    __shared__ int place[H2_GPU_STACK], at[H2_GPU_STACK]; /* of a row of G, and the other way round */
    __shared__ h2_gpu_pivot pivot;
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int parts = H2_GPU_QR_THREADS / width, part = threadIdx.x / width, col = threadIdx.x % width;
    for (int i = threadIdx.x; i < length; i += H2_GPU_QR_THREADS) {
        diagonal[i] = g[i * stride + i];
        place[i] = at[i] = i;
    }
    __syncthreads();
    for (int rank = 0; rank < length; rank++) {
        if (threadIdx.x < 32) {
            h2_gpu_find_pivot(length, diagonal, &pivot);
            if (threadIdx.x == 0)
                pivot.beta = 1 / sqrt(diagonal[pivot.col]);
        }
        __syncthreads();
        *left = pivot.left;
        if (h2_gpu_is_reached(&limit, rank, pivot.left) || pivot.stop)
            return rank;
        double sum = 0;
        if (col < length)
            for (int row = part; row < rank; row += parts)
                sum += g[row * stride + pivot.col] * g[row * stride + col];
        sums[threadIdx.x] = sum;
        const int from = place[pivot.col];
        __syncthreads();
        if (part == 0 && col < length) {
            for (int i = 1; i < parts; i++)
                sum += sums[i * width + col];
            h2_gpu_swap_row(g, stride, rank, from, col, &pivot, sum, diagonal);
        }
        if (threadIdx.x == 0) { /* nobody reads place before the next barrier */
            const int moved = at[rank];
            place[moved] = from;
            at[from] = moved;
        }
        __syncthreads();
    }
    *left = 0;
    return length;
}

/* The reflection of the pivot column from row `rank` on, by one warp. */
__device__ void h2_gpu_reflect_pivot(const double *a, int stride, int rows, int rank, h2_gpu_pivot *pivot,
                                     double *vector) {
    const int lane = threadIdx.x % 32, col = pivot->col;
    const double alpha = a[rank * stride + col];
    double square = 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        square += a[row * stride + col] * a[row * stride + col];
    square = h2_gpu_add_warp(square);
    const double length = sqrt(alpha * alpha + square);
    const double beta =
        square > 0 ? (alpha > 0 ? -length : length) : alpha; /* alpha - beta does not cancel */
    const double scale = square > 0 ? 1 / (alpha - beta) : 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        vector[row] = a[row * stride + col] * scale;
    if (lane == 0) {
        vector[rank] = 1;
        pivot->beta = beta;
        pivot->tau = square > 0 ? (beta - alpha) / beta : 0;
    }
}

/* A (rows × length) becomes upper trapezoidal, but for the order of its columns, in its first rows; their
 * number. What is left squared goes to *left. */
__device__ int h2_gpu_reveal(double *a, int stride, int rows, int length, h2_gpu_limit limit, double *left) {
    __shared__ double squares[H2_GPU_STACK], vector[H2_GPU_QR_COLS], sums[H2_GPU_QR_THREADS];
    __shared__ bool used[H2_GPU_STACK];
    __shared__ h2_gpu_pivot pivot;
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int parts = H2_GPU_QR_THREADS / width, part = threadIdx.x / width, col = threadIdx.x % width;
    const int most = rows < length ? rows : length;
    double measured = 0;
    int rank = 0;
    for (int at = threadIdx.x; at < length; at += H2_GPU_QR_THREADS)
        used[at] = false;
    h2_gpu_measure(a, stride, rows, length, 0, used, squares);
    for (; rank < most; rank++) {
        if (threadIdx.x < 32)
            h2_gpu_find_pivot(length, squares, &pivot);
        __syncthreads();
        if (rank == 0)
            measured = pivot.left;
        /* Squares are brought up to date by subtraction, whose error is the rounding of what was measured:
         * where a thousandth of that is left they are measured anew. */
        if (rank > 0 && pivot.left < 1e-3 * measured) {
            h2_gpu_measure(a, stride, rows, length, rank, used, squares);
            if (threadIdx.x < 32)
                h2_gpu_find_pivot(length, squares, &pivot);
            __syncthreads();
            measured = pivot.left;
        }
        *left = pivot.left;
        if (h2_gpu_is_reached(&limit, rank, pivot.left) || pivot.stop)
            return rank;
        if (threadIdx.x < 32)
            h2_gpu_reflect_pivot(a, stride, rows, rank, &pivot, vector);
        __syncthreads();
        double sum = 0;
        for (int row = rank + part; row < rows && col < length; row += parts)
            sum += vector[row] * a[row * stride + col];
        sums[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < parts; i++)
            sum += sums[i * width + col];
        sum *= pivot.tau;
        for (int row = rank + part; row < rows && col < length; row += parts)
            a[row * stride + col] = col != pivot.col ? a[row * stride + col] - vector[row] * sum
                                    : row == rank    ? pivot.beta
                                                     : 0;
        if (part == 0 && col < length) { /* who has row `rank` */
            squares[col] -= a[rank * stride + col] * a[rank * stride + col];
            if (col == pivot.col) {
                squares[col] = 0;
                used[col] = true;
            }
        }
        __syncthreads();
    }
    h2_gpu_measure(a, stride, rows, length, most, used, squares);
    if (threadIdx.x < 32)
        h2_gpu_find_pivot(length, squares, &pivot);
    __syncthreads();
    *left = pivot.left;
    return most;
}

#endif
