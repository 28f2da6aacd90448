// The device kernel for dense real permanents on FP64 tensor cores (tensor_gpu.h).
#include "shim.h"

#include "perm/dense_gpu.h"
#include "perm/tensor_gpu.h"

#ifdef __CUDACC__
#define TENSOR_UNROLL _Pragma("unroll")
#define TENSOR_NO_UNROLL _Pragma("unroll 1")
#else
#define TENSOR_UNROLL
#define TENSOR_NO_UNROLL
#endif

// A thread's products; and per fragment the high words of the least of two rows.
typedef struct tensor_products {
    double value[TENSOR_GPU_TALL][TENSOR_GPU_WIDE][4];
    int least[TENSOR_GPU_TALL][TENSOR_GPU_WIDE];
} tensor_products;

#ifndef __CUDACC__
typedef struct tensor_offer {
    double a[2], b;
} tensor_offer;
__device__ __thread tensor_offer tensor_offers[TENSOR_GPU_WARPS][32];
#endif

// The fragments' product. Thread (g, t) of eight fours has (g, t) and (g + 8, t) of A in a, (t, g) of B in b,
// and gets (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1).
__device__ __forceinline__ void tensor_multiply(double2 a, double b, double *result) {
#if defined __CUDACC__ && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
        : "=d"(result[0]), "=d"(result[1]), "=d"(result[2]), "=d"(result[3])
        : "d"(a.x), "d"(a.y), "d"(b), "d"(0.0));
#elif defined __CUDACC__
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=d"(result[0]), "=d"(result[1])
        : "d"(a.x), "d"(b), "d"(0.0));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=d"(result[2]), "=d"(result[3])
        : "d"(a.y), "d"(b), "d"(0.0));
#else
    tensor_offer *offers = tensor_offers[threadIdx.x / 32];
    const int lane = (int)threadIdx.x % 32;
    offers[lane].a[0] = a.x;
    offers[lane].a[1] = a.y;
    offers[lane].b = b;
    __syncwarp();
    for (int k = 0; k < 4; k++) {
        result[k] = 0;
        for (int t = 0; t < 4; t++)
            result[k] =
                fma(offers[lane / 4 * 4 + t].a[k / 2], offers[(lane % 4 * 2 + k % 2) * 4 + t].b, result[k]);
    }
    __syncwarp();
#endif
}

// The signed sum of the columns from `first` on in row `line`, plus where `set` has a bit; columns have
// `lines` numbers, twice their entries.
__device__ __forceinline__ double tensor_sum(const double *columns, int lines, int line, int first, int count,
                                             unsigned set) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
        const double half = 0.5 * columns[(1 + first + k) * lines + line];
        sum += set >> k & 1 ? half : -half;
    }
    return sum;
}

// Line t of a 4 x 8 fragment.
__device__ __forceinline__ double tensor_low(int t, double first, double second) {
    return t == 0 ? second : t == 1 ? first : t == 2 ? 1 : first * second;
}

// The fragments of low sets: [pair][warp][lane][fragment].
__device__ __forceinline__ void tensor_fill_low(int pairs, int warps, int log2_low, const double *columns,
                                                double *low) {
    const int each = 32 * TENSOR_GPU_WIDE;
    for (int at = threadIdx.x; at < pairs * warps * each; at += 32 * warps) {
        const int fragment = at % TENSOR_GPU_WIDE, lane = at / TENSOR_GPU_WIDE % 32, warp = at / each % warps,
                  pair = at / each / warps;
        const unsigned set = (unsigned)((warp * TENSOR_GPU_WIDE + fragment) * 8 + lane / 4);
        low[at] = tensor_low(lane % 4, tensor_sum(columns, 2 * pairs, 2 * pair, 0, log2_low, set),
                             tensor_sum(columns, 2 * pairs, 2 * pair + 1, 0, log2_low, set));
    }
}

