/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular vectors of one node's weighted basis, by 256 threads in shared memory, as the CPU finds them
 * (cpu/factor_body.h): one-sided Jacobi rotations of the rows of a factor that reveals the rank. */
#ifndef H2_COMPRESS_SINGULAR_GPU_H
#define H2_COMPRESS_SINGULAR_GPU_H

#include "h2/compress/reveal_gpu.h"

/* Cosine and sine of the rotation that makes two rows orthogonal, sine 0 where they are, and their squares
 * then: tan θ = sign(ζ) / (|ζ| + √(1 + ζ²)) with ζ = (|y|² - |x|²) / (2 xᵀy). The next sweep mends an angle
 * that is not exact, so that the tangent is found in binary32; cosine² + sine² = 1 has to hold in binary64.
 */
__device__ __forceinline__ void h2_gpu_find_rotation(double product, double tolerance, double *x_square,
                                                     double *y_square, double *cosine, double *sine) {
    const double x = *x_square, y = *y_square;
    *cosine = 1;
    *sine = 0;
    if (!(product * product > tolerance * tolerance * x * y))
        return;
    const double zeta = (y - x) / (2 * product);
    double tangent = 0.5 / zeta; /* of large ones, beyond the range of binary32 */
    if (fabs(zeta) < 1e4) {
        const float near = (float)zeta;
        tangent = (double)((near >= 0 ? 1.0f : -1.0f) / (fabsf(near) + sqrtf(1 + near * near)));
    }
    *cosine = rsqrt(1 + tangent * tangent);
    *sine = *cosine * tangent;
    const double cc = *cosine * *cosine, ss = *sine * *sine, cs = 2 * *cosine * *sine * product;
    *x_square = cc * x - cs + ss * y;
    *y_square = ss * x + cs + cc * y;
}

__device__ void h2_gpu_square_rows(const double *a, int stride, int count, int length, double *squares) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = warp; row < count; row += H2_GPU_QR_THREADS / 32) {
        double sum = 0;
        for (int at = lane; at < length; at += 32)
            sum += a[row * stride + at] * a[row * stride + at];
        sum = h2_gpu_add_warp(sum);
        if (lane == 0)
            squares[row] = sum;
    }
    __syncthreads();
}

/* A sweep squares cosines between rows: one that found none above this needs none after it. */
static const double H2_GPU_NEAR = 1e-7;

/* Rows whose cosine is below this are orthogonal. */
static const double H2_GPU_ORTHOGONAL = 1e-14;

enum { H2_GPU_PAIRS = 4 }; /* of rows that a warp turns at a time */

/* The rows of pair k of a round; -1: there is none. A round-robin tournament: row even - 1 stays, the others
 * go around, round + k against round - k. */
__device__ __forceinline__ void h2_gpu_find_pair(int even, int count, int round, int k, int *i, int *j) {
    int one = round + k, two = round - k; /* modulo even - 1 */
    one -= one >= even - 1 ? even - 1 : 0;
    two += two < 0 ? even - 1 : 0;
    one = k == 0 ? even - 1 : one;
    *i = one < two ? one : two;
    *j = one < two ? two : one;
    if (k >= even / 2 || *j >= count)
        *i = *j = -1;
}

/* One round of a warp on up to four pairs at once; whether any was so far from orthogonal that others may not
 * be so afterwards. */
