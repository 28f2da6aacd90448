/* SPDX-License-Identifier: BSD-3-Clause */
/* Householder reflections of matrices in global memory, sixteen columns at a time: a panel is factored in
 * registers, and I - V T Vᵀ, the product of its reflections, applied to other columns by tensor cores
 * (Schreiber, Van Loan: A storage-efficient WY representation for products of Householder transformations,
 * SIAM J. Sci. Stat. Comput. 10, 1989).
 *
 * A matrix is padded to whole panels with zeros. A panel's first sixteen rows are `top` … top + 15, the
 * others follow from `rest` on, so that what lies between them, zeros of a triangle, takes no part. */
#ifndef H2_LARGE_PANEL_GPU_H
#define H2_LARGE_PANEL_GPU_H

#include "h2/orthog/reflect_gpu.h"

enum {
    H2_GPU_PANEL_OWN = H2_GPU_LARGE_ROWS / H2_GPU_PANEL, /* rows of a thread */
    H2_GPU_PANEL_WARPS = H2_GPU_LARGE_THREADS / 32,
    H2_GPU_PIECE = H2_GPU_PANEL * H2_GPU_PANEL_STRIDE /* numbers of sixteen rows */
};

/* In shared memory. H2_GPU_PANEL_BYTES has its size. */
typedef struct h2_gpu_panel {
    double t[H2_GPU_PIECE];
    double gram[H2_GPU_PANEL][H2_GPU_PANEL + 1]; /* VᵀV above the diagonal */
    double top[H2_GPU_PANEL][H2_GPU_PANEL + 1];  /* R */
    double tau[H2_GPU_PANEL];
    union {
        double vectors[2][H2_GPU_LARGE_ROWS];
        double products[H2_GPU_PANEL_WARPS][H2_GPU_PIECE];
    } own;
    double v[]; /* rows × 16, H2_GPU_PANEL_STRIDE apart */
} h2_gpu_panel;

typedef struct h2_gpu_rows {
    double *a;
    int stride, top, rest, count; /* count: of the panel, a multiple of sixteen */
} h2_gpu_rows;

/* The matrix's row that is row r of the panel. */
__device__ __forceinline__ double *h2_gpu_row(const h2_gpu_rows *rows, int r) {
    const int row = r < H2_GPU_PANEL ? rows->top + r : rows->rest + r - H2_GPU_PANEL;
    return rows->a + (long long)row * rows->stride;
}

/* Columns first … first + width - 1 to the panel's v; zeros behind them. */
__device__ void h2_gpu_load_panel(const h2_gpu_rows *rows, int first, int width, h2_gpu_panel *panel) {
    const int col = threadIdx.x % H2_GPU_PANEL;
    H2_UNROLL4
    for (int r = threadIdx.x / H2_GPU_PANEL; r < rows->count; r += H2_GPU_LARGE_THREADS / H2_GPU_PANEL)
        panel->v[r * H2_GPU_PANEL_STRIDE + col] = col < width ? h2_gpu_row(rows, r)[first + col] : 0;
}

/* Makes the reflection of column j, which a half warp has in `own`: the vector and tau to shared memory, the
 * column's part of R to panel->top. The vector takes the column's place. */
__device__ __forceinline__ void h2_gpu_make_vector(double *own, int j, int count, bool is_mine,
                                                   h2_gpu_panel *panel) {
    const int lane = threadIdx.x % H2_GPU_LANES;
    double one = 0, two = 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PANEL_OWN; i++) {
        const double below = i > 0 || lane > j ? own[i] : 0;
        if (i % 2 == 0)
            one += below * below;
        else
            two += below * below;
    }
    const double square = h2_gpu_add_lanes(one + two);
    const double alpha = __shfl_sync(0xffffffffu, own[0], threadIdx.x % 32 / H2_GPU_LANES * H2_GPU_LANES + j);
    if (!is_mine)
        return;
    /* as in h2_gpu_make_reflection */
    const double length = sqrt(alpha * alpha + square), beta = alpha > 0 ? -length : length;
    const double scale = square > 0 ? 1 / (alpha - beta) : 0;
    panel->top[lane][j] = lane > j ? 0 : lane < j ? own[0] : square > 0 ? beta : alpha;
    own[0] = lane > j ? own[0] * scale : lane == j ? 1 : 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PANEL_OWN; i++) {
        own[i] *= i > 0 ? scale : 1;
        if (i * H2_GPU_LANES < count)
            panel->own.vectors[j % 2][lane + H2_GPU_LANES * i] = own[i];
    }
    if (lane == 0)
        panel->tau[j] = square > 0 ? (beta - alpha) / beta : 0;
}

