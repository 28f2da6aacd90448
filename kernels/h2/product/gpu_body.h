/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of gpu.h for one type of blocks; H2_REAL and H2_NAME(word) say which. */

#define H2_READ H2_NAME(h2_gpu_read)

/* ---- one vector ---- */

/* Reads the part of a piece that a thread has: rows warp, warp + 8, … and columns lane, lane + 32. */
__device__ __forceinline__ void H2_READ(const H2_REAL *s, int width, int rows, int cols, H2_REAL (*part)[2]) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_EDGE / H2_GPU_WARPS; i++) {
        H2_UNROLL
        for (int j = 0; j < 2; j++) {
            const int row = warp + i * H2_GPU_WARPS, col = lane + 32 * j;
            part[i][j] = row < rows && col < cols ? s[(long long)row * width + col] : 0;
        }
    }
}

/* Adds up eight numbers each over the lanes of a warp; lane 4i gets the sum of the i-th. In each step a lane
 * keeps half of its numbers and gives the others away: 4 + 2 + 1 + 2 shuffles instead of 8 · 5. */
__device__ __forceinline__ double H2_NAME(h2_gpu_add_rows)(double *sum) {
    const int lane = threadIdx.x % 32;
    H2_UNROLL
    for (int half = 4; half > 0; half /= 2) {
        const bool high = (lane & (4 * half)) != 0;
        H2_UNROLL
        for (int i = 0; i < half; i++) {
            const double gone = high ? sum[i] : sum[i + half];
            sum[i] = (high ? sum[i + half] : sum[i]) + __shfl_xor_sync(0xffffffffu, gone, 4 * half);
        }
    }
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], 2);
    return sum[0] + __shfl_xor_sync(0xffffffffu, sum[0], 1);
}

SHIM_KERNEL __launch_bounds__(H2_GPU_THREADS, 2) void H2_NAME(h2_gpu_apply_1)(
    const h2_gpu_task *tasks, const h2_gpu_block *blocks, const H2_REAL *values, const double *x,
    const double *xt, double *y, double *slots, int flags) {
    enum { ROWS = H2_GPU_EDGE / H2_GPU_WARPS };
    __shared__ double across[2][H2_GPU_WARPS][H2_GPU_EDGE];
    const h2_gpu_task task = tasks[blockIdx.x];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int turn = 0; /* Two arrays for `across` take turns: one barrier a piece is enough. */
    for (int first = 0; first < task.rows; first += H2_GPU_EDGE) {
        const int rows = task.rows - first < H2_GPU_EDGE ? task.rows - first : H2_GPU_EDGE;
        double sum[ROWS], own[ROWS];
        H2_REAL part[ROWS][2];
        H2_UNROLL
        for (int i = 0; i < ROWS; i++) {
            const int row = warp + i * H2_GPU_WARPS;
            sum[i] = 0;
            own[i] = (flags & H2_GPU_TRANSPOSED) != 0 && row < rows ? xt[task.row + first + row] : 0;
        }
        int k = 0, col = 0;
        h2_gpu_block block = blocks[task.first];
        H2_READ(values + block.value + (long long)first * block.cols, block.cols, rows, block.cols, part);
        while (k < task.count) {
            /* The next piece is read while this one is worked on. */
            const int cols = block.cols - col;
            const int next_k = cols > H2_GPU_EDGE ? k : k + 1,
                      next_col = cols > H2_GPU_EDGE ? col + H2_GPU_EDGE : 0;
            h2_gpu_block next = block;
            H2_REAL ahead[ROWS][2];
            if (next_k < task.count) {
                next = blocks[task.first + next_k];
                H2_READ(values + next.value + (long long)first * next.cols + next_col, next.cols, rows,
                        next.cols - next_col, ahead);
            }
            if ((flags & H2_GPU_FORWARD) != 0) {
                const double *in = x + block.col + col;
                const double x0 = lane < cols ? in[lane] : 0, x1 = lane + 32 < cols ? in[lane + 32] : 0;
                H2_UNROLL
                for (int i = 0; i < ROWS; i++)
                    sum[i] += (double)part[i][0] * x0 + (double)part[i][1] * x1;
            }
            /* Sᵀ xt: each warp adds its rows, then a thread a column adds the warps, in one order. */
            if ((flags & H2_GPU_TRANSPOSED) != 0 && block.slot >= 0) {
                double t0 = 0, t1 = 0;
                H2_UNROLL
                for (int i = 0; i < ROWS; i++) {
                    t0 += (double)part[i][0] * own[i];
                    t1 += (double)part[i][1] * own[i];
                }
                across[turn][warp][lane] = t0;
                across[turn][warp][lane + 32] = t1;
                __syncthreads();
                if (threadIdx.x < H2_GPU_EDGE && (int)threadIdx.x < cols) {
                    double *slot = slots + block.slot + col + threadIdx.x;
                    double total = first == 0 ? 0 : *slot;
                    H2_UNROLL
                    for (int i = 0; i < H2_GPU_WARPS; i++)
                        total += across[turn][i][threadIdx.x];
                    *slot = total;
                }
                turn ^= 1;
            }
            H2_UNROLL
            for (int i = 0; i < ROWS; i++) {
                part[i][0] = ahead[i][0];
                part[i][1] = ahead[i][1];
            }
            k = next_k;
            col = next_col;
            block = next;
        }
        if ((flags & H2_GPU_FORWARD) == 0)
            continue;
        const double total = H2_NAME(h2_gpu_add_rows)(sum);
        const int row = warp + lane / 4 * H2_GPU_WARPS;
        if (lane % 4 == 0 && row < rows) {
            double *to = y + task.row + first + row;
            *to = (flags & H2_GPU_ADD) != 0 ? *to + total : total;
        }
    }
}

