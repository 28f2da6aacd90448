// The device kernels of products with H2 matrices: product_gpu.h.
#include "shim.h"

#include "h2/product_gpu.h"

#ifdef __CUDACC__
#define H2_UNROLL _Pragma("unroll")
#define H2_UNROLL4 _Pragma("unroll 4")
#else
#define H2_UNROLL
#define H2_UNROLL4
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
    static __thread double left[H2_GPU_MANY_THREADS][4], right[H2_GPU_MANY_THREADS][2];
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

#define H2_REAL double
#define H2_NAME(word) word##_fp64
#include "h2/product_gpu_body.h"
#undef H2_REAL
#undef H2_NAME

#define H2_REAL float
#define H2_NAME(word) word##_fp32
#include "h2/product_gpu_body.h"
#undef H2_REAL
#undef H2_NAME

SHIM_KERNEL void h2_gpu_sum_slots(const h2_gpu_sum *sums, const double *slots, double *y, int vectors,
                                  int flags) {
    const h2_gpu_sum sum = sums[blockIdx.x];
    const int count = sum.numbers * vectors;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const double *from = slots + sum.slot * vectors + i;
        double *to = y + (long long)sum.place * vectors + i, total = 0;
        H2_UNROLL4
        for (int k = 0; k < sum.count; k++)
            total += from[(long long)k * count];
        *to = (flags & H2_GPU_ADD) != 0 ? total + *to : total;
    }
}

// x of the tree's order, `width` vectors side by side, those beyond `vectors` zero.
SHIM_KERNEL void h2_gpu_load(const long long *permutation, long long n, const double *from, int vectors,
                             int width, double *x) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x, point = at / width;
    const int vector = (int)(at % width);
    if (point < n)
        x[at] = vector < vectors ? from[vector * n + permutation[point]] : 0;
}

SHIM_KERNEL void h2_gpu_store(const long long *permutation, long long n, const double *y, int vectors,
                              int width, double alpha, double beta, double *to) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x, point = at / width;
    const int vector = (int)(at % width);
    if (point >= n || vector >= vectors)
        return;
    double *place = to + vector * n + permutation[point];
    *place = beta == 0 ? alpha * y[at] : alpha * y[at] + beta * *place;
}
