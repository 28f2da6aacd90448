/* SPDX-License-Identifier: BSD-3-Clause */
/* What device kernels of H2 matrices have in common: copies to shared memory in the background, products of
 * pieces by tensor cores. On the CPU, plain loops. */
#ifndef H2_COMMON_TENSOR_GPU_H
#define H2_COMMON_TENSOR_GPU_H

#include "shim.h"

enum {
    H2_GPU_EDGE = 64,            /* of a piece */
    H2_GPU_ROW = 68,             /* numbers of its row in shared memory: no two of a fragment in one bank */
    H2_GPU_TENSOR_THREADS = 128, /* four warps, with 16 rows each */
    H2_GPU_SLOTS = 256           /* threads of a grid block that multiplies, at most */
};

#ifdef __CUDACC__
#define H2_UNROLL _Pragma("unroll")
#define H2_UNROLL4 _Pragma("unroll 4")
#else
#define H2_UNROLL
#define H2_UNROLL4
#define rsqrt(x) (1 / sqrt(x))
#endif

#ifdef __CUDACC__
__device__ __forceinline__ void h2_gpu_copy_async(void *to, const void *from, const int bytes,
                                                  bool is_there) {
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    const int size = is_there ? bytes : 0;
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size));
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(size));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(size));
}

__device__ __forceinline__ void h2_gpu_copy_commit(void) {
    asm volatile("cp.async.commit_group;");
}

// All but the last copies have arrived, or all.
__device__ __forceinline__ void h2_gpu_copy_wait(bool all) {
    if (all)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    else
        asm volatile("cp.async.wait_group 1;" ::: "memory");
}

// c (16 × 8) += a (16 × 8) b (8 × 8): lane l has rows l/4 and l/4 + 8 of a, columns l%4 and l%4 + 4 of them.
__device__ __forceinline__ void h2_gpu_multiply(const double *a, const double *b, double *c) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                         : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                         : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}
#else
__device__ void h2_gpu_copy_async(void *to, const void *from, const int bytes, bool is_there) {
    if (is_there)
        memcpy(to, from, (size_t)bytes);
    else
        memset(to, 0, (size_t)bytes);
}

__device__ void h2_gpu_copy_commit(void) {}

__device__ void h2_gpu_copy_wait(bool all) {
    (void)all;
}

__device__ void h2_gpu_multiply(const double *a, const double *b, double *c) {
    static __thread double left[H2_GPU_SLOTS][4], right[H2_GPU_SLOTS][2];
    const int thread = (int)threadIdx.x, warp = thread / 32 * 32, group = thread % 32 / 4, place = thread % 4;
    memcpy(left[thread], a, sizeof left[thread]);
    memcpy(right[thread], b, sizeof right[thread]);
    __syncwarp();
    for (int p = 0; p < 8; p++)
        for (int part = 0; part < 4; part++)
            c[part] += left[warp + group * 4 + p % 4][p / 4 * 2 + part / 2] *
                       right[warp + (2 * place + part % 2) * 4 + p % 4][p / 4];
    __syncwarp();
}
#endif

#endif
