/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular vectors of one node's weighted basis, as compress/singular_gpu.h finds them, of matrices that may
 * be too large for shared memory. */
#ifndef H2_LARGE_TRUNCATE_GPU_H
#define H2_LARGE_TRUNCATE_GPU_H

#include "h2/compress/singular_gpu.h"
#include "h2/large/reveal_gpu.h"

__device__ void h2_gpu_copy_numbers(long long count, const double *from, double *to) {
    for (long long at = threadIdx.x; at < count; at += H2_GPU_LARGE_THREADS)
        to[at] = from[at];
    __syncthreads();
}

/* One sweep over all pairs of some rows in shared memory; whether one was far from orthogonal. */
__device__ bool h2_gpu_sweep(double *a, int length, int count, double *squares, int *turned) {
    const int even = count + count % 2, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        *turned = 0;
    h2_gpu_square_rows(a, length, count, length, squares);
    for (int round = 0; round < even - 1; round++) {
        for (int first = warp * H2_GPU_PAIRS; first < even / 2;
             first += H2_GPU_LARGE_THREADS / 32 * H2_GPU_PAIRS)
            if (h2_gpu_turn_pairs(a, length, length, count, round, first, H2_GPU_ORTHOGONAL, squares))
                *turned = 1;
        __syncthreads();
    }
    return *turned != 0;
}

/* Makes the rows of a (count × length), in global memory, orthogonal. `block` rows at a time are brought to
 * shared memory, together with those of each other block. */
__device__ void h2_gpu_jacobi_blocks(double *a, int count, int length, double *shared, int block,
                                     double *squares) {
    enum { MOST_SWEEPS = 40 };
    __shared__ int turned;
    bool is_far = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && is_far; sweep++) {
        is_far = false;
        for (int one = 0; one < count; one += block)
            for (int two = one + block; two < count; two += block) {
                const int rest = count - two < block ? count - two : block;
                const long long half = (long long)block * length, other = (long long)rest * length;
                __syncthreads();
                h2_gpu_copy_numbers(half, a + (long long)one * length, shared);
                h2_gpu_copy_numbers(other, a + (long long)two * length, shared + half);
                is_far = h2_gpu_sweep(shared, length, block + rest, squares, &turned) || is_far;
                h2_gpu_copy_numbers(half, shared, a + (long long)one * length);
                h2_gpu_copy_numbers(other, shared + half, a + (long long)two * length);
            }
    }
    h2_gpu_square_rows(a, length, count, length, squares);
}

/* Makes the rows of a (count × length) orthonormal, as h2_gpu_orthogonalize_rows does. */
__device__ void h2_gpu_orthogonalize_whole_rows(double *a, int count, int length) {
    __shared__ double along[H2_GPU_LARGE_RANK], norm;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = 0; row < count; row++) {
        double *own = a + (long long)row * length, square = 0;
        for (int pass = 0; pass < 2 && row > 0; pass++) {
            for (int before = warp; before < row; before += H2_GPU_LARGE_THREADS / 32) {
                double product = 0;
                for (int at = lane; at < length; at += 32)
                    product += a[(long long)before * length + at] * own[at];
                product = h2_gpu_add_warp(product);
                if (lane == 0)
                    along[before] = product;
            }
            __syncthreads();
            for (int col = threadIdx.x; col < length; col += H2_GPU_LARGE_THREADS) {
                double sum = 0;
                H2_UNROLL4
                for (int before = 0; before < row; before++)
                    sum += along[before] * a[(long long)before * length + col];
                own[col] -= sum;
            }
            __syncthreads();
        }
        if (warp == 0) {
            for (int at = lane; at < length; at += 32)
                square += own[at] * own[at];
            square = h2_gpu_add_warp(square);
            if (lane == 0)
                norm = square > 0 ? 1 / sqrt(square) : 0;
        }
        __syncthreads();
        for (int col = threadIdx.x; col < length; col += H2_GPU_LARGE_THREADS)
            own[col] *= norm;
        __syncthreads();
    }
}

/* The rows that were found become orthogonal (singular vectors) or orthonormal; where they lie then. */
__device__ double *h2_gpu_make_vectors(const h2_gpu_truncate_how *how, double *a, double *shared, int room,
                                       int found, int length, double *squares) {
    const int block = room / (length > 0 ? length : 1) / 2;
    double *rows = a;
    if (a != shared && found <= 2 * block) {
        h2_gpu_copy_numbers((long long)found * length, a, shared);
        rows = shared;
    }
    if (how->method != 0) { /* H2_PIVOTED_QR */
        h2_gpu_square_rows(rows, length, found, length, squares);
        h2_gpu_orthogonalize_whole_rows(rows, found, length);
    } else if (rows == shared) {
        h2_gpu_jacobi(rows, length, found, length, squares);
    } else {
        h2_gpu_jacobi_blocks(rows, found, length, shared, block, squares);
    }
    return rows;
}

/* One grid block a node: its vectors, singular values and rank. `room`: numbers in shared memory. */
SHIM_KERNEL __launch_bounds__(H2_GPU_LARGE_THREADS) void h2_gpu_resolve(const h2_gpu_truncate_how how,
                                                                        int is_gram, int room,
                                                                        const h2_gpu_resolve_task *tasks,
                                                                        const h2_gpu_truncate_state state) {
    SHIM_DYNAMIC_SHARED(double, shared);
    __shared__ double squares[H2_GPU_LARGE_RANK];
    const h2_gpu_resolve_task task = tasks[blockIdx.x];
    const int length = task.length, rank = task.rank, rows = is_gram ? length : rank;
    const h2_gpu_limit limit = {.relative = fmax(how.relative, how.rounding), .absolute = how.absolute};
    const bool fits = rows * length <= room;
    double *a = fits ? shared : (double *)task.a, *sigma = (double *)task.sigma, left = 0;
    if (fits || task.from != 0)
        h2_gpu_copy_numbers((long long)rows * length, (const double *)(task.from != 0 ? task.from : task.a),
                            a);
    const int found = is_gram
                          ? h2_gpu_reveal_whole_gram(a, length, rank < length ? rank : length, limit, &left)
                          : h2_gpu_reveal_rows(a, rank, length, limit, &left);
    const double *vectors = h2_gpu_make_vectors(&how, a, shared, room, found, length, squares);
    h2_gpu_put_vectors(&how, vectors, length, found, length, squares, (double *)task.vectors, sigma);
    if (threadIdx.x == 0)
        h2_gpu_put_rank(&how, &state, task.node, task.level, sigma, found, left);
}

/* What the node keeps, when the ranks of its level are known; one warp each. */
SHIM_KERNEL __launch_bounds__(32) void h2_gpu_settle(const h2_gpu_truncate_how how,
                                                     const h2_gpu_resolve_task *tasks,
                                                     const h2_gpu_truncate_state state) {
    const h2_gpu_resolve_task task = tasks[blockIdx.x];
    const int kept = h2_gpu_find_kept(&how, &state, task.node, task.level);
    __syncwarp();
    h2_gpu_put_cut(&how, &state, task.node, (const double *)task.sigma, kept);
}

#endif