// The fragments of high sets with the signs of a step: [pair][fragment][lane]. `base` has what all sets
// share.
__device__ __forceinline__ void tensor_fill_high(int pairs, int warps, int log2_low, const double *columns,
                                                 const double *base, double2 *high) {
    const int sets = 16 * TENSOR_GPU_TALL;
    for (int at = threadIdx.x; at < pairs * sets; at += 32 * warps) {
        const int set = at % sets, pair = at / sets, row = set % 16;
        const double first = base[2 * pair] + tensor_sum(columns, 2 * pairs, 2 * pair, log2_low,
                                                         TENSOR_GPU_HIGH, (unsigned)set),
                     second = base[2 * pair + 1] + tensor_sum(columns, 2 * pairs, 2 * pair + 1, log2_low,
                                                              TENSOR_GPU_HIGH, (unsigned)set);
        double *to = (double *)(high + (pair * TENSOR_GPU_TALL + set / 16) * 32 + row % 8 * 4) + row / 8;
        to[0] = first;
        to[2] = second;
        to[4] = first * second;
        to[6] = 1;
    }
}

__device__ __forceinline__ int tensor_size(double value) {
    return (int)(__double_as_longlong(value) >> 32) & 0x7fffffff;
}

// Multiplies a pair of rows into the products, or starts them with it.
__device__ __forceinline__ void tensor_multiply_pair(int start, const double2 *high, const double *low,
                                                     tensor_products *products) {
    double2 a[TENSOR_GPU_TALL];
    double b[TENSOR_GPU_WIDE];
    TENSOR_UNROLL
    for (int i = 0; i < TENSOR_GPU_TALL; i++)
        a[i] = high[i * 32];
    TENSOR_UNROLL
    for (int j = 0; j < TENSOR_GPU_WIDE; j++)
        b[j] = low[j];
    TENSOR_UNROLL
    for (int i = 0; i < TENSOR_GPU_TALL; i++) {
        TENSOR_UNROLL
        for (int j = 0; j < TENSOR_GPU_WIDE; j++) {
            double both[4];
            tensor_multiply(a[i], b[j], both);
            TENSOR_UNROLL
            for (int k = 0; k < 4; k++) {
                const int size = tensor_size(both[k]);
                int *least = &products->least[i][j];
                double *value = &products->value[i][j][k];
                *least = (start && k == 0) || size < *least ? size : *least;
                *value = start ? both[k] : *value * both[k];
            }
        }
    }
}

// The magnitude of the four products of fragment (i, j), one by one.
__device__ __noinline__ double tensor_bound_small(int pairs, int warps, int i, int j, const double2 *high,
                                                  const double *low) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double bound = 1, least = 1;
        for (int pair = 0; pair < pairs; pair++) {
            const double2 *a = high + (pair * TENSOR_GPU_TALL + i) * 32 + lane / 4 * 4;
            const double *b =
                low + ((pair * warps + warp) * 32 + (lane % 4 * 2 + k % 2) * 4) * TENSOR_GPU_WIDE + j;
            double both = 0;
            for (int t = 0; t < 4; t++)
                both = __fma_rn(k / 2 ? a[t].y : a[t].x, b[t * TENSOR_GPU_WIDE], both);
            bound *= fabs(both) + 12 * 0x1p-53;
            least = fmin(least, fabs(both));
        }
        sum += least >= 0x1p-38 ? bound / least : bound * 0x1p48;
    }
    return sum;
}

__device__ __forceinline__ void tensor_two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

// The products of a step with their signs, pairwise, and their bounds.
__device__ __forceinline__ void tensor_add_products(int pairs, int warps, double sign, const double2 *high,
                                                    const double *low, const tensor_products *products,
                                                    dense_gpu_sums *sums) {
    double rows[TENSOR_GPU_TALL];
    TENSOR_UNROLL
    for (int i = 0; i < TENSOR_GPU_TALL; i++) {
        double fragment[TENSOR_GPU_WIDE];
        TENSOR_UNROLL
        for (int j = 0; j < TENSOR_GPU_WIDE; j++) {
            const double *value = products->value[i][j];
            const int least = products->least[i][j];
            fragment[j] = (value[0] - value[1]) - (value[2] - value[3]);
            if (least >> 20 < 1023 + TENSOR_GPU_LEAST_LOG2)
                sums->magnitude += tensor_bound_small(pairs, warps, i, j, high, low);
            else
                sums->magnitude += ((fabs(value[0]) + fabs(value[1])) + (fabs(value[2]) + fabs(value[3]))) *
                                   __longlong_as_double((long long)(2046 - (least >> 20)) << 52);
        }
        rows[i] = fragment[0] - fragment[1];
    }
    tensor_two_sum(&sums->high[0], &sums->low[0], sign * ((rows[0] - rows[1]) - (rows[2] - rows[3])));
}

