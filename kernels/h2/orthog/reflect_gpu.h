/* SPDX-License-Identifier: BSD-3-Clause */
/* Householder reflections of up to 128 × 64 numbers in the registers of 256 threads. Sixteen threads have
 * four columns, each of them every sixteenth row: a[4][8]. Vectors lie in shared memory, 128 numbers each,
 * zeros before their 1. */
#ifndef H2_ORTHOG_REFLECT_GPU_H
#define H2_ORTHOG_REFLECT_GPU_H

enum { H2_GPU_OWN_COLS = 4, H2_GPU_OWN_ROWS = 8, H2_GPU_LANES = 16 };

/* The row of a thread's number i of a column, and its column c. */
#define H2_GPU_OWN_ROW(i) ((int)(threadIdx.x % H2_GPU_LANES) + H2_GPU_LANES * (i))
#define H2_GPU_OWN_COL(c) ((int)(threadIdx.x / H2_GPU_LANES) * H2_GPU_OWN_COLS + (c))

/* The sum over the sixteen threads of a column, in all of them. */
__device__ __forceinline__ double h2_gpu_add_lanes(double x) {
    H2_UNROLL
    for (int step = H2_GPU_LANES / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* Makes the reflection I - tau v vᵀ that takes column j to a multiple of unit vector j, and applies it to the
 * column. Its sixteen threads hold the column in `a`, eight numbers each. Whole warps call this. */
__device__ __forceinline__ void h2_gpu_make_reflection(double *a, int j, bool is_mine, double *vector,
                                                       double *tau) {
    double one = 0, two = 0, alpha = 0; /* Two sums halve the chain of additions. */
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
        const double below = H2_GPU_OWN_ROW(i) > j ? a[i] : 0;
        if (i % 2 == 0)
            one += below * below;
        else
            two += below * below;
        alpha = H2_GPU_OWN_ROW(i) == j ? a[i] : alpha;
    }
    const double square = h2_gpu_add_lanes(one + two);
    alpha =
        __shfl_sync(0xffffffffu, alpha, (threadIdx.x % 32 / H2_GPU_LANES) * H2_GPU_LANES + j % H2_GPU_LANES);
    if (!is_mine)
        return;
    /* beta = ∓√(alpha² + |x|²) has the other sign than alpha, so that alpha - beta does not cancel; v = (1, x
     * / (alpha
     * - beta)), tau = (beta - alpha) / beta = 1 + |alpha| / √… (Golub, Van Loan: Matrix Computations, 5.1).
     */
    const bool is_needed = square > 0;
    const double whole = alpha * alpha + square, inverse = is_needed ? rsqrt(whole) : 0;
    const double length = whole * inverse, beta = !is_needed ? alpha : alpha > 0 ? -length : length;
    const double scale = is_needed ? 1 / (alpha - beta) : 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
        const int row = H2_GPU_OWN_ROW(i);
        vector[row] = row > j ? a[i] * scale : row == j ? 1 : 0;
        a[i] = row > j ? 0 : row == j ? beta : a[i];
    }
    if (threadIdx.x % H2_GPU_LANES == 0)
        *tau = is_needed ? 1 + fabs(alpha) * inverse : 0;
}

/* Reflects the threads' columns a: a -= tau (vᵀa) v. v has the vector's numbers for rows of this thread;
 * where takes_part is false, a constant for the compiler, they are zero. tau has one number a column, 0 for
 * none. */
__device__ __forceinline__ void h2_gpu_reflect(double (*a)[H2_GPU_OWN_ROWS], const double *v,
                                               const bool *takes_part, const double *tau) {
    double dot[H2_GPU_OWN_COLS] = {0, 0, 0, 0};
    const int lane = threadIdx.x % 32;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
        if (!takes_part[i])
            continue;
        H2_UNROLL
        for (int c = 0; c < H2_GPU_OWN_COLS; c++)
            dot[c] += v[i] * a[c][i];
    }
    /* Sums of four columns over sixteen lanes, by halving: half of the lanes go on with columns 0 and 1, of
     * them half with column 0, and so on. At last lane 4c has the sum of column c. */
    const bool high = (lane & 8) != 0, odd = (lane & 4) != 0;
    const double first = (high ? dot[2] : dot[0]) + __shfl_xor_sync(0xffffffffu, high ? dot[0] : dot[2], 8);
    const double second = (high ? dot[3] : dot[1]) + __shfl_xor_sync(0xffffffffu, high ? dot[1] : dot[3], 8);
    double sum = (odd ? second : first) + __shfl_xor_sync(0xffffffffu, odd ? first : second, 4);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++)
        dot[c] = tau[c] * __shfl_sync(0xffffffffu, sum, lane / H2_GPU_LANES * H2_GPU_LANES + 4 * c);
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
        if (!takes_part[i])
            continue;
        H2_UNROLL
        for (int c = 0; c < H2_GPU_OWN_COLS; c++)
            a[c][i] -= dot[c] * v[i];
    }
}