__device__ bool h2_gpu_turn_pairs(double *a, int stride, int length, int count, int round, int first,
                                  double tolerance, double *squares) {
    const int lane = threadIdx.x % 32, even = count + count % 2;
    int i[H2_GPU_PAIRS], j[H2_GPU_PAIRS];
    double *x[H2_GPU_PAIRS], *y[H2_GPU_PAIRS], product[H2_GPU_PAIRS] = {0, 0, 0, 0}, cosine, sine;
    H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++)
        h2_gpu_find_pair(even, count, round, first + q, &i[q], &j[q]);
    /* Where there is no pair, a row of this warp stands with itself, and is not turned: other warps write to
     * all others. Only the first pair of a round, and those behind the last, may be missing. */
    const int own = i[0] >= 0 ? i[0] : i[1] >= 0 ? i[1] : 0;
    H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++) {
        x[q] = a + (i[q] >= 0 ? i[q] : own) * stride;
        y[q] = a + (i[q] >= 0 ? j[q] : own) * stride;
    }
    for (int at = lane; at < length; at += 32) {
        H2_UNROLL
        for (int q = 0; q < H2_GPU_PAIRS; q++)
            product[q] += x[q][at] * y[q][at];
    }
    /* Each lane gives half of its four products away and keeps the other half, at distance 16, then 8: eight
     * lanes each have the sum of one pair after that. */
    const bool high = (lane & 16) != 0, odd = (lane & 8) != 0;
    const double one =
        (high ? product[2] : product[0]) + __shfl_xor_sync(0xffffffffu, high ? product[0] : product[2], 16);
    const double two =
        (high ? product[3] : product[1]) + __shfl_xor_sync(0xffffffffu, high ? product[1] : product[3], 16);
    double sum = (odd ? two : one) + __shfl_xor_sync(0xffffffffu, odd ? one : two, 8);
    H2_UNROLL
    for (int step = 4; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    const int own_i = lane < 16 ? (lane < 8 ? i[0] : i[1]) : (lane < 24 ? i[2] : i[3]);
    const int own_j = lane < 16 ? (lane < 8 ? j[0] : j[1]) : (lane < 24 ? j[2] : j[3]);
    double x_square = own_i >= 0 ? squares[own_i] : 0, y_square = own_i >= 0 ? squares[own_j] : 0;
    const bool is_far = own_i >= 0 && sum * sum > H2_GPU_NEAR * H2_GPU_NEAR * x_square * y_square;
    h2_gpu_find_rotation(own_i >= 0 ? sum : 0, tolerance, &x_square, &y_square, &cosine, &sine);
    if (!__any_sync(0xffffffffu, sine != 0))
        return false;
    if (lane % 8 == 0 && sine != 0) {
        squares[own_i] = x_square;
        squares[own_j] = y_square;
    }
    double c[H2_GPU_PAIRS], t[H2_GPU_PAIRS];
    H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++) {
        c[q] = __shfl_sync(0xffffffffu, cosine, 8 * q);
        t[q] = __shfl_sync(0xffffffffu, sine, 8 * q);
    }
    for (int at = lane; at < length; at += 32) {
        double old_x[H2_GPU_PAIRS], old_y[H2_GPU_PAIRS];
        H2_UNROLL
        for (int q = 0; q < H2_GPU_PAIRS; q++) {
            old_x[q] = x[q][at];
            old_y[q] = y[q][at];
        }
        H2_UNROLL
        for (int q = 0; q < H2_GPU_PAIRS; q++) {
            if (t[q] == 0)
                continue;
            x[q][at] = c[q] * old_x[q] - t[q] * old_y[q];
            y[q][at] = t[q] * old_x[q] + c[q] * old_y[q];
        }
    }
    return __any_sync(0xffffffffu, is_far);
}

/* Makes the rows of a (count × length) orthogonal. Every pair once a sweep, in rounds of disjoint pairs. */
__device__ void h2_gpu_jacobi(double *a, int stride, int count, int length, double *squares) {
    enum { MOST_SWEEPS = 40, WARPS = H2_GPU_QR_THREADS / 32 };
    __shared__ int turned[2];
    const int even = count + count % 2, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        turned[0] = turned[1] = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        h2_gpu_square_rows(a, stride, count, length, squares);
        for (int round = 0; round < even - 1; round++) {
            for (int first = warp * H2_GPU_PAIRS; first < even / 2; first += WARPS * H2_GPU_PAIRS)
                if (h2_gpu_turn_pairs(a, stride, length, count, round, first, H2_GPU_ORTHOGONAL, squares))
                    turned[sweep % 2] = 1;
            __syncthreads();
        }
        const int any = turned[sweep % 2];
        __syncthreads();
        if (any == 0)
            break;
        if (threadIdx.x == 0)
            turned[sweep % 2] = 0;
    }
    h2_gpu_square_rows(a, stride, count, length, squares);
}

/* Makes the rows of a (count × length) orthonormal, one after the other, by twice taking away what is in the
 * ones before. */
__device__ void h2_gpu_orthogonalize_rows(double *a, int stride, int count, int length) {
    __shared__ double along[H2_GPU_QR_COLS], sums[H2_GPU_QR_THREADS];
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int parts = H2_GPU_QR_THREADS / width, part = threadIdx.x / width, col = threadIdx.x % width;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = 0; row < count; row++) {
        double *own = a + row * stride, square = 0;
        for (int pass = 0; pass < 2 && row > 0; pass++) {
            for (int before = warp; before < row; before += H2_GPU_QR_THREADS / 32) {
                double product = 0;
                for (int at = lane; at < length; at += 32)
                    product += a[before * stride + at] * own[at];
                product = h2_gpu_add_warp(product);
                if (lane == 0)
                    along[before] = product;
            }
            __syncthreads();
            double sum = 0;
            for (int before = part; before < row && col < length; before += parts)
                sum += along[before] * a[before * stride + col];
            sums[threadIdx.x] = sum;
            __syncthreads();
            for (int i = 1; i < parts && part == 0; i++)
                sum += sums[i * width + col];
            if (part == 0 && col < length)
                own[col] -= sum;
            __syncthreads();
        }
        if (warp == 0) {
            for (int at = lane; at < length; at += 32)
                square += own[at] * own[at];
            square = h2_gpu_add_warp(square);
            for (int at = lane; at < length; at += 32)
                own[at] *= square > 0 ? 1 / sqrt(square) : 0;
        }
        __syncthreads();
    }
}