/* T of the reflections, upper triangular: H_0 … H_{15} = I - V T Vᵀ. A thread makes a row. */
__device__ __forceinline__ void h2_gpu_make_t(int width, h2_gpu_panel *panel) {
    const int row = threadIdx.x;
    double *t = panel->t + row * H2_GPU_PANEL_STRIDE;
    if (row >= H2_GPU_PANEL)
        return;
    for (int col = 0; col < H2_GPU_PANEL; col++) {
        double sum = 0;
        for (int p = row; p < col && col < width; p++)
            sum += t[p] * panel->gram[p][col];
        t[col] = col < row || col >= width ? 0 : col == row ? panel->tau[col] : -panel->tau[col] * sum;
    }
}

/* Factors the panel that was loaded, whose rows up to `count` are its own: V, T and R. Two vectors are
 * enough, since who makes the next but one has passed the barrier of the next. */
__device__ void h2_gpu_factor_panel(int width, int count, h2_gpu_panel *panel) {
    const int lane = threadIdx.x % H2_GPU_LANES, col = threadIdx.x / H2_GPU_LANES, warp = threadIdx.x / 32;
    double own[H2_GPU_PANEL_OWN];
    __syncthreads();
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PANEL_OWN; i++)
        own[i] =
            H2_GPU_LANES * i < count ? panel->v[(lane + H2_GPU_LANES * i) * H2_GPU_PANEL_STRIDE + col] : 0;
    for (int j = 0; j < width; j++) {
        const double *vector = panel->own.vectors[j % 2];
        double one = 0, two = 0;
        if (warp == j / 2)
            h2_gpu_make_vector(own, j, count, col == j, panel);
        __syncthreads();
        H2_UNROLL
        for (int i = 0; i < H2_GPU_PANEL_OWN; i += 2) {
            if (H2_GPU_LANES * i < count)
                one += own[i] * vector[lane + H2_GPU_LANES * i];
            if (H2_GPU_LANES * (i + 1) < count)
                two += own[i + 1] * vector[lane + H2_GPU_LANES * (i + 1)];
        }
        const double dot = h2_gpu_add_lanes(one + two), factor = col > j ? panel->tau[j] * dot : 0;
        if (col < j && lane == 0) /* both are vectors */
            panel->gram[col][j] = dot;
        if (2 * warp + 1 <= j) /* The warp's two columns are done. */
            continue;
        H2_UNROLL
        for (int i = 0; i < H2_GPU_PANEL_OWN; i++)
            if (H2_GPU_LANES * i < count)
                own[i] -= factor * vector[lane + H2_GPU_LANES * i];
    }
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PANEL_OWN; i++)
        if (H2_GPU_LANES * i < count)
            panel->v[(lane + H2_GPU_LANES * i) * H2_GPU_PANEL_STRIDE + col] = own[i];
    __syncthreads();
    h2_gpu_make_t(width, panel);
    __syncthreads();
}

/* x (16 × 16) = Vᵀ C for the warp's sixteen columns C. */
__device__ __forceinline__ void h2_gpu_project(const h2_gpu_rows *rows, int col, const double *v,
                                               double (*x)[4]) {
    const int group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    H2_UNROLL4
    for (int r = 0; r < rows->count; r += 8) {
        const double *own = v + (r + lane) * H2_GPU_PANEL_STRIDE + group;
        const double *from = h2_gpu_row(rows, r) + (long long)lane * rows->stride + col + group;
        const double a[4] = {own[0], own[8], own[4 * H2_GPU_PANEL_STRIDE], own[4 * H2_GPU_PANEL_STRIDE + 8]};
        H2_UNROLL
        for (int n = 0; n < 2; n++) {
            const double b[2] = {from[8 * n], from[4 * rows->stride + 8 * n]};
            h2_gpu_multiply(a, b, x[n]);
        }
    }
}

