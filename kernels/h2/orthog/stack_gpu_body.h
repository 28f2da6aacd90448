/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks the changed transfers of children, for one type; H2_REAL and H2_NAME(word) say which. */

#define H2_STACK_CHILD H2_NAME(h2_gpu_stack_child)

/* Writes a child's T times its transfer to `to` (row-major, cols wide), through shared memory: a thread has
 * one column and every fourth row. */
__device__ __forceinline__ void H2_STACK_CHILD(const H2_REAL *transfer, const double *t, int rank, int old,
                                               int cols, double *shared, double *to) {
    double *left = shared, *right = shared + H2_GPU_QR_COLS * H2_GPU_QR_STRIDE;
    const int col = threadIdx.x / 4, part = threadIdx.x % 4;
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
            sum[i] += left[(part + 4 * i) * H2_GPU_QR_STRIDE + p] *
                      factor; /* Rows beyond `rank` are junk, which is not kept. */
    }
    H2_UNROLL
    for (int i = 0; i < H2_GPU_QR_COLS / 4; i++)
        if (part + 4 * i < rank && col < cols)
            to[(part + 4 * i) * cols + col] = sum[i];
    __syncthreads();
}