/* How many of the singular values, falling, to keep. */
__device__ int h2_gpu_choose_rank(const h2_gpu_truncate_how *how, const double *sigma, int found,
                                  double left) {
    int rank = found;
    if (how->rule == 2) { /* H2_FROBENIUS */
        for (double square = left; rank > 0; rank--) {
            square += sigma[rank - 1] * sigma[rank - 1];
            if (square > how->threshold)
                break;
        }
        return rank;
    }
    const double least = how->rule == 0 ? how->threshold * sigma[0] : how->threshold;
    while (rank > 0 && !(sigma[rank - 1] > least))
        rank--;
    return rank;
}

/* The rows (found × length) of a as a node's vectors, by falling length where they are singular vectors, and
 * their lengths. Whole warps of all threads. */
__device__ __forceinline__ void h2_gpu_put_vectors(const h2_gpu_truncate_how *how, const double *a,
                                                   int stride, int found, int length, const double *squares,
                                                   double *vectors, double *sigma) {
    for (int row = threadIdx.x / 32; row < found; row += H2_GPU_QR_THREADS / 32) {
        const double norm = sqrt(squares[row]), scale = how->method != 0 ? 1 : norm > 0 ? 1 / norm : 0;
        int place = how->method == 0 ? 0 : row;
        for (int other = 0; other < found && how->method == 0; other++)
            place += squares[other] > squares[row] || (squares[other] == squares[row] && other < row);
        for (int at = threadIdx.x % 32; at < length; at += 32)
            vectors[place * length + at] = a[row * stride + at] * scale;
        if (threadIdx.x % 32 == 0)
            sigma[place] = norm;
    }
    __syncthreads();
}

/* What is known of a node's rank then; by one thread. */
__device__ __forceinline__ void h2_gpu_put_rank(const h2_gpu_truncate_how *how,
                                                const h2_gpu_truncate_state *state, int node, int level,
                                                const double *sigma, int found, double left) {
    const int rank = found > 0 && how->method == 0 ? h2_gpu_choose_rank(how, sigma, found, left) : found;
    state->cut[node] = left;
    state->found[node] = found;
    state->rank[node] = rank;
    atomicMax(&state->most[level], rank);
}

/* How many vectors a node keeps when the others of its level are known. */
__device__ __forceinline__ int h2_gpu_find_kept(const h2_gpu_truncate_how *how,
                                                const h2_gpu_truncate_state *state, int node, int level) {
    const int found = state->found[node], most = state->most[level];
    return how->level_ranks ? (found < most ? found : most) : state->rank[node];
}

/* The squares that were cut off, and of those that were kept the rounding of a Gram matrix; by one warp. */
__device__ __forceinline__ void h2_gpu_put_cut(const h2_gpu_truncate_how *how,
                                               const h2_gpu_truncate_state *state, int node,
                                               const double *sigma, int kept) {
    const int found = state->found[node];
    double cut = 0;
    for (int s = threadIdx.x; s < found; s += 32)
        cut += (s >= kept ? 1 : how->rounding) * sigma[s] * sigma[s];
    cut = h2_gpu_add_warp(cut);
    if (threadIdx.x == 0) {
        state->rank[node] = kept;
        state->cut[node] += cut;
    }
}

/* From A (rank × length) in shared memory, or AᵀA, to the node's vectors, singular values and rank. Without
 * singular vectors, those of the factor's rows, orthonormal, and the rows' lengths. */
__device__ void h2_gpu_find_vectors(const h2_gpu_truncate_how *how, const h2_gpu_truncate *task, int length,
                                    const h2_gpu_truncate_state *state, bool is_gram, double *a, int stride) {
    __shared__ double squares[H2_GPU_QR_COLS];
    const h2_gpu_limit limit = {.relative = fmax(how->relative, how->rounding), .absolute = how->absolute};
    double *sigma = state->sigma + task->sigma, left = 0;
    const int found = is_gram ? h2_gpu_reveal_gram(a, stride, length, limit, &left)
                              : h2_gpu_reveal(a, stride, task->rank, length, limit, &left);
    if (how->method == 0) { /* H2_SVD */
        h2_gpu_jacobi(a, stride, found, length, squares);
    } else {
        h2_gpu_square_rows(a, stride, found, length, squares);
        h2_gpu_orthogonalize_rows(a, stride, found, length);
    }
    h2_gpu_put_vectors(how, a, stride, found, length, squares, state->vectors + task->vectors, sigma);
    if (threadIdx.x == 0)
        h2_gpu_put_rank(how, state, task->node, task->level, sigma, found, left);
}

#endif