/* -T x, or -Tᵀ x, as right factors b of two products: columns 8n … of rows 8k …. */
__device__ __forceinline__ void h2_gpu_turn(const h2_gpu_panel *panel, bool is_transposed, double *buffer,
                                            double (*x)[4], double (*b)[2][2]) {
    const int group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    const int outer = is_transposed ? 1 : H2_GPU_PANEL_STRIDE,
              inner = is_transposed ? H2_GPU_PANEL_STRIDE : 1;
    for (int pass = 0; pass < 2; pass++) {
        H2_UNROLL
        for (int n = 0; n < 2; n++) {
            H2_UNROLL
            for (int i = 0; i < 4; i++) {
                buffer[(group + i / 2 * 8) * H2_GPU_PANEL_STRIDE + 8 * n + 2 * lane + i % 2] =
                    pass == 0 ? x[n][i] : -x[n][i];
                x[n][i] = 0;
            }
        }
        __syncwarp();
        H2_UNROLL
        for (int k = 0; k < 2; k++) {
            const double *t = panel->t + group * outer + (8 * k + lane) * inner;
            const double a[4] = {t[0], t[8 * outer], t[4 * inner], t[8 * outer + 4 * inner]};
            H2_UNROLL
            for (int n = 0; n < 2; n++) {
                const double *from = buffer + (8 * k + lane) * H2_GPU_PANEL_STRIDE + 8 * n + group;
                b[k][n][0] = from[0];
                b[k][n][1] = from[4 * H2_GPU_PANEL_STRIDE];
                if (pass == 0)
                    h2_gpu_multiply(a, b[k][n], x[n]);
            }
        }
        __syncwarp();
    }
}

/* C += V b for the warp's sixteen columns C. */
__device__ __forceinline__ void h2_gpu_expand(const h2_gpu_rows *rows, int col, const double *v,
                                              double (*b)[2][2]) {
    const int group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    H2_UNROLL4
    for (int r = 0; r < rows->count; r += H2_GPU_PANEL) {
        const double *own = v + (r + group) * H2_GPU_PANEL_STRIDE + lane;
        double *to = h2_gpu_row(rows, r) + (long long)group * rows->stride + col + 2 * lane;
        double x[2][4];
        H2_UNROLL
        for (int n = 0; n < 2; n++) {
            const double2 upper = *(const double2 *)(to + 8 * n),
                          lower = *(const double2 *)(to + 8 * rows->stride + 8 * n);
            x[n][0] = upper.x;
            x[n][1] = upper.y;
            x[n][2] = lower.x;
            x[n][3] = lower.y;
        }
        H2_UNROLL
        for (int k = 0; k < 2; k++) {
            const double a[4] = {own[8 * k], own[8 * H2_GPU_PANEL_STRIDE + 8 * k], own[8 * k + 4],
                                 own[8 * H2_GPU_PANEL_STRIDE + 8 * k + 4]};
            h2_gpu_multiply(a, b[k][0], x[0]);
            h2_gpu_multiply(a, b[k][1], x[1]);
        }
        H2_UNROLL
        for (int n = 0; n < 2; n++) {
            *(double2 *)(to + 8 * n) = make_double2(x[n][0], x[n][1]);
            *(double2 *)(to + 8 * rows->stride + 8 * n) = make_double2(x[n][2], x[n][3]);
        }
    }
}

/* C -= V T Vᵀ C, or with Tᵀ, for columns first … cols - 1; `first` is a multiple of sixteen. A warp takes
 * sixteen columns at a time. */
__device__ void h2_gpu_apply_panel(const h2_gpu_rows *rows, int first, int cols, bool is_transposed,
                                   h2_gpu_panel *panel) {
    const int warp = threadIdx.x / 32;
    for (int col = first + H2_GPU_PANEL * warp; col < cols; col += H2_GPU_PANEL * H2_GPU_PANEL_WARPS) {
        double x[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, b[2][2][2];
        h2_gpu_project(rows, col, panel->v, x);
        h2_gpu_turn(panel, is_transposed, panel->own.products[warp], x, b);
        h2_gpu_expand(rows, col, panel->v, b);
    }
    __syncthreads();
}

#endif
