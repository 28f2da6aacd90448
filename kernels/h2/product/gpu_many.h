/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of gpu.h for H2_VECTORS vectors, which tensor cores multiply. Of h2_gpu_apply half of the warps
 * compute S x and half Sᵀ x: warp w of the half has rows 16w … 16w + 15 of its product. */

#define H2_FETCH_VECTORS H2_MANY(h2_gpu_fetch_vectors)
#define H2_MULTIPLY_TRANSPOSED H2_MANY(h2_gpu_multiply_transposed)
#define H2_PUT H2_MANY(h2_gpu_put)

/* Starts to copy the vectors' numbers for `count` places from `place` on; zeros fill up the 64. */
__device__ __forceinline__ void H2_FETCH_VECTORS(const double *x, int place, int count, double *to) {
    for (int i = threadIdx.x; i < H2_GPU_EDGE * H2_VECTORS / 2; i += blockDim.x) {
        const int row = i / (H2_VECTORS / 2), col = i % (H2_VECTORS / 2) * 2;
        h2_gpu_copy_async(to + row * (H2_VECTORS + H2_GPU_PAD) + col,
                          row < count ? x + (long long)(place + row) * H2_VECTORS + col : x, 16, row < count);
    }
}

/* What the threads of a warp hold of a 16 × H2_VECTORS result: (row, vector) and (row, vector + 1) of each of
 * two halves and H2_VECTORS / 8 groups. */
typedef struct H2_MANY(h2_gpu_result) {
    double value[H2_VECTORS / 8][4];
} H2_MANY(h2_gpu_result);

/* Writes or adds the first `count` rows of a result. */
__device__ __forceinline__ void H2_PUT(const H2_MANY(h2_gpu_result) * result, int count, bool add,
                                       double *to) {
    const int warp = threadIdx.x / 32 % 4, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    H2_UNROLL
    for (int n = 0; n < H2_VECTORS / 8; n++) {
        H2_UNROLL
        for (int half = 0; half < 2; half++) {
            const int row = 16 * warp + 8 * half + group;
            double *place = to + (long long)row * H2_VECTORS + 8 * n + 2 * lane;
            double2 value = make_double2(result->value[n][2 * half], result->value[n][2 * half + 1]);
            if (row >= count)
                continue;
            if (add) {
                const double2 old = *(const double2 *)place;
                value.x += old.x;
                value.y += old.y;
            }
            *(double2 *)place = value;
        }
    }
}

/* Adds the piece s, whose rows are H2_GPU_ROW apart, times `in` to the warp's 16 rows of the result. */
__device__ __forceinline__ void H2_MANY(h2_gpu_multiply_piece)(const H2_REAL *s, const double *in, int cols,
                                                               H2_MANY(h2_gpu_result) * sum) {
    enum { WIDTH = H2_VECTORS + H2_GPU_PAD };
    const int warp = threadIdx.x / 32 % 4, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    H2_UNROLL
    for (int p = 0; p < H2_GPU_EDGE / 8; p++) {
        const H2_REAL *from = s + (16 * warp + group) * H2_GPU_ROW + 8 * p + lane;
        const double a[4] = {(double)from[0], (double)from[8 * H2_GPU_ROW], (double)from[4],
                             (double)from[8 * H2_GPU_ROW + 4]};
        if (8 * p >= cols) /* These columns are zeros. */
            continue;
        H2_UNROLL
        for (int n = 0; n < H2_VECTORS / 8; n++) {
            const double *right = in + (8 * p + lane) * WIDTH + 8 * n + group;
            const double b[2] = {right[0], right[4 * WIDTH]};
            h2_gpu_multiply(a, b, sum->value[n]);
        }
    }
}

