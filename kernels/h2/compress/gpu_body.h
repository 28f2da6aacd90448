/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of gpu.h for one type; H2_REAL and H2_NAME(word) say which. */

/* ---- weights ---- */

/* R of the threads' columns, without what may lie below its diagonal. */
__device__ __forceinline__ void H2_NAME(h2_gpu_write_weight)(double (*a)[H2_GPU_OWN_ROWS], int rank,
                                                             double *weight) {
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS / 2; i++) {
            const int row = H2_GPU_OWN_ROW(i), col = H2_GPU_OWN_COL(c);
            if (row < rank && col < rank)
                weight[row * rank + col] = row > col ? 0 : a[c][i];
        }
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              2) void H2_NAME(h2_gpu_weigh)(const h2_gpu_weigh *tasks,
                                                            const h2_gpu_weigh_block *blocks,
                                                            const H2_REAL *values, double *weights) {
    enum { HALF = H2_GPU_OWN_ROWS / 2 };
    __shared__ double vectors[2][H2_GPU_QR_ROWS], tau[2];
    const h2_gpu_weigh task = tasks[blockIdx.x];
    const int rank = task.rank;
    double a[H2_GPU_OWN_COLS][H2_GPU_OWN_ROWS];
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++)
            a[c][i] = 0;
    }
    for (int k = 0; k < task.count; k++) {
        const h2_gpu_weigh_block block = blocks[task.first + k];
        const H2_REAL *from = values + block.value;
        const int row_step = block.is_row ? 1 : rank, col_step = block.is_row ? block.other : 1;
        H2_UNROLL
        for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
            H2_UNROLL
            for (int i = 0; i < HALF; i++) {
                const int row = H2_GPU_OWN_ROW(i), col = H2_GPU_OWN_COL(c); /* row: of those that join */
                a[c][HALF + i] =
                    row < block.other && col < rank ? (double)from[row * row_step + col * col_step] : 0;
            }
        }
        h2_gpu_absorb(a, rank, block.other, vectors, tau);
    }
    H2_NAME(h2_gpu_write_weight)(a, rank, weights + task.weight);
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              2) void H2_NAME(h2_gpu_weigh_parent)(const h2_gpu_weigh *tasks,
                                                                   const H2_REAL *transfers,
                                                                   double *weights) {
    enum { HALF = H2_GPU_OWN_ROWS / 2 };
    SHIM_DYNAMIC_SHARED(double, shared);
    __shared__ double vectors[2][H2_GPU_QR_ROWS], tau[2];
    const h2_gpu_weigh task = tasks[blockIdx.x];
    const int rank = task.rank, above = task.parent_rank;
    double *left = shared, *right = shared + H2_GPU_QR_COLS * H2_GPU_QR_STRIDE,
           *weight = weights + task.weight;
    double a[H2_GPU_OWN_COLS][H2_GPU_OWN_ROWS];
    for (int at = threadIdx.x; at < above * above; at += H2_GPU_QR_THREADS)
        left[at / above * H2_GPU_QR_STRIDE + at % above] = weights[task.parent_weight + at];
    for (int at = threadIdx.x; at < rank * above; at += H2_GPU_QR_THREADS)
        right[at / above * H2_GPU_QR_STRIDE + at % above] = (double)transfers[task.transfer + at];
    __syncthreads();
    H2_UNROLL
    for (int c = 0; c < H2_GPU_OWN_COLS; c++) {
        H2_UNROLL
        for (int i = 0; i < H2_GPU_OWN_ROWS; i++) {
            const int row = H2_GPU_OWN_ROW(i), col = H2_GPU_OWN_COL(c);
            a[c][i] = i < HALF && row < rank && col < rank ? weight[row * rank + col] : 0;
        }
    }
    for (int p = 0; p < above; p++) {
        H2_UNROLL
        for (int i = 0; i < HALF; i++) {
            const double factor =
                H2_GPU_OWN_ROW(i) < above ? left[H2_GPU_OWN_ROW(i) * H2_GPU_QR_STRIDE + p] : 0;
            H2_UNROLL
            for (int c = 0; c < H2_GPU_OWN_COLS; c++)
                if (H2_GPU_OWN_COL(c) < rank)
                    a[c][HALF + i] += factor * right[H2_GPU_OWN_COL(c) * H2_GPU_QR_STRIDE + p];
        }
    }
    __syncthreads();
    h2_gpu_absorb(a, rank, above, vectors, tau);
    H2_NAME(h2_gpu_write_weight)(a, rank, weight);
}

