/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels for exact permanents: exact_gpu_1 to exact_gpu_4, sieve_gpu_1 to sieve_gpu_4.
#include "shim.h"

#define GRAY_GPU_DEVICE
#include "perm/common/gray_gpu.h"
#include "perm/exact/gpu.h"
#include "perm/exact/sieve_gpu.h"

#ifdef __CUDACC__
#define EXACT_UNROLL _Pragma("unroll")
#define EXACT_NO_UNROLL _Pragma("unroll 1")
#else
#define EXACT_UNROLL
#define EXACT_NO_UNROLL
#endif

enum { EXACT_GPU_PRODUCTS = 1 << EXACT_GPU_INNER };

// Moves a row sum on and multiplies it into the products, or starts them with it.
__device__ __forceinline__ void exact_gpu_multiply_row(int start, double factor, int bit, const double *step,
                                                       double *x, double *product) {
    double sum[EXACT_GPU_PRODUCTS];
    sum[0] = __fma_rn(factor, step[EXACT_GPU_INNER + bit], *x);
    *x = sum[0];
    EXACT_UNROLL
    for (int k = 0; k < EXACT_GPU_PRODUCTS; k++) {
        if (k > 0)
            sum[k] = sum[k & (k - 1)] + step[__ffs(k) - 1];
        product[k] = start ? sum[k] : product[k] * sum[k];
    }
}

// common/residue_body.h: adding and taking away 1.5 2^52 rounds to the next integer.
__device__ __forceinline__ double exact_gpu_quotient(double value, double inverse) {
    return __dadd_rn(__fma_rn(value, inverse, 0x1.8p52), -0x1.8p52);
}

__device__ __forceinline__ double exact_gpu_multiply(double a, double b, double prime, double inverse) {
    const double product = __dmul_rn(a, b), error = __fma_rn(a, b, -product);
    return __dadd_rn(__fma_rn(-exact_gpu_quotient(product, inverse), prime, product), error);
}

__device__ __forceinline__ double exact_gpu_reduce(double value, double prime, double inverse) {
    return __fma_rn(-exact_gpu_quotient(value, inverse), prime, value);
}

// Adds up the threads' values. Overwrites the shared memory.
__device__ void exact_gpu_add_threads(long long value, long long prime, long long *shared, long long *sum) {
    __syncthreads();
    shared[threadIdx.x] = value;
    for (int half = GRAY_GPU_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *sum = shared[0] % prime;
}

#define EXACT_NAME(word) word##_1
#define EXACT_PRIMES 1
#define EXACT_RESIDENT 4
#include "perm/exact/gpu_body.h"
#include "perm/exact/sieve_gpu_body.h"
#undef EXACT_NAME
#undef EXACT_PRIMES

#define EXACT_NAME(word) word##_2
#define EXACT_PRIMES 2
#include "perm/exact/gpu_body.h"
#include "perm/exact/sieve_gpu_body.h"
#undef EXACT_NAME
#undef EXACT_PRIMES

#define EXACT_NAME(word) word##_3
#define EXACT_PRIMES 3
#include "perm/exact/gpu_body.h"
#include "perm/exact/sieve_gpu_body.h"
#undef EXACT_NAME
#undef EXACT_PRIMES

#define EXACT_NAME(word) word##_4
#define EXACT_PRIMES 4
#include "perm/exact/gpu_body.h"
#include "perm/exact/sieve_gpu_body.h"
