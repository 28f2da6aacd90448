/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels for double-double permanents (gpu.h).
#include "shim.h"

#define GRAY_GPU_DEVICE
#include "perm/common/gray_gpu.h"
#include "perm/doubledouble/gpu.h"

#ifdef __CUDACC__
#define DD_UNROLL _Pragma("unroll")
#define DD_NO_UNROLL _Pragma("unroll 1")
#else
#define DD_UNROLL
#define DD_NO_UNROLL
#endif

enum { DD_GPU_PRODUCTS = 1 << DD_GPU_INNER };

typedef struct dd {
    double high, low;
} dd;

__device__ __forceinline__ dd dd_two_sum(double a, double b) {
    const double sum = __dadd_rn(a, b), rest = __dadd_rn(sum, -a);
    dd result = {sum, __dadd_rn(__dadd_rn(a, -__dadd_rn(sum, -rest)), __dadd_rn(b, -rest))};
    return result;
}

// Where |a| >= |b|, or a is a multiple of b's last place.
__device__ __forceinline__ dd dd_fast_two_sum(double a, double b) {
    const double sum = __dadd_rn(a, b);
    dd result = {sum, __dadd_rn(b, -__dadd_rn(sum, -a))};
    return result;
}

// The multiplication of body.h.
__device__ __forceinline__ dd dd_multiply(dd a, dd x, int has_low) {
    const double product = __dmul_rn(a.high, x.high);
    double error = __fma_rn(a.high, x.high, -product);
    if (has_low)
        error = __fma_rn(a.high, x.low, error);
    return dd_fast_two_sum(product, __fma_rn(a.low, x.high, error));
}

// The a x + b y of ref.c.
__device__ __forceinline__ dd dd_multiply_twice(dd a, dd x, dd b, dd y, int has_low) {
    const double first = __dmul_rn(a.high, x.high), second = __dmul_rn(b.high, y.high);
    const dd sum = dd_two_sum(first, second);
    double error = __dadd_rn(__fma_rn(a.high, x.high, -first), __fma_rn(b.high, y.high, -second));
    error = __fma_rn(a.low, x.high, __fma_rn(b.low, y.high, error));
    if (has_low)
        error = __fma_rn(a.high, x.low, __fma_rn(b.high, y.low, error));
    return dd_fast_two_sum(sum.high, __dadd_rn(sum.low, error));
}

// A product times a row sum; complex ones have two parts.
__device__ __forceinline__ void dd_multiply_number(int is_complex, dd *product, const dd *x, int has_low) {
    if (!is_complex) {
        product[0] = dd_multiply(product[0], x[0], has_low);
        return;
    }
    const dd re = product[0], im = product[1], minus = {-im.high, -im.low};
    product[0] = dd_multiply_twice(re, x[0], minus, x[1], has_low);
    product[1] = dd_multiply_twice(re, x[1], im, x[0], has_low);
}

// Neighbours first: the signed sum, and the sum of the sizes.
__device__ __forceinline__ dd dd_add_products(dd (*product)[2], int part, double *magnitude) {
    double size[DD_GPU_PRODUCTS];
    DD_UNROLL
    for (int k = 0; k < DD_GPU_PRODUCTS; k++)
        size[k] = fabs(product[k][part].high);
    DD_UNROLL
    for (int level = 1; level <= DD_GPU_INNER; level++) {
        DD_UNROLL
        for (int k = 0; k < DD_GPU_PRODUCTS / 2; k++)
            if (k < DD_GPU_PRODUCTS >> level) {
                const dd a = product[2 * k][part], b = product[2 * k + 1][part];
                dd sum = dd_two_sum(a.high, -b.high);
                sum.low = __dadd_rn(sum.low, __dadd_rn(a.low, -b.low));
                product[k][part] = sum;
                size[k] = size[2 * k] + size[2 * k + 1];
            }
    }
    *magnitude += size[0];
    return product[0][part];
}

// Adds a number of three parts to a sum of three parts.
__device__ __forceinline__ void dd_add(dd_gpu_sums *sum, int part, double high, double middle, double low) {
    const dd first = dd_two_sum(sum->high[part], high), second = dd_two_sum(sum->middle[part], middle),
             carry = dd_two_sum(second.high, first.low);
    sum->high[part] = first.high;
    sum->middle[part] = carry.high;
    sum->low[part] = __dadd_rn(sum->low[part], __dadd_rn(low, __dadd_rn(second.low, carry.low)));
}

