// The device kernels for double-double permanents: twofold_gpu_1 and twofold_gpu_2.
#include "shim.h"

#define GRAY_GPU_DEVICE
#include "perm/gray_gpu.h"
#include "perm/twofold_gpu.h"

#ifdef __CUDACC__
#define TWOFOLD_UNROLL _Pragma("unroll")
#define TWOFOLD_NO_UNROLL _Pragma("unroll 1")
#else
#define TWOFOLD_UNROLL
#define TWOFOLD_NO_UNROLL
#endif

enum { TWOFOLD_GPU_PRODUCTS = 1 << TWOFOLD_GPU_INNER };

typedef struct twofold {
    double high, low;
} twofold;

__device__ __forceinline__ twofold twofold_two_sum(double a, double b) {
    const double sum = __dadd_rn(a, b), rest = __dadd_rn(sum, -a);
    twofold result = {sum, __dadd_rn(__dadd_rn(a, -__dadd_rn(sum, -rest)), __dadd_rn(b, -rest))};
    return result;
}

// Where |a| >= |b|, or a is a multiple of b's last place.
__device__ __forceinline__ twofold twofold_fast_two_sum(double a, double b) {
    const double sum = __dadd_rn(a, b);
    twofold result = {sum, __dadd_rn(b, -__dadd_rn(sum, -a))};
    return result;
}

// The multiplication of twofold_body.h.
__device__ __forceinline__ twofold twofold_multiply(twofold a, twofold x, int has_low) {
    const double product = __dmul_rn(a.high, x.high);
    double error = __fma_rn(a.high, x.high, -product);
    if (has_low)
        error = __fma_rn(a.high, x.low, error);
    return twofold_fast_two_sum(product, __fma_rn(a.low, x.high, error));
}

// Neighbours first: the signed sum, and the sum of the sizes.
__device__ __forceinline__ twofold twofold_add_products(twofold *product, double *magnitude) {
    double size[TWOFOLD_GPU_PRODUCTS];
    TWOFOLD_UNROLL
    for (int k = 0; k < TWOFOLD_GPU_PRODUCTS; k++)
        size[k] = fabs(product[k].high);
    TWOFOLD_UNROLL
    for (int level = 1; level <= TWOFOLD_GPU_INNER; level++) {
        TWOFOLD_UNROLL
        for (int k = 0; k < TWOFOLD_GPU_PRODUCTS / 2; k++)
            if (k < TWOFOLD_GPU_PRODUCTS >> level) {
                const twofold a = product[2 * k], b = product[2 * k + 1];
                twofold sum = twofold_two_sum(a.high, -b.high);
                sum.low = __dadd_rn(sum.low, __dadd_rn(a.low, -b.low));
                product[k] = sum;
                size[k] = size[2 * k] + size[2 * k + 1];
            }
    }
    *magnitude += size[0];
    return product[0];
}

// Three parts gain three parts.
__device__ __forceinline__ void twofold_add(twofold_gpu_sums *sum, double high, double middle, double low) {
    const twofold first = twofold_two_sum(sum->high, high), second = twofold_two_sum(sum->middle, middle),
                  carry = twofold_two_sum(second.high, first.low);
    sum->high = first.high;
    sum->middle = carry.high;
    sum->low = __dadd_rn(sum->low, __dadd_rn(low, __dadd_rn(second.low, carry.low)));
}

// Adds up the threads' sums, with their signs, in a tree. Overwrites the shared memory.
__device__ void twofold_add_threads(double sign, twofold_gpu_sums sum, double *shared,
                                    twofold_gpu_sums *total) {
    double *mine = shared + threadIdx.x;
    __syncthreads();
    sum.high *= sign;
    sum.middle *= sign;
    sum.low *= sign;
    for (int half = GRAY_GPU_THREADS / 2; half > 0; half /= 2) {
        mine[0] = sum.high;
        mine[GRAY_GPU_THREADS] = sum.middle;
        mine[2 * GRAY_GPU_THREADS] = sum.low;
        mine[3 * GRAY_GPU_THREADS] = sum.magnitude;
        __syncthreads();
        if ((int)threadIdx.x < half) {
            twofold_add(&sum, mine[half], mine[GRAY_GPU_THREADS + half], mine[2 * GRAY_GPU_THREADS + half]);
            sum.magnitude += mine[3 * GRAY_GPU_THREADS + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = sum;
}

// Block b of the grid adds up threads (first + b) 128 … of `threads`. Columns: [part][row] each.
__device__ __forceinline__ void twofold_run(int n, int has_low, int log2_steps, long long threads,
                                            long long first, const double *columns, double *shared,
                                            twofold_gpu_sums *sums) {
    const long long thread = (first + blockIdx.x) * GRAY_GPU_THREADS + threadIdx.x;
    const int lines = has_low ? 2 * n : n, fixed = TWOFOLD_GPU_INNER + log2_steps;
    const double *steps = shared + lines * GRAY_GPU_THREADS;
    twofold_gpu_sums sum = {0, 0, 0, 0};
    gray_gpu_fill(n, lines, lines, fixed, thread, columns, shared);
    for (int step = 0; step < 1 << log2_steps; step++) {
        const int bit = gray_gpu_bit(step);
        const double factor = gray_gpu_factor(step, bit);
        twofold product[TWOFOLD_GPU_PRODUCTS];
        TWOFOLD_UNROLL
        for (int k = 0; k < TWOFOLD_GPU_PRODUCTS; k++) {
            product[k].high = 1;
            product[k].low = 0;
        }
        TWOFOLD_NO_UNROLL
        for (int row = 0; row < n; row++) {
            double part[2][TWOFOLD_GPU_PRODUCTS];
            const double *change = steps + row * fixed;
            double *x = shared + row * GRAY_GPU_THREADS + threadIdx.x;
            for (int p = 0; p <= has_low; p++, change += n * fixed, x += n * GRAY_GPU_THREADS) {
                part[p][0] = __fma_rn(factor, change[TWOFOLD_GPU_INNER + bit], *x);
                *x = part[p][0];
                TWOFOLD_UNROLL
                for (int k = 1; k < TWOFOLD_GPU_PRODUCTS; k++)
                    part[p][k] = part[p][k & (k - 1)] + change[__ffs(k) - 1];
            }
            TWOFOLD_UNROLL
            for (int k = 0; k < TWOFOLD_GPU_PRODUCTS; k++) {
                twofold value = {part[0][k], 0};
                if (has_low)
                    value = twofold_fast_two_sum(part[0][k], part[1][k]);
                product[k] = twofold_multiply(product[k], value, has_low);
            }
        }
        const double sign = step & 1 ? -1 : 1;
        const twofold all = twofold_add_products(product, &sum.magnitude);
        twofold_add(&sum, sign * all.high, sign * all.low, 0);
    }
    if (thread >= threads)
        sum.high = sum.middle = sum.low = sum.magnitude = 0;
    twofold_add_threads(thread & 1 ? -1 : 1, sum, shared, &sums[blockIdx.x]);
}

SHIM_KERNEL void __launch_bounds__(GRAY_GPU_THREADS, 4)
    twofold_gpu_1(int n, int log2_steps, long long threads, long long first, const double *columns,
                  twofold_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double, shared);
    twofold_run(n, 0, log2_steps, threads, first, columns, shared, sums);
}

SHIM_KERNEL void __launch_bounds__(GRAY_GPU_THREADS, 3)
    twofold_gpu_2(int n, int log2_steps, long long threads, long long first, const double *columns,
                  twofold_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double, shared);
    twofold_run(n, 1, log2_steps, threads, first, columns, shared, sums);
}