/* Tasks of one block, that is bases. There is no next block to read ahead: with fewer registers more tasks
 * run at a time. */
SHIM_KERNEL __launch_bounds__(H2_GPU_THREADS, 4) void H2_NAME(h2_gpu_base_1)(
    const h2_gpu_task *tasks, const h2_gpu_block *blocks, const H2_REAL *values, const double *x,
    const double *xt, double *y, double *slots, int flags) {
    enum { ROWS = H2_GPU_EDGE / H2_GPU_WARPS };
    __shared__ double across[H2_GPU_WARPS][H2_GPU_EDGE];
    const h2_gpu_task task = tasks[blockIdx.x];
    const h2_gpu_block block = blocks[task.first];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    H2_REAL part[ROWS][2];
    for (int first = 0; first < task.rows && (flags & H2_GPU_FORWARD) != 0; first += H2_GPU_EDGE) {
        const int rows = task.rows - first < H2_GPU_EDGE ? task.rows - first : H2_GPU_EDGE;
        const int row = warp + lane / 4 * H2_GPU_WARPS;
        double *to = y + task.row + first + row, sum[ROWS];
        const double old = (flags & H2_GPU_ADD) != 0 && lane % 4 == 0 && row < rows ? *to : 0;
        H2_UNROLL
        for (int i = 0; i < ROWS; i++)
            sum[i] = 0;
        for (int col = 0; col < block.cols; col += H2_GPU_EDGE) {
            const int cols = block.cols - col;
            const double *in = x + block.col + col;
            const double x0 = lane < cols ? in[lane] : 0, x1 = lane + 32 < cols ? in[lane + 32] : 0;
            H2_READ(values + block.value + (long long)first * block.cols + col, block.cols, rows, cols, part);
            H2_UNROLL
            for (int i = 0; i < ROWS; i++)
                sum[i] += (double)part[i][0] * x0 + (double)part[i][1] * x1;
        }
        const double total = H2_NAME(h2_gpu_add_rows)(sum);
        if (lane % 4 == 0 && row < rows)
            *to = old + total;
    }
    for (int col = 0; col < block.cols && (flags & H2_GPU_TRANSPOSED) != 0; col += H2_GPU_EDGE) {
        const int cols = block.cols - col;
        double t0 = 0, t1 = 0;
        for (int first = 0; first < task.rows; first += H2_GPU_EDGE) {
            const int rows = task.rows - first < H2_GPU_EDGE ? task.rows - first : H2_GPU_EDGE;
            H2_READ(values + block.value + (long long)first * block.cols + col, block.cols, rows, cols, part);
            H2_UNROLL
            for (int i = 0; i < ROWS; i++) {
                const int row = warp + i * H2_GPU_WARPS;
                const double own = row < rows ? xt[task.row + first + row] : 0;
                t0 += (double)part[i][0] * own;
                t1 += (double)part[i][1] * own;
            }
        }
        __syncthreads();
        across[warp][lane] = t0;
        across[warp][lane + 32] = t1;
        __syncthreads();
        if (threadIdx.x < H2_GPU_EDGE && (int)threadIdx.x < cols) {
            double total = 0;
            H2_UNROLL
            for (int i = 0; i < H2_GPU_WARPS; i++)
                total += across[i][threadIdx.x];
            slots[block.slot + col + threadIdx.x] = total;
        }
    }
}

/* ---- several vectors ---- */

#include "h2/product/fetch_gpu_body.h"

#define H2_VECTORS 8
#define H2_MANY(word) H2_NAME(word##_8)
#include "h2/product/gpu_many.h"
#undef H2_VECTORS
#undef H2_MANY

#define H2_VECTORS 16
#define H2_MANY(word) H2_NAME(word##_16)
#include "h2/product/gpu_many.h"
#undef H2_VECTORS
#undef H2_MANY