/* Reflects by vector j, which is zero in rows before j. */
__device__ __forceinline__ void h2_gpu_reflect_down(double (*a)[H2_GPU_OWN_ROWS], int j, const double *vector,
                                                    const double *tau) {
    double v[H2_GPU_OWN_ROWS];
    bool takes_part[H2_GPU_OWN_ROWS];
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
        takes_part[i] = i >= j / H2_GPU_LANES;
        v[i] = takes_part[i] ? vector[H2_GPU_OWN_ROW(i)] : 0;
    }
    h2_gpu_reflect(a, v, takes_part, tau);
}

/* Makes columns 0 … cols-1 upper triangular. The vectors and their tau are kept. */
__device__ __forceinline__ void h2_gpu_triangularize(double (*a)[H2_GPU_OWN_ROWS], int cols, double *vectors,
                                                     double *tau) {
    const int warp = threadIdx.x / 32;
    for (int group = 0; group * H2_GPU_OWN_COLS < cols; group++) {
        H2_UNROLL
        for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
            const int j = group * H2_GPU_OWN_COLS + c;
            double *vector = vectors + j * H2_GPU_QR_ROWS, own_tau[H2_GPU_OWN_COLS];
            if (j >= cols)
                break;
            if (warp == j / 8)
                h2_gpu_make_reflection(a[c], j, H2_GPU_OWN_COL(c) == j, vector, tau + j);
            __syncthreads();
            if (warp * 8 + 7 <= j) /* The warp's eight columns are done. */
                continue;
            H2_UNROLL
            for (int other = 0; other < H2_GPU_OWN_COLS; other++)
                own_tau[other] = H2_GPU_OWN_COL(other) > j ? tau[j] : 0;
            h2_gpu_reflect_down(a, j, vector, own_tau);
        }
    }
}

/* Makes [R'; 0] of [R; rows], with R, upper triangular, in rows 0 to 63 and `count` others from row 64 on.
 * Vector j is a unit vector in R's part: of R only the sixteen rows with row j take part. Two
 * vectors are enough, since the warp that makes the next but one has passed the barrier of the next. */
__device__ __forceinline__ void h2_gpu_absorb(double (*a)[H2_GPU_OWN_ROWS], int cols, int count,
                                              double (*vectors)[H2_GPU_QR_ROWS], double *tau) {
    const int warp = threadIdx.x / 32, half = H2_GPU_OWN_ROWS / 2;
    for (int group = 0; group * H2_GPU_OWN_COLS < cols; group++) {
        H2_UNROLL
        for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
            const int j = group * H2_GPU_OWN_COLS + c;
            double v[H2_GPU_OWN_ROWS], own_tau[H2_GPU_OWN_COLS];
            bool takes_part[H2_GPU_OWN_ROWS];
            if (j >= cols)
                break;
            if (warp == j / 8)
                h2_gpu_make_reflection(a[c], j, H2_GPU_OWN_COL(c) == j, vectors[c % 2], tau + c % 2);
            __syncthreads();
            if (warp * 8 + 7 <= j || warp * 8 >= cols)
                continue;
            H2_UNROLL
            for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
                takes_part[i] = i < half ? i == j / H2_GPU_LANES : (i - half) * H2_GPU_LANES < count;
                v[i] = takes_part[i] ? vectors[c % 2][H2_GPU_OWN_ROW(i)] : 0;
            }
            H2_UNROLL
            for (int other = 0; other < H2_GPU_OWN_COLS; other++)
                own_tau[other] = H2_GPU_OWN_COL(other) > j ? tau[c % 2] : 0;
            h2_gpu_reflect(a, v, takes_part, own_tau);
        }
    }
    __syncthreads();
}

#endif