/* Adds the transposed piece times `in`. */
__device__ __forceinline__ void H2_MULTIPLY_TRANSPOSED(const H2_REAL *s, const double *in, int rows,
                                                       H2_MANY(h2_gpu_result) * sum) {
    enum { WIDTH = H2_VECTORS + H2_GPU_PAD };
    const int warp = threadIdx.x / 32 % 4, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    H2_UNROLL
    for (int p = 0; p < H2_GPU_EDGE / 8; p++) {
        const H2_REAL *from = s + (8 * p + lane) * H2_GPU_ROW + 16 * warp + group;
        const double a[4] = {(double)from[0], (double)from[8], (double)from[4 * H2_GPU_ROW],
                             (double)from[4 * H2_GPU_ROW + 8]};
        if (8 * p >= rows) /* These rows are zeros. */
            continue;
        H2_UNROLL
        for (int n = 0; n < H2_VECTORS / 8; n++) {
            const double *right = in + (8 * p + lane) * WIDTH + 8 * n + group;
            const double b[2] = {right[0], right[4 * WIDTH]};
            h2_gpu_multiply(a, b, sum->value[n]);
        }
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_THREADS,
                              2) void H2_MANY(h2_gpu_apply)(const h2_gpu_pair *pairs,
                                                            const h2_gpu_piece *pieces, const H2_REAL *values,
                                                            const double *x, const double *xt, double *y,
                                                            double *slots, int flags) {
    enum { WIDTH = H2_VECTORS + H2_GPU_PAD };
    SHIM_DYNAMIC_SHARED(double, shared);
    double *vectors = shared, *own = shared + 2 * H2_GPU_EDGE * WIDTH;
    H2_REAL *numbers = (H2_REAL *)(own + 2 * H2_GPU_EDGE * WIDTH);
    const h2_gpu_pair pair = pairs[blockIdx.x];
    const int warp = threadIdx.x / 32 % 4;
    const bool forward = (flags & H2_GPU_FORWARD) != 0, transposed = (flags & H2_GPU_TRANSPOSED) != 0;
    const bool is_first_half = threadIdx.x < H2_GPU_THREADS / 2;
    H2_MANY(h2_gpu_result)
    sum[2] = {{{{0}}}, {{{0}}}}; /* forward: of both halves; transposed: [0], of a slot */
    h2_gpu_piece piece = pieces[pair.first];
    int turn = 0; /* which of two buffers has the vectors; these change less often than pieces */
    for (int half = 0; half < 2 && transposed; half++)
        H2_FETCH_VECTORS(xt, pair.row[half], pair.rows[half], own + half * H2_GPU_EDGE * WIDTH);
    H2_FETCH(values, piece.value, piece.width, piece.rows, piece.cols, numbers, H2_GPU_ROW);
    if (forward)
        H2_FETCH_VECTORS(x, piece.col, piece.cols, vectors);
    h2_gpu_copy_commit();
    for (int k = 0; k < pair.count; k++) {
        const H2_REAL *s = numbers + k % 2 * H2_GPU_EDGE * H2_GPU_ROW;
        const double *in = vectors + turn * H2_GPU_EDGE * WIDTH;
        h2_gpu_piece next = piece;
        if (k + 1 < pair.count) {
            next = pieces[pair.first + k + 1];
            H2_FETCH(values, next.value, next.width, next.rows, next.cols,
                     numbers + (k + 1) % 2 * H2_GPU_EDGE * H2_GPU_ROW, H2_GPU_ROW);
            if (forward && (next.flags & H2_GPU_SAME) == 0) {
                turn ^= 1;
                H2_FETCH_VECTORS(x, next.col, next.cols, vectors + turn * H2_GPU_EDGE * WIDTH);
            }
        }
        /* All copies but those for the next piece have arrived. */
        h2_gpu_copy_commit();
        h2_gpu_copy_wait(false);
        __syncthreads();
        if (is_first_half && forward && 16 * warp < piece.rows) {
            /* A constant index keeps both sums in registers. */
            if (piece.half == 0)
                H2_MANY(h2_gpu_multiply_piece)(s, in, piece.cols, &sum[0]);
            else
                H2_MANY(h2_gpu_multiply_piece)(s, in, piece.cols, &sum[1]);
        }
        if (!is_first_half && (piece.flags & H2_GPU_TRANSPOSED) != 0 && 16 * warp < piece.cols) {
            const bool is_first = (piece.flags & H2_GPU_FIRST) != 0;
            H2_UNROLL
            for (int n = 0; n < H2_VECTORS / 8; n++) {
                H2_UNROLL
                for (int i = 0; i < 4; i++)
                    sum[0].value[n][i] = is_first ? 0 : sum[0].value[n][i];
            }
            H2_MULTIPLY_TRANSPOSED(s, own + piece.half * H2_GPU_EDGE * WIDTH, piece.rows, &sum[0]);
            if ((piece.flags & H2_GPU_LAST) != 0)
                H2_PUT(&sum[0], piece.cols, false, slots + piece.slot * H2_VECTORS);
        }
        __syncthreads();
        piece = next;
    }
    if (!forward || !is_first_half)
        return;
    H2_PUT(&sum[0], pair.rows[0], false, y + (long long)pair.row[0] * H2_VECTORS);
    H2_PUT(&sum[1], pair.rows[1], false, y + (long long)pair.row[1] * H2_VECTORS);
}

/* Tasks of one block, that is bases, in one direction. */
SHIM_KERNEL __launch_bounds__(H2_GPU_MANY_THREADS,
                              4) void H2_MANY(h2_gpu_base)(const h2_gpu_task *tasks,
                                                           const h2_gpu_block *blocks, const H2_REAL *values,
                                                           const double *x, const double *xt, double *y,
                                                           double *slots, int flags) {
    enum { WIDTH = H2_VECTORS + H2_GPU_PAD };
    SHIM_DYNAMIC_SHARED(double, shared);
    H2_REAL *piece = (H2_REAL *)(shared + H2_GPU_EDGE * WIDTH);
    const h2_gpu_task task = tasks[blockIdx.x];
    const h2_gpu_block block = blocks[task.first];
    const bool forward = (flags & H2_GPU_FORWARD) != 0;
    const int outer_count = forward ? task.rows : block.cols, inner_count = forward ? block.cols : task.rows;
    for (int outer = 0; outer < outer_count; outer += H2_GPU_EDGE) {
        H2_MANY(h2_gpu_result) sum = {{{0}}};
        for (int inner = 0; inner < inner_count; inner += H2_GPU_EDGE) {
            const int first = forward ? outer : inner, col = forward ? inner : outer;
            const int rows = task.rows - first < H2_GPU_EDGE ? task.rows - first : H2_GPU_EDGE;
            const int cols = block.cols - col < H2_GPU_EDGE ? block.cols - col : H2_GPU_EDGE;
            __syncthreads();
            H2_FETCH(values, block.value + (long long)first * block.cols + col, block.cols, rows, cols, piece,
                     H2_GPU_ROW);
            H2_FETCH_VECTORS(forward ? x : xt, (forward ? block.col : task.row) + inner, inner_count - inner,
                             shared);
            h2_gpu_copy_commit();
            h2_gpu_copy_wait(true);
            __syncthreads();
            if (forward)
                H2_MANY(h2_gpu_multiply_piece)(piece, shared, cols, &sum);
            else
                H2_MULTIPLY_TRANSPOSED(piece, shared, rows, &sum);
        }
        if (forward)
            H2_PUT(&sum, outer_count - outer, (flags & H2_GPU_ADD) != 0,
                   y + (long long)(task.row + outer) * H2_VECTORS);
        else
            H2_PUT(&sum, outer_count - outer, false, slots + (block.slot + outer) * H2_VECTORS);
    }
}
