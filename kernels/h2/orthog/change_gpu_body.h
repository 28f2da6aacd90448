/* SPDX-License-Identifier: BSD-3-Clause */
/* The change of coupling blocks to new bases, T S Tᵀ, for one type; H2_REAL and H2_NAME(word) say which. */

SHIM_KERNEL __launch_bounds__(H2_GPU_TENSOR_THREADS,
                              2) void H2_NAME(h2_gpu_change)(const h2_gpu_change *tasks,
                                                             const h2_gpu_change_block *blocks,
                                                             const H2_REAL *from, H2_REAL *to,
                                                             const double *row_t, const double *col_t) {
    SHIM_DYNAMIC_SHARED(double, shared);
    double *left = shared, *right = left + H2_GPU_EDGE * H2_GPU_ROW;
    H2_REAL *s = (H2_REAL *)(right + H2_GPU_EDGE * H2_GPU_COL_ROW);
    const h2_gpu_change task = tasks[blockIdx.x];
    const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    h2_gpu_change_block block = blocks[task.first];
    h2_gpu_fetch_fp64(row_t, task.t, task.old_rows, task.rows, task.old_rows, left, H2_GPU_ROW);
    H2_FETCH(from, block.from, block.old_cols, task.old_rows, block.old_cols, s, H2_GPU_ROW);
    h2_gpu_copy_commit();
    h2_gpu_fetch_fp64(col_t, block.t, block.old_cols, block.cols, block.old_cols, right, H2_GPU_COL_ROW);
    h2_gpu_copy_commit();
    for (int k = 0; k < task.count; k++) {
        const bool is_last = k + 1 == task.count;
        const h2_gpu_change_block next = is_last ? block : blocks[task.first + k + 1];
        double middle[H2_GPU_EDGE / 8][4], sum[H2_GPU_EDGE / 8][4];
        H2_UNROLL
        for (int n = 0; n < H2_GPU_EDGE / 8; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++)
                middle[n][i] = sum[n][i] = 0;
        }
        h2_gpu_copy_wait(false); /* S has arrived; the column's T may be on its way. */
        __syncthreads();
        /* middle = T S, 16 rows a warp. */
        if (16 * warp < task.rows) {
            for (int p = 0; 8 * p < task.old_rows; p++) {
                const double *a_from = left + (16 * warp + group) * H2_GPU_ROW + 8 * p + lane;
                const double a[4] = {a_from[0], a_from[8 * H2_GPU_ROW], a_from[4],
                                     a_from[8 * H2_GPU_ROW + 4]};
                H2_UNROLL
                for (int n = 0; n < H2_GPU_EDGE / 8; n++) {
                    const H2_REAL *b_from = s + (8 * p + lane) * H2_GPU_ROW + 8 * n + group;
                    const double b[2] = {(double)b_from[0], (double)b_from[4 * H2_GPU_ROW]};
                    h2_gpu_multiply(a, b, middle[n]);
                }
            }
        }
        __syncthreads();
        if (!is_last)
            H2_FETCH(from, next.from, next.old_cols, task.old_rows, next.old_cols, s, H2_GPU_ROW);
        h2_gpu_copy_commit();
        h2_gpu_copy_wait(false); /* The column's T has arrived; the next S may be on its way. */
        __syncthreads();
        if (16 * warp < task.rows) {
            /* sum = middle Tᵀ. A lane has columns 2l and 2l + 1 of eight of `middle`, but a left factor wants
             * l and l
             * + 4. The order of the eight in the sum is free: T's are read as 2l and 2l + 1, too. */
            H2_UNROLL
            for (int p = 0; p < H2_GPU_EDGE / 8; p++) {
                const double a[4] = {middle[p][0], middle[p][2], middle[p][1], middle[p][3]};
                if (8 * p >= block.old_cols)
                    break;
                H2_UNROLL
                for (int n = 0; n < H2_GPU_EDGE / 8; n++) {
                    if (8 * n >= block.cols) /* These rows of T are zeros. */
                        continue;
                    const double2 pair =
                        *(const double2 *)(right + (8 * n + group) * H2_GPU_COL_ROW + 8 * p + 2 * lane);
                    const double b[2] = {pair.x, pair.y};
                    h2_gpu_multiply(a, b, sum[n]);
                }
            }
        }
        __syncthreads();
        if (!is_last)
            h2_gpu_fetch_fp64(col_t, next.t, next.old_cols, next.cols, next.old_cols, right, H2_GPU_COL_ROW);
        h2_gpu_copy_commit();
        H2_UNROLL
        for (int n = 0; n < H2_GPU_EDGE / 8; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++) {
                const int row = 16 * warp + group + i / 2 * 8, at = 8 * n + 2 * lane + i % 2;
                if (row < task.rows && at < block.cols)
                    to[block.to + row * block.cols + at] = (H2_REAL)sum[n][i];
            }
        }
        block = next;
    }
}