// Adds up the threads' sums, with their signs, in a tree. Overwrites the shared memory.
__device__ __forceinline__ void dd_add_threads(int is_complex, double sign, dd_gpu_sums sum, double *shared,
                                               dd_gpu_sums *total) {
    const int parts = 1 + is_complex;
    double *mine = shared + threadIdx.x;
    __syncthreads();
    for (int part = 0; part < parts; part++) {
        sum.high[part] *= sign;
        sum.middle[part] *= sign;
        sum.low[part] *= sign;
    }
    for (int half = GRAY_GPU_THREADS / 2; half > 0; half /= 2) {
        for (int part = 0; part < parts; part++) {
            mine[3 * part * GRAY_GPU_THREADS] = sum.high[part];
            mine[(3 * part + 1) * GRAY_GPU_THREADS] = sum.middle[part];
            mine[(3 * part + 2) * GRAY_GPU_THREADS] = sum.low[part];
        }
        mine[3 * parts * GRAY_GPU_THREADS] = sum.magnitude;
        __syncthreads();
        if ((int)threadIdx.x < half) {
            const double *other = mine + half;
            for (int part = 0; part < parts; part++)
                dd_add(&sum, part, other[3 * part * GRAY_GPU_THREADS],
                       other[(3 * part + 1) * GRAY_GPU_THREADS], other[(3 * part + 2) * GRAY_GPU_THREADS]);
            sum.magnitude += other[3 * parts * GRAY_GPU_THREADS];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = sum;
}

// The row's sums of all products of a thread; x and change are those of its high part, n numbers before the
// low part's. Its x gains the step's column.
__device__ __forceinline__ void dd_fill_row(int n, int has_low, int fixed, int bit, double factor, double *x,
                                            const double *change, int part, dd (*sum)[2]) {
    double value[2][DD_GPU_PRODUCTS];
    for (int p = 0; p <= has_low; p++, change += n * fixed, x += n * GRAY_GPU_THREADS) {
        value[p][0] = __fma_rn(factor, change[DD_GPU_INNER + bit], *x);
        *x = value[p][0];
        DD_UNROLL
        for (int k = 1; k < DD_GPU_PRODUCTS; k++)
            value[p][k] = value[p][k & (k - 1)] + change[__ffs(k) - 1];
    }
    DD_UNROLL
    for (int k = 0; k < DD_GPU_PRODUCTS; k++) {
        sum[k][part].high = value[0][k];
        sum[k][part].low = 0;
        if (has_low)
            sum[k][part] = dd_fast_two_sum(value[0][k], value[1][k]);
    }
}

// Block b of the grid adds up threads (first + b) 128 … of `threads`. Columns: [part][row] each.
__device__ __forceinline__ void dd_run(int n, int is_complex, int has_low, int log2_steps, long long threads,
                                       long long first, const double *columns, double *shared,
                                       dd_gpu_sums *sums) {
    const long long thread = (first + blockIdx.x) * GRAY_GPU_THREADS + threadIdx.x;
    const int per_part = has_low ? 2 * n : n, numbers = is_complex ? 2 * per_part : per_part,
              fixed = DD_GPU_INNER + log2_steps;
    const double *steps = shared + numbers * GRAY_GPU_THREADS;
    dd_gpu_sums sum = {{0, 0}, {0, 0}, {0, 0}, 0};
    gray_gpu_fill(n, numbers, numbers, fixed, thread, columns, shared);
    for (int step = 0; step < 1 << log2_steps; step++) {
        const int bit = gray_gpu_bit(step);
        const double factor = gray_gpu_factor(step, bit);
        dd product[DD_GPU_PRODUCTS][2];
        DD_UNROLL
        for (int k = 0; k < DD_GPU_PRODUCTS; k++) {
            product[k][0].high = 1;
            product[k][0].low = product[k][1].high = product[k][1].low = 0;
        }
        DD_NO_UNROLL
        for (int row = 0; row < n; row++) {
            dd x[DD_GPU_PRODUCTS][2];
            DD_UNROLL
            for (int part = 0; part <= is_complex; part++) {
                const int number = part * per_part + row;
                dd_fill_row(n, has_low, fixed, bit, factor, shared + number * GRAY_GPU_THREADS + threadIdx.x,
                            steps + number * fixed, part, x);
            }
            DD_UNROLL
            for (int k = 0; k < DD_GPU_PRODUCTS; k++)
                dd_multiply_number(is_complex, product[k], x[k], has_low);
        }
        const double sign = step & 1 ? -1 : 1;
        DD_UNROLL
        for (int part = 0; part <= is_complex; part++) {
            const dd all = dd_add_products(product, part, &sum.magnitude);
            dd_add(&sum, part, sign * all.high, sign * all.low, 0);
        }
    }
    if (thread >= threads) {
        const dd_gpu_sums none = {{0, 0}, {0, 0}, {0, 0}, 0};
        sum = none;
    }
    dd_add_threads(is_complex, thread & 1 ? -1 : 1, sum, shared, &sums[blockIdx.x]);
}

#define DD_KERNEL(name, is_complex, has_low, resident)                                                       \
    SHIM_KERNEL void __launch_bounds__(GRAY_GPU_THREADS, resident)                                           \
        name(int n, int log2_steps, long long threads, long long first, const double *columns,               \
             dd_gpu_sums *sums) {                                                                            \
        SHIM_DYNAMIC_SHARED(double, shared);                                                                 \
        dd_run(n, is_complex, has_low, log2_steps, threads, first, columns, shared, sums);                   \
    }
DD_GPU_KERNELS(DD_KERNEL)
