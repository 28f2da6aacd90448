/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernel for dense real permanents on FP64 tensor cores (tensor_gpu.h).
#include "shim.h"

#include "perm/common/sums_gpu.h"
#include "perm/dense/tensor_gpu.h"

#ifdef __CUDACC__
#define TENSOR_UNROLL _Pragma("unroll")
#define TENSOR_NO_UNROLL _Pragma("unroll 1")
#else
#define TENSOR_UNROLL
#define TENSOR_NO_UNROLL
#endif

enum { TENSOR_GPU_MOST_WARPS = TENSOR_GPU_ACROSS * TENSOR_GPU_DOWN };

// A thread's products; and per fragment the high words of the least of two rows.
typedef struct tensor_products {
    double value[TENSOR_GPU_TALL][TENSOR_GPU_WIDE][4];
    int least[TENSOR_GPU_TALL][TENSOR_GPU_WIDE];
} tensor_products;

// Where a warp's fragments stand: of high and of low sets [pair][fragment][lane].
typedef struct tensor_place {
    int pairs, tall, wide; // of the block
    const double2 *high;   // of this thread
    const double *low;
} tensor_place;

#ifndef __CUDACC__
typedef struct tensor_offer {
    double2 a;
    double b;
} tensor_offer;
__device__ __thread tensor_offer tensor_offers[TENSOR_GPU_MOST_WARPS][32];
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
    offers[lane].a = a;
    offers[lane].b = b;
    __syncwarp();
    for (int k = 0; k < 4; k++) {
        result[k] = 0;
        for (int t = 0; t < 4; t++) {
            const double2 left = offers[lane / 4 * 4 + t].a;
            result[k] = fma(k / 2 ? left.y : left.x, offers[(lane % 4 * 2 + k % 2) * 4 + t].b, result[k]);
        }
    }
    __syncwarp();
#endif
}

// The signed sum of the columns from `first` on in row `row`, plus where `set` has a bit; columns have
// `rows` numbers, twice their entries.
__device__ __forceinline__ double tensor_sum(const double *columns, int rows, int row, int first, int count,
                                             unsigned set) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
        const double half = 0.5 * columns[(1 + first + k) * rows + row];
        sum += set >> k & 1 ? half : -half;
    }
    return sum;
}

// The fragments of low sets.
__device__ __forceinline__ void tensor_fill_low(int pairs, const double *columns, double *low) {
    const int sets = 1 << TENSOR_GPU_LOW;
    for (int at = threadIdx.x; at < pairs * sets; at += blockDim.x) {
        const int set = at % sets, pair = at / sets;
        const double first = tensor_sum(columns, 2 * pairs, 2 * pair, 0, TENSOR_GPU_LOW, (unsigned)set),
                     second = tensor_sum(columns, 2 * pairs, 2 * pair + 1, 0, TENSOR_GPU_LOW, (unsigned)set);
        double *to = low + at * 4;
        to[0] = second;
        to[1] = first;
        to[2] = 1;
        to[3] = first * second;
    }
}

// What row `row` stands for in all high sets, without the columns that steps turn.
__device__ __forceinline__ double tensor_base(int rows, int row, int before, int after, int n,
                                              unsigned long long gray, const double *columns) {
    double x = columns[row];
    for (int k = 0; k < before; k++)
        x += 0.5 * columns[(1 + k) * rows + row];
    for (int k = after; k < n - 1; k++)
        if (gray >> (k - after) & 1)
            x += columns[(1 + k) * rows + row];
    return x;
}

// Thread (g, t) of a fragment of high sets has h, h', h h' or 1 for t = 0 to 3, of sets g and g + 8.
__device__ __forceinline__ void tensor_start_high(int pairs, int log2_high, int after, int n,
                                                  unsigned long long gray, const double *columns,
                                                  double2 *high) {
    const int rows = 2 * pairs, tall = 1 << (log2_high - 4), lane = (int)threadIdx.x % 32, t = lane % 4;
    for (int at = (int)threadIdx.x / 32; at < pairs * tall; at += (int)blockDim.x / 32) {
        const int row = at / tall * 2 + t % 2, set = at % tall * 16 + lane / 4;
        const double base = tensor_base(rows, row, TENSOR_GPU_LOW + log2_high, after, n, gray, columns);
        double2 h = make_double2(1, 1);
        if (t < 2) {
            h.x = base + tensor_sum(columns, rows, row, TENSOR_GPU_LOW, log2_high, (unsigned)set);
            h.y = base + tensor_sum(columns, rows, row, TENSOR_GPU_LOW, log2_high, (unsigned)(set + 8));
        }
        high[at * 32 + lane] = h;
    }
}

// Adds the gains of a step, [pair][t], to the high sets.
__device__ __forceinline__ void tensor_step_high(int pairs, int tall, const double *gain, double2 *high) {
    const int lane = (int)threadIdx.x % 32, t = lane % 4;
    for (int at = (int)threadIdx.x / 32; at < pairs * tall; at += (int)blockDim.x / 32) {
        double2 h = high[at * 32 + lane];
        const double more = gain[at / tall * 4 + t];
        h.x += more;
        h.y += more;
        const double2 first = {__shfl_sync(0xffffffffu, h.x, 0, 4), __shfl_sync(0xffffffffu, h.y, 0, 4)},
                      second = {__shfl_sync(0xffffffffu, h.x, 1, 4), __shfl_sync(0xffffffffu, h.y, 1, 4)};
        if (t == 2) {
            h.x = first.x * second.x;
            h.y = first.y * second.y;
        }
        high[at * 32 + lane] = h;
    }
}

