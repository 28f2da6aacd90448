/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression by Gram matrices, for one type; H2_REAL and H2_NAME(word) say which. */

#define H2_ADD_GRAM H2_NAME(h2_gpu_add_gram)

/* ---- products of pieces ---- */

/* What a thread of 256 has of a product of two pieces of at most 64 × 64 numbers: row and column of its
 * number i of part n. */
#ifndef H2_GPU_PIECE_ROW
#define H2_GPU_PIECE_ROW(i) ((int)(threadIdx.x / 64 * 16 + threadIdx.x % 32 / 4) + (i) / 2 * 8)
#define H2_GPU_PIECE_COL(n, i) ((int)(threadIdx.x / 32 % 2 * 32 + 2 * (threadIdx.x % 4)) + 8 * (n) + (i) % 2)
#endif

/* A B, or A Bᵀ, both in rows of H2_GPU_ROW numbers with zeros behind the first `depth`. */
__device__ __forceinline__ void H2_NAME(h2_gpu_multiply_pieces)(const double *a, const H2_REAL *b,
                                                                bool is_transposed, int rows, int depth,
                                                                double (*sum)[4]) {
    const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    const int row = warp / 2 * 16, col = warp % 2 * 32;
    const int outer = is_transposed ? H2_GPU_ROW : 1, inner = is_transposed ? 1 : H2_GPU_ROW;
    H2_UNROLL
    for (int n = 0; n < 4; n++) {
        H2_UNROLL
        for (int i = 0; i < 4; i++)
            sum[n][i] = 0;
    }
    for (int p = 0; 8 * p < depth && row < rows; p++) {
        const double *a_from = a + (row + group) * H2_GPU_ROW + 8 * p + lane;
        const double own[4] = {a_from[0], a_from[8 * H2_GPU_ROW], a_from[4], a_from[8 * H2_GPU_ROW + 4]};
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            const H2_REAL *b_from = b + (8 * p + lane) * inner + (col + 8 * n + group) * outer;
            const double other[2] = {(double)b_from[0], (double)b_from[4 * inner]};
            h2_gpu_multiply(own, other, sum[n]);
        }
    }
}

__device__ __forceinline__ void H2_NAME(h2_gpu_fetch_wait)(void) {
    h2_gpu_copy_commit();
    h2_gpu_copy_wait(true);
    __syncthreads();
}

/* ---- weights ---- */

/* The pieces of 16 × 8 numbers of a symmetric matrix on and above the diagonal, twenty of them, among eight
 * warps: of each the row, the first column and how many. */
__device__ __forceinline__ void H2_NAME(h2_gpu_share_triangle)(int warp, int *row, int *first, int *count) {
    *row = warp < 3 ? 0 : warp < 5 ? 1 : warp < 7 ? 2 : 3;
    *first = warp < 3 ? 3 * warp : warp < 5 ? 2 + 3 * (warp - 3) : warp < 7 ? 4 + 2 * (warp - 5) : 6;
    *count = warp == 2 || warp >= 5 ? 2 : 3;
}

/* G += B Bᵀ for a piece: B is the piece, or its transpose. */
__device__ __forceinline__ void H2_ADD_GRAM(const H2_REAL *s, bool is_row, int count, int row, int first,
                                            int pieces, double (*sum)[4]) {
    const int group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    const int outer = is_row ? H2_GPU_ROW : 1,
              inner = is_row ? 1 : H2_GPU_ROW; /* steps along G and the sum */
    const H2_REAL *from = s + lane * inner + group * outer;
    for (int p = 0; 8 * p < count; p++, from += 8 * inner) {
        const H2_REAL *own = from + 16 * row * outer;
        const double a[4] = {(double)own[0], (double)own[8 * outer], (double)own[4 * inner],
                             (double)own[8 * outer + 4 * inner]};
        H2_UNROLL
        for (int n = 0; n < 3; n++) {
            const H2_REAL *other = from + 8 * (first + n) * outer;
            const double b[2] = {n < pieces ? (double)other[0] : 0,
                                 n < pieces ? (double)other[4 * inner] : 0};
            if (n < pieces)
                h2_gpu_multiply(a, b, sum[n]);
        }
    }
}

/* Does what h2_gpu_weigh does, but keeps G = RᵀR = Σ B Bᵀ instead of R. A block is fetched while the one
 * before it is multiplied. */
SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              2) void H2_NAME(h2_gpu_weigh_gram)(const h2_gpu_weigh *tasks,
                                                                 const h2_gpu_weigh_block *blocks,
                                                                 const H2_REAL *values, double *weights) {
    SHIM_DYNAMIC_SHARED(double, shared);
    const h2_gpu_weigh task = tasks[blockIdx.x];
    const int group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4, rank = task.rank;
    int row, first, count; /* of the warp */
    H2_REAL *pieces = (H2_REAL *)shared;
    double sum[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    H2_NAME(h2_gpu_share_triangle)(threadIdx.x / 32, &row, &first, &count);
    h2_gpu_weigh_block block = {0, 0, 0};
    for (int k = -1; k < task.count; k++) {
        h2_gpu_weigh_block next = {0, 0, 0};
        if (k + 1 < task.count) {
            next = blocks[task.first + k + 1];
            const int rows = next.is_row ? rank : next.other, cols = next.is_row ? next.other : rank;
            H2_FETCH(values, next.value, cols, rows, cols, pieces + (k + 1) % 2 * H2_GPU_EDGE * H2_GPU_ROW,
                     H2_GPU_ROW);
        }
        h2_gpu_copy_commit();
        h2_gpu_copy_wait(false);
        __syncthreads();
        if (k >= 0)
            H2_ADD_GRAM(pieces + k % 2 * H2_GPU_EDGE * H2_GPU_ROW, block.is_row, block.other, row, first,
                        count, sum);
        __syncthreads();
        block = next;
    }
    H2_UNROLL
    for (int n = 0; n < 3; n++) {
        H2_UNROLL
        for (int i = 0; i < 4; i++) {
            const int at = 16 * row + group + i / 2 * 8, col = 8 * (first + n) + 2 * lane + i % 2;
            if (n < count && at <= col) {
                shared[at * H2_GPU_ROW + col] = sum[n][i];
                shared[col * H2_GPU_ROW + at] = sum[n][i];
            }
        }
    }
    __syncthreads();
    const int col = threadIdx.x % H2_GPU_EDGE;
    for (int at = threadIdx.x / H2_GPU_EDGE; at < rank && col < rank; at += H2_GPU_QR_THREADS / H2_GPU_EDGE)
        weights[task.weight + at * rank + col] = shared[at * H2_GPU_ROW + col];
}

/* The parent's Gram matrix joins: G += E G_parent Eᵀ. */
SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              3) void H2_NAME(h2_gpu_weigh_parent_gram)(const h2_gpu_weigh *tasks,
                                                                        const H2_REAL *transfers,
                                                                        double *weights) {
    SHIM_DYNAMIC_SHARED(double, shared);
    double *transfer = shared, *above = shared + H2_GPU_EDGE * H2_GPU_ROW, sum[4][4];
    const h2_gpu_weigh task = tasks[blockIdx.x];
    const int rank = task.rank, parent = task.parent_rank;
    h2_gpu_fetch_fp64(weights, task.parent_weight, parent, parent, parent, above, H2_GPU_ROW);
    for (int i = threadIdx.x; i < H2_GPU_EDGE * H2_GPU_EDGE; i += H2_GPU_QR_THREADS) {
        const int row = i / H2_GPU_EDGE, col = i % H2_GPU_EDGE;
        transfer[row * H2_GPU_ROW + col] =
            row < rank && col < parent ? (double)transfers[task.transfer + row * parent + col] : 0;
    }
    H2_NAME(h2_gpu_fetch_wait)();
    h2_gpu_multiply_pieces_fp64(transfer, above, false, rank, parent, sum);
    __syncthreads();
    H2_UNROLL
    for (int n = 0; n < 4; n++) {
        H2_UNROLL
        for (int i = 0; i < 4; i++)
            above[H2_GPU_PIECE_ROW(i) * H2_GPU_ROW + H2_GPU_PIECE_COL(n, i)] = sum[n][i];
    }
    __syncthreads();
    h2_gpu_multiply_pieces_fp64(above, transfer, true, rank, parent, sum);
    H2_UNROLL
    for (int n = 0; n < 4; n++) {
        H2_UNROLL
        for (int i = 0; i < 4; i++) {
            const int row = H2_GPU_PIECE_ROW(i), col = H2_GPU_PIECE_COL(n, i);
            if (row < rank && col < rank)
                weights[task.weight + row * rank + col] += sum[n][i];
        }
    }
}

/* ---- truncation ---- */

