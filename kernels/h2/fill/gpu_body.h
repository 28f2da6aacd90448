/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of gpu.h for one type; H2_REAL and H2_NAME(word) say which. */

SHIM_KERNEL __launch_bounds__(H2_GPU_FILL_THREADS) void H2_NAME(h2_gpu_fill_blocks)(
    const h2_gpu_how how, int is_dense, const h2_gpu_item *items, const h2_gpu_geometry geometry,
    H2_REAL *values) {
    __shared__ double row[H2_GPU_FILL_POINTS][H2_GPU_MOST_DIM], col[H2_GPU_FILL_POINTS][H2_GPU_MOST_DIM];
    const h2_gpu_item item = items[blockIdx.x];
    const int nrow = h2_gpu_count_points(&how, is_dense, &geometry, item.row);
    const int ncol = h2_gpu_count_points(&how, is_dense, &geometry, item.col);
    for (int i0 = 0; i0 < nrow; i0 += H2_GPU_FILL_POINTS)
        for (int j0 = 0; j0 < ncol; j0 += H2_GPU_FILL_POINTS) {
            const int rows = nrow - i0 < H2_GPU_FILL_POINTS ? nrow - i0 : H2_GPU_FILL_POINTS;
            const int cols = ncol - j0 < H2_GPU_FILL_POINTS ? ncol - j0 : H2_GPU_FILL_POINTS;
            __syncthreads();
            for (int i = threadIdx.x; i < rows + cols; i += H2_GPU_FILL_THREADS) {
                if (i < rows)
                    h2_gpu_find_point(&how, is_dense, &geometry, item.row, i0 + i, row[i]);
                else
                    h2_gpu_find_point(&how, is_dense, &geometry, item.col, j0 + i - rows, col[i - rows]);
            }
            __syncthreads();
            for (int at = threadIdx.x; at < rows * cols; at += H2_GPU_FILL_THREADS) {
                const int i = at / cols, j = at % cols;
                double value = h2_gpu_function(&how, row[i], col[j]);
                if (is_dense && item.row == item.col && i0 + i == j0 + j)
                    value += how.nugget;
                values[item.value + (long long)(i0 + i) * ncol + j0 + j] = (H2_REAL)value;
            }
        }
}

SHIM_KERNEL __launch_bounds__(H2_GPU_FILL_THREADS) void H2_NAME(h2_gpu_fill_bases)(
    const h2_gpu_how how, int is_transfer, const h2_gpu_item *items, const h2_gpu_geometry geometry,
    H2_REAL *values) {
    __shared__ double factor[H2_GPU_FILL_ROWS][H2_GPU_MOST_DIM * H2_GPU_MOST_ORDER];
    const h2_gpu_item item = items[blockIdx.x];
    const int nrow = h2_gpu_count_points(&how, !is_transfer, &geometry, item.row);
    const int dim = how.dim, order = how.order, many = dim * order;
    const double *low = geometry.box + 2LL * item.col * dim, *high = low + dim;
    for (int i0 = 0; i0 < nrow; i0 += H2_GPU_FILL_ROWS) {
        const int rows = nrow - i0 < H2_GPU_FILL_ROWS ? nrow - i0 : H2_GPU_FILL_ROWS;
        __syncthreads();
        for (int at = threadIdx.x; at < rows * many; at += H2_GPU_FILL_THREADS) {
            const int i = at / many, axis = at % many / order;
            double point[H2_GPU_MOST_DIM];
            h2_gpu_find_point(&how, !is_transfer, &geometry, item.row, i0 + i, point);
            factor[i][at % many] = h2_gpu_lagrange(
                &how, at % order, (2 * point[axis] - low[axis] - high[axis]) / (high[axis] - low[axis]));
        }
        __syncthreads();
        for (int at = threadIdx.x; at < rows * how.rank; at += H2_GPU_FILL_THREADS) {
            const int i = at / how.rank, s = at % how.rank;
            double value = factor[i][s % order];
            for (int axis = 1, rest = s / order; axis < dim; axis++, rest /= order)
                value *= factor[i][axis * order + rest % order];
            values[item.value + (long long)(i0 + i) * how.rank + s] = (H2_REAL)value;
        }
    }
}