// Writes what rows gain in a step, with two zeros behind each pair.
__device__ __forceinline__ void tensor_fill_gain(int pairs, int step, const double *columns, double *gain) {
    const int bit = __ffs(step) - 1;
    const double factor = step == 0 ? 0 : (step ^ step >> 1) >> bit & 1 ? 1 : -1;
    for (int at = threadIdx.x; at < 4 * pairs; at += blockDim.x)
        gain[at] =
            step == 0 || at % 4 >= 2 ? 0 : factor * columns[(1 + bit) * 2 * pairs + at / 4 * 2 + at % 4];
}

__device__ __forceinline__ int tensor_size(double value) {
    return (int)(__double_as_longlong(value) >> 32) & 0x7fffffff;
}

// Multiplies a pair of rows into the products, or starts them with it.
__device__ __forceinline__ void tensor_multiply_pair(int start, const double2 *high, const double *low,
                                                     tensor_products *products) {
    double b[TENSOR_GPU_WIDE];
    TENSOR_UNROLL
    for (int j = 0; j < TENSOR_GPU_WIDE; j++)
        b[j] = low[j * 32];
    TENSOR_UNROLL
    for (int i = 0; i < TENSOR_GPU_TALL; i++) {
        const double2 a = high[i * 32];
        TENSOR_UNROLL
        for (int j = 0; j < TENSOR_GPU_WIDE; j++) {
            double both[4];
            tensor_multiply(a, b[j], both);
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
__device__ __noinline__ double tensor_bound_small(const tensor_place *place, int i, int j) {
    const int lane = (int)threadIdx.x % 32;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double bound = 1, least = 1;
        for (int pair = 0; pair < place->pairs; pair++) {
            const double2 *a = place->high - lane + (pair * place->tall + i) * 32 + lane / 4 * 4;
            const double *b = place->low - lane + (pair * place->wide + j) * 32 + (lane % 4 * 2 + k % 2) * 4;
            double both = 0;
            for (int t = 0; t < 4; t++)
                both = __fma_rn(k / 2 ? a[t].y : a[t].x, b[t], both);
            bound *= fabs(both) + 12 * 0x1p-53;
            least = fmin(least, fabs(both));
        }
        sum += least >= 0x1p-38 ? bound / least : bound * 0x1p48;
    }
    return sum;
}

// The products of a step with their signs, pairwise, and their bounds.
__device__ __forceinline__ void tensor_add_products(const tensor_place *place, double sign,
                                                    const tensor_products *products, dense_gpu_sums *sums) {
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
                sums->magnitude += tensor_bound_small(place, i, j);
            else
                sums->magnitude += ((fabs(value[0]) + fabs(value[1])) + (fabs(value[2]) + fabs(value[3]))) *
                                   __longlong_as_double((long long)(2046 - (least >> 20)) << 52);
        }
        rows[i] = fragment[0] - fragment[1];
    }
    sums_gpu_two_sum(&sums->high[0], &sums->low[0], sign * ((rows[0] - rows[1]) - (rows[2] - rows[3])));
}

// Block b of the grid is block first + b; all blocks are whole. Columns: [0]: x with all signs -1 but the
// last, [1 + column]: what x gains when its sign turns, each [row], with a row of start 1 behind an odd last
// one. Shared memory: pairs (512 TALL D + 256 WIDE ACROSS + 32) bytes.
SHIM_KERNEL void __launch_bounds__(32 * TENSOR_GPU_MOST_WARPS, 1)
    tensor_gpu_real(int n, int log2_steps, long long threads, long long first, const double *columns,
                    dense_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const int pairs = (n + 1) / 2, down = (int)blockDim.x / (32 * TENSOR_GPU_ACROSS),
              log2_high = TENSOR_GPU_HIGH + down - 1, before = TENSOR_GPU_LOW + log2_high,
              fixed = before + log2_steps, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const long long block = first + blockIdx.x;
    const unsigned long long gray = (unsigned long long)(block ^ block >> 1);
    const int tall = TENSOR_GPU_TALL * down, wide = TENSOR_GPU_WIDE * TENSOR_GPU_ACROSS;
    double2 *high = shared;
    double *low = (double *)(high + pairs * tall * 32), *gain = low + pairs * wide * 32;
    const tensor_place place = {pairs, tall, wide, high + warp % down * TENSOR_GPU_TALL * 32 + lane,
                                low + warp / down * TENSOR_GPU_WIDE * 32 + lane};
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    (void)threads;
    tensor_fill_low(pairs, columns, low);
    tensor_start_high(pairs, log2_high, fixed, n, gray, columns, high);
    for (int step = 0; step < 1 << log2_steps; step++) {
        tensor_products products;
        tensor_fill_gain(pairs, step, columns + before * 2 * pairs, gain);
        __syncthreads();
        tensor_step_high(pairs, tall, gain, high);
        __syncthreads();
        const double2 *a = place.high;
        const double *b = place.low;
        tensor_multiply_pair(1, a, b, &products);
        TENSOR_NO_UNROLL
        for (int pair = 1; pair < pairs; pair++) {
            a += tall * 32;
            b += wide * 32;
            tensor_multiply_pair(0, a, b, &products);
        }
        const int odd = __popc((unsigned)lane) + __popc((unsigned)warp) + step + (int)block;
        tensor_add_products(&place, odd & 1 ? -1 : 1, &products, &sum);
    }
    sums_gpu_add_threads((int)blockDim.x, 1, 1, sum, (double *)shared, &sums[blockIdx.x]);
}