/* ---- truncation ---- */

/* The children's bases in their new coefficients, one below the other, to the stack; their number of rows. */
__device__ int H2_NAME(h2_gpu_stack)(const h2_gpu_truncate *task, const H2_REAL *transfers,
                                     const h2_gpu_truncate_state *state, double *shared) {
    int rows = 0, old = 0;
    for (int i = 0; i < 2; i++) {
        if (task->child[i] < 0)
            continue;
        const int rank = state->rank[task->child[i]];
        H2_STACK_CHILD(transfers + task->transfer + (long long)old * task->rank, state->t + task->child_t[i],
                       rank, task->child_old[i], task->rank, shared,
                       state->stacks + task->stack + rows * task->rank);
        rows += rank;
        old += task->child_old[i];
    }
    return rows;
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS,
                              3) void H2_NAME(h2_gpu_truncate)(const h2_gpu_truncate_how how,
                                                               const h2_gpu_truncate *tasks,
                                                               const H2_REAL *transfers,
                                                               const h2_gpu_truncate_state state) {
    SHIM_DYNAMIC_SHARED(double, shared);
    const h2_gpu_truncate task = tasks[blockIdx.x];
    const double *weight = state.weights + task.weight;
    const int stride = task.is_leaf ? H2_GPU_QR_COLS : H2_GPU_STACK;
    int length = task.rank; /* of the vectors */
    if (!task.is_leaf)
        length = H2_NAME(h2_gpu_stack)(&task, transfers, &state, shared);
    if (task.is_leaf)
        for (int at = threadIdx.x; at < task.rank * task.rank; at += H2_GPU_QR_THREADS)
            shared[at / task.rank * stride + at % task.rank] = weight[at];
    else
        h2_gpu_weigh_stack(task.rank, length, weight, state.stacks + task.stack, shared, stride);
    __syncthreads();
    h2_gpu_find_vectors(&how, &task, length, &state, false, shared, stride);
}

/* ---- results ---- */

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS) void H2_NAME(h2_gpu_store)(const h2_gpu_store_task *tasks,
                                                                            const H2_REAL *from, H2_REAL *to,
                                                                            const double *all_vectors) {
    __shared__ double vectors[H2_GPU_QR_COLS][H2_GPU_QR_STRIDE];
    const h2_gpu_store_task task = tasks[blockIdx.x];
    const double *kept = all_vectors + task.vectors;
    H2_REAL *result = to + task.to;
    if (!task.is_leaf) {
        for (int at = threadIdx.x; at < task.rows * task.rank; at += H2_GPU_QR_THREADS)
            result[at] = (H2_REAL)kept[at % task.rank * task.rows + at / task.rank];
        return;
    }
    for (int at = threadIdx.x; at < task.rank * task.old; at += H2_GPU_QR_THREADS)
        vectors[at / task.old][at % task.old] = kept[at];
    __syncthreads();
    const int col = threadIdx.x % H2_GPU_QR_COLS;
    for (int row = threadIdx.x / H2_GPU_QR_COLS; row < task.rows && col < task.rank;
         row += H2_GPU_QR_THREADS / H2_GPU_QR_COLS) {
        const H2_REAL *basis = from + task.from + row * task.old;
        double sum = 0;
        for (int p = 0; p < task.old; p++)
            sum += (double)basis[p] * vectors[col][p];
        result[row * task.rank + col] = (H2_REAL)sum;
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS) void H2_NAME(h2_gpu_squares)(long long count,
                                                                              const H2_REAL *values,
                                                                              double *sums) {
    __shared__ double parts[H2_GPU_QR_THREADS];
    const long long first = (long long)blockIdx.x * H2_GPU_SQUARES;
    const int numbers = count - first < H2_GPU_SQUARES ? (int)(count - first) : H2_GPU_SQUARES;
    double sum = 0;
    for (int at = threadIdx.x; at < numbers; at += H2_GPU_QR_THREADS)
        sum += (double)values[first + at] * (double)values[first + at];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = H2_GPU_QR_THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}
