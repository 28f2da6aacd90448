/* The kernels of orthog_gpu.h for one type; H2_REAL and H2_NAME(word) say which. */

/* A child's T times its transfer to `to` (row-major, cols wide), through shared memory. */
__device__ __forceinline__ void H2_NAME(h2_gpu_stack_child)(const H2_REAL *transfer, const double *t,
                                                            int rank, int old, int cols, double *shared,
                                                            double *to) {
    double *left = shared, *right = shared + H2_GPU_QR_COLS * H2_GPU_QR_STRIDE;
    const int col = H2_GPU_OWN_COL, part = threadIdx.x % 4;
    double sum[H2_GPU_QR_COLS / 4];
    for (int at = threadIdx.x; at < rank * old; at += H2_GPU_QR_THREADS)
        left[at / old * H2_GPU_QR_STRIDE + at % old] = t[at];
    for (int at = threadIdx.x; at < old * cols; at += H2_GPU_QR_THREADS)
        right[at / cols * H2_GPU_QR_COLS + at % cols] = transfer[at];
    __syncthreads();
    H2_UNROLL
    for (int i = 0; i < H2_GPU_QR_COLS / 4; i++)
        sum[i] = 0;
    for (int p = 0; p < old && col < cols; p++) {
        const double factor = right[p * H2_GPU_QR_COLS + col];
        H2_UNROLL
        for (int i = 0; i < H2_GPU_QR_COLS / 4; i++)
            sum[i] +=
                left[(part + 4 * i) * H2_GPU_QR_STRIDE + p] * factor; /* junk beyond `rank` is not kept */
    }
    H2_UNROLL
    for (int i = 0; i < H2_GPU_QR_COLS / 4; i++)
        if (part + 4 * i < rank && col < cols)
            to[(part + 4 * i) * cols + col] = sum[i];
    __syncthreads();
}

/* Q from the vectors, with the signs that make the diagonal of R positive. */
__device__ __forceinline__ void H2_NAME(h2_gpu_write_basis)(double *a, const h2_gpu_qr *task,
                                                            const double *vectors, const double *tau,
                                                            double sign, H2_REAL *to) {
    const int col = H2_GPU_OWN_COL;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++)
        a[i] = H2_GPU_OWN_ROW(i) == col ? sign : 0;
    for (int j = task->cols - 1; j >= 0; j--)
        h2_gpu_reflect(a, j / 8, vectors + j * H2_GPU_QR_ROWS, tau[j]);
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++)
        if (H2_GPU_OWN_ROW(i) < task->rows && col < task->cols)
            to[H2_GPU_OWN_ROW(i) * task->cols + col] = (H2_REAL)a[i];
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS, 2) void H2_NAME(h2_gpu_orthogonalize)(const h2_gpu_qr *tasks,
                                                                                       const H2_REAL *from,
                                                                                       H2_REAL *to,
                                                                                       double *t) {
    SHIM_DYNAMIC_SHARED(double, shared);
    __shared__ double tau[H2_GPU_QR_COLS], diagonal[H2_GPU_QR_COLS];
    const h2_gpu_qr task = tasks[blockIdx.x];
    const int col = H2_GPU_OWN_COL, rows = task.rows, cols = task.cols;
    double a[H2_GPU_OWN], *own_t = t + task.t;
    H2_REAL *basis = to + task.to;
    if (!task.is_leaf) {
        const H2_REAL *transfers = from + task.from;
        H2_NAME(h2_gpu_stack_child)
        (transfers, t + task.child_t[0], task.child_rank[0], task.child_old[0], cols, shared, own_t);
        H2_NAME(h2_gpu_stack_child)
        (transfers + task.child_old[0] * cols, t + task.child_t[1], task.child_rank[1], task.child_old[1],
         cols, shared, own_t + task.child_rank[0] * cols);
    }
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        const int row = H2_GPU_OWN_ROW(i), at = row * cols + col;
        const bool is_there = row < rows && col < cols;
        a[i] = !is_there ? 0 : task.is_leaf ? (double)from[task.from + at] : own_t[at];
    }
    __syncthreads();
    if (rows <= cols) { /* the identity times the basis itself */
        for (int at = threadIdx.x; at < rows * cols && task.is_leaf; at += H2_GPU_QR_THREADS)
            own_t[at] = from[task.from + at];
        __syncthreads();
        for (int at = threadIdx.x; at < rows * rows; at += H2_GPU_QR_THREADS)
            basis[at] = at / rows == at % rows ? 1 : 0;
        return;
    }
    h2_gpu_triangularize(a, cols, shared, tau);
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++)
        if (H2_GPU_OWN_ROW(i) == col)
            diagonal[col] = a[i];
    __syncthreads();
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        const int row = H2_GPU_OWN_ROW(i);
        if (row < cols && col < cols)
            own_t[row * cols + col] = row > col ? 0 : diagonal[row] < 0 ? -a[i] : a[i];
    }
    H2_NAME(h2_gpu_write_basis)(a, &task, shared, tau, diagonal[col] < 0 ? -1 : 1, basis);
}

/* ---- coupling blocks ---- */

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
    H2_NAME(h2_gpu_fetch)
    (from, block.from, block.old_cols, task.old_rows, block.old_cols, s, H2_GPU_ROW);
    h2_gpu_copy_commit();
    h2_gpu_fetch_fp64(col_t, block.t, block.old_cols, block.cols, block.old_cols, right, H2_GPU_COL_ROW);
    h2_gpu_copy_commit();
    for (int k = 0; k < task.count; k++) {
        const bool is_last = k + 1 == task.count;
        const h2_gpu_change_block next = is_last ? block : blocks[task.first + k + 1];
        double middle[H2_GPU_EDGE / 8][4], sum[H2_GPU_EDGE / 8][4];
        H2_UNROLL
        for (int n = 0; n < H2_GPU_EDGE / 8; n++)
            H2_UNROLL
        for (int i = 0; i < 4; i++)
            middle[n][i] = sum[n][i] = 0;
        h2_gpu_copy_wait(false); /* S is here */
        __syncthreads();
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
            H2_NAME(h2_gpu_fetch)
        (from, next.from, next.old_cols, task.old_rows, next.old_cols, s, H2_GPU_ROW);
        h2_gpu_copy_commit();
        h2_gpu_copy_wait(false); /* T is here */
        __syncthreads();
        if (16 * warp < task.rows) {
            /* Columns 2l and 2l + 1 of a result are columns l and l + 4 of the next left factor. */
            H2_UNROLL
            for (int p = 0; p < H2_GPU_EDGE / 8; p++) {
                const double a[4] = {middle[p][0], middle[p][2], middle[p][1], middle[p][3]};
                if (8 * p >= block.old_cols)
                    break;
                H2_UNROLL
                for (int n = 0; n < H2_GPU_EDGE / 8; n++) {
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
        for (int n = 0; n < H2_GPU_EDGE / 8; n++)
            H2_UNROLL
        for (int i = 0; i < 4; i++) {
            const int row = 16 * warp + group + i / 2 * 8, at = 8 * n + 2 * lane + i % 2;
            if (row < task.rows && at < block.cols)
                to[block.to + row * block.cols + at] = (H2_REAL)sum[n][i];
        }
        block = next;
    }
}
