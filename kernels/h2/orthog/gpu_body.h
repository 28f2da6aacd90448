/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of gpu.h that orthogonalizes, for one type; H2_REAL and H2_NAME(word) say which. */

/* Forms Q = H_0 … H_{k-1} D of the reflections, the last one first. The signs D make the diagonal of R
 * positive. */
__device__ __forceinline__ void H2_NAME(h2_gpu_write_basis)(double (*a)[H2_GPU_OWN_ROWS],
                                                            const h2_gpu_qr *task, const double *vectors,
                                                            const double *tau, const double *diagonal,
                                                            H2_REAL *to) {
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
            const int col = H2_GPU_OWN_COL(c);
            a[c][i] = H2_GPU_OWN_ROW(i) != col || col >= task->cols ? 0 : diagonal[col] < 0 ? -1 : 1;
        }
    }
    for (int j = task->cols - 1; j >= 0; j--) {
        const double all[H2_GPU_OWN_COLS] = {tau[j], tau[j], tau[j], tau[j]};
        h2_gpu_reflect_down(a, j, vectors + j * H2_GPU_QR_ROWS, all);
    }
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++)
            if (H2_GPU_OWN_ROW(i) < task->rows && H2_GPU_OWN_COL(c) < task->cols)
                to[H2_GPU_OWN_ROW(i) * task->cols + H2_GPU_OWN_COL(c)] = (H2_REAL)a[c][i];
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS, 2) void H2_NAME(h2_gpu_orthogonalize)(const h2_gpu_qr *tasks,
                                                                                       const H2_REAL *from,
                                                                                       H2_REAL *to,
                                                                                       double *t) {
    SHIM_DYNAMIC_SHARED(double, shared);
    __shared__ double tau[H2_GPU_QR_COLS], diagonal[H2_GPU_QR_COLS];
    const h2_gpu_qr task = tasks[blockIdx.x];
    const int rows = task.rows, cols = task.cols;
    double a[H2_GPU_OWN_COLS][H2_GPU_OWN_ROWS], *own_t = t + task.t;
    H2_REAL *basis = to + task.to;
    if (!task.is_leaf) {
        const H2_REAL *transfers = from + task.from;
        H2_STACK_CHILD(transfers, t + task.child_t[0], task.child_rank[0], task.child_old[0], cols, shared,
                       own_t);
        H2_STACK_CHILD(transfers + task.child_old[0] * cols, t + task.child_t[1], task.child_rank[1],
                       task.child_old[1], cols, shared, own_t + task.child_rank[0] * cols);
    }
    if (rows <= cols) { /* The new basis is the identity, and T the old basis (lib/h2/change/orthog.c). */
        for (int at = threadIdx.x; at < rows * cols && task.is_leaf; at += H2_GPU_QR_THREADS)
            own_t[at] = from[task.from + at];
        __syncthreads();
        for (int at = threadIdx.x; at < rows * rows; at += H2_GPU_QR_THREADS)
            basis[at] = at / rows == at % rows ? 1 : 0;
        return;
    }
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
            const int row = H2_GPU_OWN_ROW(i), col = H2_GPU_OWN_COL(c), at = row * cols + col;
            const bool is_there = row < rows && col < cols;
            a[c][i] = !is_there ? 0 : task.is_leaf ? (double)from[task.from + at] : own_t[at];
        }
    }
    __syncthreads();
    h2_gpu_triangularize(a, cols, shared, tau);
    /* Q R = (Q D)(D R) for the signs D of the diagonal. */
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++)
            if (H2_GPU_OWN_ROW(i) == H2_GPU_OWN_COL(c))
                diagonal[H2_GPU_OWN_COL(c)] = a[c][i];
    }
    __syncthreads();
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
            const int row = H2_GPU_OWN_ROW(i), col = H2_GPU_OWN_COL(c);
            if (row < cols && col < cols)
                own_t[row * cols + col] = row > col ? 0 : diagonal[row] < 0 ? -a[c][i] : a[c][i];
        }
    }
    H2_NAME(h2_gpu_write_basis)(a, &task, shared, tau, diagonal, basis);
}
