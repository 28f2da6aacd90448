/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of products of matrices in global memory, by tensor cores: 64 × 64 numbers of C a grid block, of which
 * each of four warps has a quarter. Both factors come to shared memory in pieces of 64 × 16, one piece ahead
 * in registers. */
#ifndef H2_LARGE_MULTIPLY_GPU_H
#define H2_LARGE_MULTIPLY_GPU_H

enum {
    H2_GPU_DEPTH = 16,                                               /* of a piece */
    H2_GPU_OWN = H2_GPU_SUM_EDGE * H2_GPU_DEPTH / H2_GPU_SUM_THREADS /* numbers of a thread in it */
};

/* A factor, as the rows of A or the columns of B with what is summed over: `along` and `deep` are the steps
 * in these directions. */
typedef struct h2_gpu_side {
    unsigned long long array;
    int along, deep, count; /* count: rows or columns from this grid block's first on */
    bool is_single;
} h2_gpu_side;

__device__ __forceinline__ double h2_gpu_number(unsigned long long array, long long place, bool is_single) {
    return is_single ? (double)((const float *)array)[place] : ((const double *)array)[place];
}

/* The place in a piece of a thread's number i. Neighbours in memory are read by neighbouring threads, and a
 * half warp writes to all banks: sixteen numbers of a row, or four of each of four. */
__device__ __forceinline__ void h2_gpu_place(bool is_deep, int i, int *along, int *deep) {
    const int thread = threadIdx.x, part = thread / 16 + 8 * i;
    *along = is_deep ? part : part % 16 * 4 + thread % 4;
    *deep = is_deep ? thread % 16 : part / 16 * 4 + thread / 4 % 4;
}

__device__ __forceinline__ void h2_gpu_load_side(const h2_gpu_side *side, int first, int p, double *own) {
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        int along, deep;
        h2_gpu_place(side->deep == 1, i, &along, &deep);
        own[i] = along < side->count && first + deep < p
                     ? h2_gpu_number(side->array,
                                     (long long)along * side->along + (long long)(first + deep) * side->deep,
                                     side->is_single)
                     : 0;
    }
}

__device__ __forceinline__ void h2_gpu_put_side(bool is_deep, const double *own, double *piece) {
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        int along, deep;
        h2_gpu_place(is_deep, i, &along, &deep);
        piece[along * H2_GPU_PANEL_STRIDE + deep] = own[i];
    }
}

/* The two factors of a term for the rows and columns of this grid block. */
__device__ __forceinline__ void h2_gpu_find_sides(const h2_gpu_products *sum, const h2_gpu_term *term,
                                                  int row, int col, h2_gpu_side *left, h2_gpu_side *right) {
    left->is_single = (term->flags & H2_GPU_LEFT_SINGLE) != 0;
    left->array = term->a + (unsigned long long)row * term->a_row * (left->is_single ? 4 : 8);
    left->along = term->a_row;
    left->deep = term->a_col;
    left->count = sum->m - row;
    right->is_single = (term->flags & H2_GPU_RIGHT_SINGLE) != 0;
    right->array = term->b + (unsigned long long)col * term->b_col * (right->is_single ? 4 : 8);
    right->along = term->b_col;
    right->deep = term->b_row;
    right->count = sum->n - col;
}

/* Adds the product of two pieces to the warp's 32 × 32 numbers. */
__device__ __forceinline__ void h2_gpu_add_product(const double *left, const double *right,
                                                   double (*sum)[4][4]) {
    const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    const double *a_from = left + (warp / 2 * 32 + group) * H2_GPU_PANEL_STRIDE + lane;
    const double *b_from = right + (warp % 2 * 32 + group) * H2_GPU_PANEL_STRIDE + lane;
    H2_UNROLL
    for (int k = 0; k < H2_GPU_DEPTH; k += 8) {
        double a[2][4], b[4][2];
        H2_UNROLL
        for (int m = 0; m < 2; m++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++)
                a[m][i] = a_from[(16 * m + i % 2 * 8) * H2_GPU_PANEL_STRIDE + k + i / 2 * 4];
        }
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            b[n][0] = b_from[8 * n * H2_GPU_PANEL_STRIDE + k];
            b[n][1] = b_from[8 * n * H2_GPU_PANEL_STRIDE + k + 4];
        }
        H2_UNROLL
        for (int m = 0; m < 2; m++) {
            H2_UNROLL
            for (int n = 0; n < 4; n++)
                h2_gpu_multiply(a[m], b[n], sum[m][n]);
        }
    }
}

