/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of gpu.h that factor: orthonormal bases, and R of blocks that are stacked. */
#ifndef H2_LARGE_FACTOR_GPU_H
#define H2_LARGE_FACTOR_GPU_H

#include "h2/large/panel_gpu.h"

__device__ __forceinline__ void h2_gpu_put_matrix_number(unsigned long long array, long long place,
                                                         bool is_single, double x) {
    if (is_single)
        ((float *)array)[place] = (float)x;
    else
        ((double *)array)[place] = x;
}

/* The basis of a node with no more rows than columns is the identity, and T the old basis. */
__device__ void h2_gpu_keep_basis(const h2_gpu_factor_task *task) {
    const int rows = task->rows, cols = task->cols;
    double *t = (double *)task->t;
    for (int at = threadIdx.x; at < rows * cols; at += H2_GPU_LARGE_THREADS)
        t[at] = task->from != 0 ? h2_gpu_number(task->from, at, task->is_single != 0)
                                : ((const double *)task->a)[at / cols * H2_GPU_WHOLE(cols) + at % cols];
    __syncthreads();
    for (int at = threadIdx.x; at < rows * rows; at += H2_GPU_LARGE_THREADS)
        h2_gpu_put_matrix_number(task->to, at, task->is_single != 0, at / rows == at % rows ? 1 : 0);
}

/* The matrix to the workspace where it is not there yet, and zeros beside and below it. */
__device__ void h2_gpu_begin_factor(const h2_gpu_factor_task *task, const h2_gpu_rows *rows) {
    const int cols = task->cols, beside = rows->stride - cols, whole = H2_GPU_WHOLE(task->rows);
    for (int at = threadIdx.x; at < task->rows * cols && task->from != 0; at += H2_GPU_LARGE_THREADS)
        rows->a[at / cols * rows->stride + at % cols] = h2_gpu_number(task->from, at, task->is_single != 0);
    for (int at = threadIdx.x; at < task->rows * beside; at += H2_GPU_LARGE_THREADS)
        rows->a[at / beside * rows->stride + cols + at % beside] = 0;
    for (int at = threadIdx.x + task->rows * rows->stride; at < whole * rows->stride;
         at += H2_GPU_LARGE_THREADS)
        rows->a[at] = 0;
    __syncthreads();
}

/* V and T to the workspace, and the panel's rows of R with a positive diagonal to `t`. */
__device__ void h2_gpu_put_panel(const h2_gpu_factor_task *task, const h2_gpu_rows *rows, int first,
                                 int width, const h2_gpu_panel *panel) {
    double *t = (double *)task->t,
           *kept = rows->a + (long long)H2_GPU_WHOLE(task->rows) * rows->stride + first * H2_GPU_PANEL;
    for (int at = threadIdx.x; at < rows->count * H2_GPU_PANEL; at += H2_GPU_LARGE_THREADS)
        h2_gpu_row(rows, at / H2_GPU_PANEL)[first + at % H2_GPU_PANEL] =
            panel->v[at / H2_GPU_PANEL * H2_GPU_PANEL_STRIDE + at % H2_GPU_PANEL];
    for (int at = threadIdx.x; at < H2_GPU_PANEL * H2_GPU_PANEL; at += H2_GPU_LARGE_THREADS)
        kept[at] = panel->t[at / H2_GPU_PANEL * H2_GPU_PANEL_STRIDE + at % H2_GPU_PANEL];
    for (int at = threadIdx.x; at < width * task->cols; at += H2_GPU_LARGE_THREADS) {
        const int row = at / task->cols, col = at % task->cols;
        const double x = col < first + row     ? 0
                         : col < first + width ? panel->top[row][col - first]
                                               : rows->a[(long long)(first + row) * rows->stride + col];
        t[(first + row) * task->cols + col] = panel->top[row][row] < 0 ? -x : x;
    }
    __syncthreads();
}

/* Q = (I - V_0 T_0 V_0ᵀ) … (I - V_p T_p V_pᵀ) applied to columns of the identity, the last panel first, in
 * the place of the vectors: what a panel's columns become depends on it and those behind it. */
