/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels of compression: gpu.h.
#include "h2/common/tensor_gpu.h"

#include "h2/compress/gpu.h"
#include "h2/orthog/reflect_gpu.h"

#include "h2/compress/singular_gpu.h"

#define H2_EACH "h2/compress/type_gpu_body.h"
#include "h2/common/types_gpu.h"

// Decides how many vectors a node keeps, and finds T = vectors · Z, which takes the old coefficients to
// these.
SHIM_KERNEL __launch_bounds__(H2_GPU_QR_THREADS) void h2_gpu_keep(const h2_gpu_truncate_how how,
                                                                  const h2_gpu_truncate *tasks,
                                                                  const h2_gpu_truncate_state state) {
    const h2_gpu_truncate task = tasks[blockIdx.x];
    const int kept = h2_gpu_find_kept(&how, &state, task.node, task.level);
    const double *vectors = state.vectors + task.vectors, *stack = state.stacks + task.stack;
    const int col = threadIdx.x % H2_GPU_QR_COLS;
    int rows = task.is_leaf ? task.rank : 0;
    for (int i = 0; i < 2 && !task.is_leaf; i++)
        rows += task.child[i] >= 0 ? state.rank[task.child[i]] : 0;
    for (int row = threadIdx.x / H2_GPU_QR_COLS; row < kept && col < task.rank;
         row += H2_GPU_QR_THREADS / H2_GPU_QR_COLS) {
        double sum = 0;
        if (task.is_leaf)
            sum = vectors[row * task.rank + col];
        for (int p = 0; p < rows && !task.is_leaf; p++)
            sum += vectors[row * rows + p] * stack[p * task.rank + col];
        state.t[task.t + row * task.rank + col] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32)
        h2_gpu_put_cut(&how, &state, task.node, state.sigma + task.sigma, kept);
}
