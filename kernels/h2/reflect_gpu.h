/* Householder reflections of up to 128 × 64 numbers in the registers of 256 threads: four threads have a
 * column, each two rows of every eight. Vectors lie in shared memory, 128 numbers each, zeros before their 1.
 */
#ifndef H2_REFLECT_GPU_H
#define H2_REFLECT_GPU_H

enum { H2_GPU_OWN = H2_GPU_QR_ROWS / 4, H2_GPU_PAIRS = H2_GPU_OWN / 2 }; /* numbers, and pairs, of a thread */

/* The row of a thread's number i. */
#define H2_GPU_OWN_ROW(i) (8 * ((i) / 2) + 2 * (int)(threadIdx.x % 4) + (i) % 2)
#define H2_GPU_OWN_COL ((int)threadIdx.x / 4)

__device__ __forceinline__ double h2_gpu_add_four(double x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/* The vector that takes column `col` of its threads (a warp calls this) to a multiple of unit vector j goes
 * to vector and *tau; the column becomes the result. */
__device__ __forceinline__ void h2_gpu_make_reflection(double *a, int j, bool is_mine, double *vector,
                                                       double *tau) {
    double square = 0, alpha = 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        const int row = H2_GPU_OWN_ROW(i);
        square += row > j ? a[i] * a[i] : 0;
        alpha += row == j ? a[i] : 0;
    }
    square = h2_gpu_add_four(square);
    alpha = h2_gpu_add_four(alpha);
    if (!is_mine)
        return;
    const double length = sqrt(alpha * alpha + square),
                 beta = square > 0 ? (alpha > 0 ? -length : length) : alpha;
    const double scale = square > 0 ? 1 / (alpha - beta) : 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_OWN; i++) {
        const int row = H2_GPU_OWN_ROW(i);
        vector[row] = row > j ? a[i] * scale : row == j ? 1 : 0;
        a[i] = row > j ? 0 : row == j ? beta : a[i];
    }
    if (threadIdx.x % 4 == 0)
        *tau = square > 0 ? (beta - alpha) / beta : 0;
}

/* Reflects the thread's column, whose rows from 8·first on can change, by vector j. */
__device__ __forceinline__ void h2_gpu_reflect(double *a, int first, const double *vector, double tau) {
    const double2 *v = (const double2 *)vector + threadIdx.x % 4;
    double one = 0, two = 0;
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PAIRS; i++) {
        if (i < first)
            continue;
        const double2 pair = v[4 * i];
        one += pair.x * a[2 * i];
        two += pair.y * a[2 * i + 1];
    }
    const double times = tau * h2_gpu_add_four(one + two);
    H2_FORGET; /* reads the vector again rather than to hold it in registers */
    H2_UNROLL
    for (int i = 0; i < H2_GPU_PAIRS; i++) {
        if (i < first)
            continue;
        const double2 pair = v[4 * i];
        a[2 * i] -= times * pair.x;
        a[2 * i + 1] -= times * pair.y;
    }
}

/* Columns 0 … cols-1 become upper triangular. */
__device__ __forceinline__ void h2_gpu_triangularize(double *a, int cols, double *vectors, double *tau) {
    const int col = H2_GPU_OWN_COL;
    for (int j = 0; j < cols; j++) {
        if ((int)threadIdx.x / 32 == j / 8)
            h2_gpu_make_reflection(a, j, col == j, vectors + j * H2_GPU_QR_ROWS, tau + j);
        __syncthreads();
        if ((int)threadIdx.x / 32 * 8 + 7 > j) /* shuffles take whole warps */
            h2_gpu_reflect(a, j / 8, vectors + j * H2_GPU_QR_ROWS, col > j ? tau[j] : 0);
    }
}

/* [R; rows] with R, upper triangular, in rows 0 to 63 and `count` others from row 64 on becomes [R'; 0]. Two
 * vectors are enough: who makes the next but one has passed the barrier of the next. */
__device__ __forceinline__ void h2_gpu_absorb(double *a, int cols, int count,
                                              double (*vectors)[H2_GPU_QR_ROWS], double *tau) {
    const int warp = threadIdx.x / 32, groups = H2_GPU_PAIRS / 2 + (count + 7) / 8;
    for (int j = 0; j < cols; j++) {
        double *vector = vectors[j % 2];
        if (warp == j / 8)
            h2_gpu_make_reflection(a, j, H2_GPU_OWN_COL == j, vector, tau + j % 2);
        __syncthreads();
        if (warp * 8 + 7 <= j || warp * 8 >= cols)
            continue;
        const double2 *v = (const double2 *)vector + threadIdx.x % 4;
        double one = 0, two = 0;
        H2_UNROLL
        for (int i = 0; i < H2_GPU_PAIRS; i++) {
            if ((i < H2_GPU_PAIRS / 2 && i != j / 8) || i >= groups)
                continue;
            const double2 pair = v[4 * i];
            one += pair.x * a[2 * i];
            two += pair.y * a[2 * i + 1];
        }
        const double times = (H2_GPU_OWN_COL > j ? tau[j % 2] : 0) * h2_gpu_add_four(one + two);
        H2_FORGET;
        H2_UNROLL
        for (int i = 0; i < H2_GPU_PAIRS; i++) {
            if ((i < H2_GPU_PAIRS / 2 && i != j / 8) || i >= groups)
                continue;
            const double2 pair = v[4 * i];
            a[2 * i] -= times * pair.x;
            a[2 * i + 1] -= times * pair.y;
        }
    }
    __syncthreads();
}

#endif