__device__ void h2_gpu_form_basis(const h2_gpu_factor_task *task, h2_gpu_rows *rows, h2_gpu_panel *panel) {
    const double *kept = rows->a + (long long)H2_GPU_WHOLE(task->rows) * rows->stride;
    for (int first = H2_GPU_WHOLE(task->cols) - H2_GPU_PANEL; first >= 0; first -= H2_GPU_PANEL) {
        const int behind = rows->stride - first;
        rows->top = first;
        rows->rest = first + H2_GPU_PANEL;
        rows->count = H2_GPU_WHOLE(task->rows) - first;
        h2_gpu_load_panel(rows, first, H2_GPU_PANEL, panel);
        for (int at = threadIdx.x; at < H2_GPU_PANEL * H2_GPU_PANEL; at += H2_GPU_LARGE_THREADS)
            panel->t[at / H2_GPU_PANEL * H2_GPU_PANEL_STRIDE + at % H2_GPU_PANEL] =
                kept[first * H2_GPU_PANEL + at];
        __syncthreads();
        for (int at = threadIdx.x; at < rows->count * H2_GPU_PANEL; at += H2_GPU_LARGE_THREADS)
            h2_gpu_row(rows, at / H2_GPU_PANEL)[first + at % H2_GPU_PANEL] =
                at / H2_GPU_PANEL == at % H2_GPU_PANEL ? 1 : 0;
        for (int at = threadIdx.x; at < H2_GPU_PANEL * behind; at += H2_GPU_LARGE_THREADS)
            if (at % behind >= H2_GPU_PANEL)
                h2_gpu_row(rows, at / behind)[first + at % behind] = 0;
        __syncthreads();
        h2_gpu_apply_panel(rows, first, task->cols, false, panel);
    }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_LARGE_THREADS, 2) void h2_gpu_factor(const h2_gpu_factor_task *tasks) {
    SHIM_DYNAMIC_SHARED(double, shared);
    __shared__ bool is_negative[H2_GPU_LARGE_RANK];
    h2_gpu_panel *panel = (h2_gpu_panel *)shared;
    const h2_gpu_factor_task task = tasks[blockIdx.x];
    const int cols = task.cols;
    h2_gpu_rows rows = {(double *)task.a, H2_GPU_WHOLE(cols), 0, 0, 0};
    if (task.rows <= cols) {
        h2_gpu_keep_basis(&task);
        return;
    }
    h2_gpu_begin_factor(&task, &rows);
    for (int first = 0; first < cols; first += H2_GPU_PANEL) {
        const int width = cols - first < H2_GPU_PANEL ? cols - first : H2_GPU_PANEL;
        rows.top = first;
        rows.rest = first + H2_GPU_PANEL;
        rows.count = H2_GPU_WHOLE(task.rows) - first;
        h2_gpu_load_panel(&rows, first, width, panel);
        h2_gpu_factor_panel(width, rows.count, panel);
        h2_gpu_apply_panel(&rows, first + H2_GPU_PANEL, cols, true, panel);
        if ((int)threadIdx.x < width)
            is_negative[first + threadIdx.x] = panel->top[threadIdx.x][threadIdx.x] < 0;
        h2_gpu_put_panel(&task, &rows, first, width, panel);
    }
    h2_gpu_form_basis(&task, &rows, panel);
    /* Q R = (Q D)(D R) for the signs D of the diagonal. */
    for (int at = threadIdx.x; at < task.rows * cols; at += H2_GPU_LARGE_THREADS) {
        const double x = rows.a[(long long)(at / cols) * rows.stride + at % cols];
        h2_gpu_put_matrix_number(task.to, at, task.is_single != 0, is_negative[at % cols] ? -x : x);
    }
}

/* ---- weights ---- */

/* The R from before to the first rows of the workspace, or zeros. */
__device__ void h2_gpu_begin_weight(const h2_gpu_weigh_rows_task *task, double *a, int stride) {
    const double *weight = (const double *)task->weight;
    for (int at = threadIdx.x; at < stride * stride; at += H2_GPU_LARGE_THREADS) {
        const int row = at / stride, col = at % stride;
        a[at] = task->adds && row <= col && col < task->rank ? weight[row * task->rank + col] : 0;
    }
}

/* The rows of a block below R, and zeros behind them. */
__device__ void h2_gpu_load_rows(const h2_gpu_joining *block, int rank, double *a, int stride) {
    const bool is_deep = block->row_step == 1; /* rows are neighbours in memory, not columns */
    const int whole = H2_GPU_WHOLE(block->rows), width = is_deep ? whole : stride;
    for (int at = threadIdx.x; at < whole * stride; at += H2_GPU_LARGE_THREADS) {
        const int row = is_deep ? at % width : at / width, col = is_deep ? at / width : at % width;
        a[row * stride + col] =
            row < block->rows && col < rank
                ? h2_gpu_number(block->value,
                                (long long)row * block->row_step + (long long)col * block->col_step,
                                block->is_single != 0)
                : 0;
    }
    __syncthreads();
}

/* Each block joins R by reflections that leave the rows of R alone but for sixteen at a time. */
SHIM_KERNEL __launch_bounds__(H2_GPU_LARGE_THREADS,
                              2) void h2_gpu_weigh_rows(const h2_gpu_weigh_rows_task *tasks,
                                                        const h2_gpu_joining *blocks) {
    SHIM_DYNAMIC_SHARED(double, shared);
    h2_gpu_panel *panel = (h2_gpu_panel *)shared;
    const h2_gpu_weigh_rows_task task = tasks[blockIdx.x];
    const int rank = task.rank, stride = H2_GPU_WHOLE(rank);
    h2_gpu_rows rows = {(double *)task.a, stride, 0, stride, 0};
    h2_gpu_begin_weight(&task, rows.a, stride);
    for (int k = 0; k < task.count; k++) {
        const h2_gpu_joining block = blocks[task.first + k];
        h2_gpu_load_rows(&block, rank, rows.a + (long long)stride * stride, stride);
        rows.count = H2_GPU_PANEL + H2_GPU_WHOLE(block.rows);
        for (int first = 0; first < rank; first += H2_GPU_PANEL) {
            const int width = rank - first < H2_GPU_PANEL ? rank - first : H2_GPU_PANEL;
            rows.top = first;
            h2_gpu_load_panel(&rows, first, width, panel);
            h2_gpu_factor_panel(width, rows.count, panel);
            h2_gpu_apply_panel(&rows, first + H2_GPU_PANEL, rank, true, panel);
            for (int at = threadIdx.x; at < width * width; at += H2_GPU_LARGE_THREADS)
                h2_gpu_row(&rows, at / width)[first + at % width] = panel->top[at / width][at % width];
            __syncthreads();
        }
    }
    __syncthreads();
    double *weight = (double *)task.weight;
    for (int at = threadIdx.x; at < rank * rank; at += H2_GPU_LARGE_THREADS) {
        const int row = at / rank, col = at % rank;
        weight[at] = row > col ? 0 : rows.a[row * stride + col];
    }
}

#endif