/* The children's bases in their new coefficients, Z, to the stack; their number of rows. */
__device__ int H2_NAME(h2_gpu_stack_gram)(const h2_gpu_truncate *task, const H2_REAL *transfers,
                                          const h2_gpu_truncate_state *state, double *shared) {
    H2_REAL *right = (H2_REAL *)(shared + H2_GPU_EDGE * H2_GPU_ROW);
    double sum[4][4];
    int rows = 0, old = 0;
    for (int child = 0; child < 2; child++) {
        if (task->child[child] < 0)
            continue;
        const int rank = state->rank[task->child[child]], own = task->child_old[child];
        double *to = state->stacks + task->stack + rows * task->rank;
        h2_gpu_fetch_fp64(state->t, task->child_t[child], own, rank, own, shared, H2_GPU_ROW);
        H2_FETCH(transfers, task->transfer + (long long)old * task->rank, task->rank, own, task->rank, right,
                 H2_GPU_ROW);
        H2_NAME(h2_gpu_fetch_wait)();
        H2_NAME(h2_gpu_multiply_pieces)(shared, right, false, rank, own, sum);
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++)
                if (H2_GPU_PIECE_ROW(i) < rank && H2_GPU_PIECE_COL(n, i) < task->rank)
                    to[H2_GPU_PIECE_ROW(i) * task->rank + H2_GPU_PIECE_COL(n, i)] = sum[n][i];
        }
        __syncthreads();
        rows += rank;
        old += own;
    }
    return rows;
}

/* Z G Zᵀ (length × length), piece by piece, to `product`. */
__device__ void H2_NAME(h2_gpu_weigh_stack_gram)(const h2_gpu_truncate *task, int length,
                                                 const h2_gpu_truncate_state *state, double *shared,
                                                 double *product) {
    double *left = shared, *right = shared + H2_GPU_EDGE * H2_GPU_ROW, sum[4][4];
    const int rank = task->rank;
    for (int first = 0; first < length; first += H2_GPU_EDGE) {
        const int rows = length - first < H2_GPU_EDGE ? length - first : H2_GPU_EDGE;
        h2_gpu_fetch_fp64(state->stacks, task->stack + first * rank, rank, rows, rank, left, H2_GPU_ROW);
        h2_gpu_fetch_fp64(state->weights, task->weight, rank, rank, rank, right, H2_GPU_ROW);
        H2_NAME(h2_gpu_fetch_wait)();
        h2_gpu_multiply_pieces_fp64(left, right, false, rows, rank, sum);
        __syncthreads();
        H2_UNROLL
        for (int n = 0; n < 4; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++)
                left[H2_GPU_PIECE_ROW(i) * H2_GPU_ROW + H2_GPU_PIECE_COL(n, i)] = sum[n][i];
        }
        for (int other = 0; other <= first; other += H2_GPU_EDGE) {
            const int cols = length - other < H2_GPU_EDGE ? length - other : H2_GPU_EDGE;
            h2_gpu_fetch_fp64(state->stacks, task->stack + other * rank, rank, cols, rank, right, H2_GPU_ROW);
            H2_NAME(h2_gpu_fetch_wait)();
            h2_gpu_multiply_pieces_fp64(left, right, true, rows, rank, sum);
            H2_UNROLL
            for (int n = 0; n < 4; n++) {
                H2_UNROLL
                for (int i = 0; i < 4; i++) {
                    const int row = first + H2_GPU_PIECE_ROW(i), col = other + H2_GPU_PIECE_COL(n, i);
                    if (row < length && col <= row) {
                        product[row * length + col] = sum[n][i];
                        product[col * length + row] = sum[n][i];
                    }
                }
            }
            __syncthreads();
        }
    }
}

/* As h2_gpu_truncate, with weights that are Gram matrices; a grid block takes one node after the other. */
SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              3) void H2_NAME(h2_gpu_truncate_gram)(const h2_gpu_truncate_how how, int count,
                                                                    const h2_gpu_truncate *tasks,
                                                                    const H2_REAL *transfers,
                                                                    const h2_gpu_truncate_state state) {
    SHIM_DYNAMIC_SHARED(double, shared);
    for (int at = blockIdx.x; at < count; at += gridDim.x) {
        const h2_gpu_truncate task = tasks[at];
        const double *gram = state.weights + task.weight;
        int length = task.rank; /* of the vectors */
        if (!task.is_leaf) {
            double *product = state.products + (long long)blockIdx.x * H2_GPU_STACK * H2_GPU_STACK;
            length = H2_NAME(h2_gpu_stack_gram)(&task, transfers, &state, shared);
            H2_NAME(h2_gpu_weigh_stack_gram)(&task, length, &state, shared, product);
            gram = product;
        }
        for (int i = threadIdx.x; i < length * length; i += H2_GPU_QR_THREADS)
            shared[i] = gram[i];
        __syncthreads();
        h2_gpu_find_vectors(&how, &task, length, &state, true, shared, length);
        __syncthreads();
    }
}