// Adds up the threads' sums in a tree. Overwrites the shared memory.
__device__ __forceinline__ void tensor_add_threads(int threads, dense_gpu_sums sum, double *shared,
                                                   dense_gpu_sums *total) {
    double *mine = shared + 3 * threadIdx.x;
    __syncthreads();
    mine[0] = sum.high[0];
    mine[1] = sum.low[0];
    mine[2] = sum.magnitude;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x >= half)
            continue;
        const double *other = mine + 3 * half;
        tensor_two_sum(&mine[0], &mine[1], other[0]);
        mine[1] += other[1];
        mine[2] += other[2];
    }
    if (threadIdx.x != 0)
        return;
    total->high[0] = mine[0];
    total->low[0] = mine[1];
    total->high[1] = total->low[1] = 0;
    total->magnitude = mine[2];
}

// Block b of the grid is block first + b; all blocks are whole. Columns: [0]: x with all signs -1 but the
// last, [1 + column]: what x gains when its sign turns, each [row], with a row of start 1 behind an odd last
// one. Shared memory: pairs (16 x 32 TALL + 8 x 32 WIDE warps + 16) bytes.
SHIM_KERNEL void __launch_bounds__(32 * TENSOR_GPU_WARPS, 1)
    tensor_gpu_real(int n, int log2_steps, long long threads, long long first, const double *columns,
                    dense_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const int pairs = (n + 1) / 2, warps = (int)blockDim.x / 32, lane = (int)threadIdx.x % 32,
              warp = (int)threadIdx.x / 32, log2_low = 4 + __ffs(warps) - 1;
    const int fixed = log2_low + TENSOR_GPU_HIGH + log2_steps, lines = 2 * pairs;
    const long long block = first + blockIdx.x;
    const unsigned long long gray = (unsigned long long)(block ^ block >> 1);
    double2 *high = shared;
    double *low = (double *)(high + pairs * TENSOR_GPU_TALL * 32),
           *base = low + pairs * warps * 32 * TENSOR_GPU_WIDE;
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    (void)threads;
    tensor_fill_low(pairs, warps, log2_low, columns, low);
    for (int line = threadIdx.x; line < lines; line += 32 * warps) {
        double x = columns[line];
        for (int k = 0; k < log2_low + TENSOR_GPU_HIGH; k++)
            x += 0.5 * columns[(1 + k) * lines + line];
        for (int k = 0; fixed + k < n - 1; k++)
            if (gray >> k & 1)
                x += columns[(1 + fixed + k) * lines + line];
        base[line] = x;
    }
    for (int step = 0; step < 1 << log2_steps; step++) {
        tensor_products products;
        __syncthreads();
        if (step > 0) {
            const int bit = __ffs(step) - 1;
            const double sign = (step ^ step >> 1) >> bit & 1 ? 1 : -1;
            for (int line = threadIdx.x; line < lines; line += 32 * warps)
                base[line] += sign * columns[(1 + log2_low + TENSOR_GPU_HIGH + bit) * lines + line];
            __syncthreads();
        }
        tensor_fill_high(pairs, warps, log2_low, columns, base, high);
        __syncthreads();
        const double2 *a = high + lane;
        const double *b = low + (warp * 32 + lane) * TENSOR_GPU_WIDE;
        tensor_multiply_pair(1, a, b, &products);
        TENSOR_NO_UNROLL
        for (int pair = 1; pair < pairs; pair++) {
            a += TENSOR_GPU_TALL * 32;
            b += warps * 32 * TENSOR_GPU_WIDE;
            tensor_multiply_pair(0, a, b, &products);
        }
        const int odd = __popc((unsigned)lane) + __popc((unsigned)warp) + step + (int)block;
        tensor_add_products(pairs, warps, odd & 1 ? -1 : 1, high, low, &products, &sum);
    }
    tensor_add_threads(32 * warps, sum, (double *)shared, &sums[blockIdx.x]);
}