__device__ __forceinline__ void h2_gpu_put_number(const h2_gpu_products *sum, int row, int col, double x) {
    const long long place = (long long)row * sum->stride + col;
    if ((sum->flags & H2_GPU_SUM_ADDS) != 0)
        x += h2_gpu_number(sum->c, place, (sum->flags & H2_GPU_SUM_SINGLE) != 0);
    if ((sum->flags & H2_GPU_SUM_SINGLE) != 0)
        ((float *)sum->c)[place] = (float)x;
    else
        ((double *)sum->c)[place] = x;
}

/* Of a symmetric C the tiles below the diagonal and their mirror images; within those on it one half. */
__device__ __forceinline__ void h2_gpu_put_sum(const h2_gpu_products *sum, int row, int col,
                                               double (*x)[4][4]) {
    const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    const bool is_symmetric = (sum->flags & H2_GPU_SUM_SYMMETRIC) != 0;
    H2_UNROLL
    for (int m = 0; m < 2; m++) {
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++) {
                const int at = row + warp / 2 * 32 + 16 * m + group + i / 2 * 8,
                          to = col + warp % 2 * 32 + 8 * n + 2 * lane + i % 2;
                if (at >= sum->m || to >= sum->n || (is_symmetric && to > at))
                    continue;
                h2_gpu_put_number(sum, at, to, x[m][n][i]);
                if (is_symmetric && to < at)
                    h2_gpu_put_number(sum, to, at, x[m][n][i]);
            }
        }
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_SUM_THREADS, 3) void h2_gpu_sum_products(const h2_gpu_products *sums,
                                                                              const h2_gpu_term *terms) {
    __shared__ double pieces[2][2][H2_GPU_SUM_EDGE * H2_GPU_PANEL_STRIDE];
    const h2_gpu_products sum = sums[blockIdx.x];
    const int tiles = (sum.n + H2_GPU_SUM_EDGE - 1) / H2_GPU_SUM_EDGE;
    const int row = blockIdx.y / tiles * H2_GPU_SUM_EDGE, col = blockIdx.y % tiles * H2_GPU_SUM_EDGE;
    double x[2][4][4], own_left[H2_GPU_OWN], own_right[H2_GPU_OWN];
    if (row >= sum.m || ((sum.flags & H2_GPU_SUM_SYMMETRIC) != 0 && col > row))
        return;
    H2_UNROLL
    for (int m = 0; m < 2; m++) {
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++)
                x[m][n][i] = 0;
        }
    }
    int buffer = 0;
    for (int k = 0; k < sum.count; k++) {
        const h2_gpu_term term = terms[sum.first + k];
        h2_gpu_side left, right;
        h2_gpu_find_sides(&sum, &term, row, col, &left, &right);
        h2_gpu_load_side(&left, 0, term.p, own_left);
        h2_gpu_load_side(&right, 0, term.p, own_right);
        for (int first = 0; first < term.p; first += H2_GPU_DEPTH, buffer ^= 1) {
            h2_gpu_put_side(left.deep == 1, own_left, pieces[buffer][0]);
            h2_gpu_put_side(right.deep == 1, own_right, pieces[buffer][1]);
            /* Who writes to a buffer again has passed the barrier of the other one, before which all had
             * read this one. */
            __syncthreads();
            if (first + H2_GPU_DEPTH < term.p) {
                h2_gpu_load_side(&left, first + H2_GPU_DEPTH, term.p, own_left);
                h2_gpu_load_side(&right, first + H2_GPU_DEPTH, term.p, own_right);
            }
            h2_gpu_add_product(pieces[buffer][0], pieces[buffer][1], x);
        }
    }
    h2_gpu_put_sum(&sum, row, col, x);
}

#endif
