/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for dense permanents (gpu.h), included once for each type. Before it are defined
//
//     DENSE_NAME(word)  the word with the suffix of the type
//     DENSE_PARTS       1: real, 2: complex
//     DENSE_INNER       B: 2^B products in registers
//     DENSE_CHAINS      log2 of the number of chains of additions that go through them, at most 2
//     DENSE_RESIDENT    blocks that a multiprocessor shall hold
//
// Cost: one addition and one multiplication for a (row, subset) pair, the update of x being the first of the
// additions of a step; complex two and four. Per product two more additions. All other instructions delay
// these, so there are few: rows come in pairs (gpu.h), whose x and columns are read two at a time, 9
// loads and stores for 256 additions and multiplications.

typedef struct DENSE_NAME(number) {
    double part[DENSE_PARTS];
} DENSE_NAME(number);

#undef NUMBER
#define NUMBER DENSE_NAME(number)

// x plus or minus a column of the row.
__device__ __forceinline__ NUMBER DENSE_NAME(add)(NUMBER x, const double *column, int is_plus) {
    DENSE_UNROLL
    for (int part = 0; part < DENSE_PARTS; part++)
        x.part[part] = is_plus ? x.part[part] + column[part * DENSE_GPU_COLUMNS]
                               : x.part[part] - column[part * DENSE_GPU_COLUMNS];
    return x;
}

// The complex product as common/problem.h has it.
__device__ __forceinline__ NUMBER DENSE_NAME(multiply)(NUMBER a, NUMBER b) {
    NUMBER c;
#if DENSE_PARTS == 1
    c.part[0] = a.part[0] * b.part[0];
#else
    c.part[0] = __fma_rn(-a.part[1], b.part[1], a.part[0] * b.part[0]);
    c.part[1] = __fma_rn(a.part[1], b.part[0], a.part[0] * b.part[1]);
#endif
    return c;
}

// Multiplies a row, with x of the step, into the products, or starts them with it. Chain c has the highest
// inner columns set as in the bits of c and goes through the others in Gray code order.
__device__ __forceinline__ void DENSE_NAME(multiply_row)(int start, NUMBER x, const double *columns,
                                                         NUMBER *product) {
    enum { CHAINS = 1 << DENSE_CHAINS, LOW = DENSE_INNER - DENSE_CHAINS, LENGTH = 1 << LOW };
    NUMBER sum[CHAINS];
    sum[0] = x;
    DENSE_UNROLL
    for (int chain = 1; chain < CHAINS; chain++)
        sum[chain] = DENSE_NAME(add)(sum[chain & (chain - 1)], columns + LOW + __ffs(chain) - 1, 1);
    DENSE_UNROLL
    for (int k = 0; k < LENGTH; k++) {
        DENSE_UNROLL
        for (int chain = 0; chain < CHAINS; chain++) {
            NUMBER *to = &product[chain * LENGTH + k];
            if (k > 0)
                sum[chain] =
                    DENSE_NAME(add)(sum[chain], columns + __ffs(k) - 1, (k ^ k >> 1) >> (__ffs(k) - 1) & 1);
            *to = start ? sum[chain] : DENSE_NAME(multiply)(*to, sum[chain]);
        }
    }
}

// x of the rows of a pair, which gain what they do in this step.
__device__ __forceinline__ void DENSE_NAME(gain_pair)(double2 *x, const double *columns, NUMBER *first,
                                                      NUMBER *second) {
    DENSE_UNROLL
    for (int part = 0; part < DENSE_PARTS; part++) {
        const double *gain = columns + part * DENSE_GPU_COLUMNS + DENSE_GPU_GAIN;
        double2 both = x[part * DENSE_GPU_THREADS];
        both.x += gain[0];
        both.y += gain[1];
        x[part * DENSE_GPU_THREADS] = both;
        first->part[part] = both.x;
        second->part[part] = both.y;
    }
}

// Multiplies pair `pair` of rows into the products. `start`: 0 no, 1 start them with it, 2 start them with
// its second row, the first being none.
__device__ __forceinline__ void DENSE_NAME(multiply_pair)(int start, int pair, double2 *x,
                                                          const double *columns, NUMBER *product) {
    NUMBER first, second;
    columns += pair * DENSE_PARTS * DENSE_GPU_COLUMNS;
    DENSE_NAME(gain_pair)(x + pair * DENSE_PARTS * DENSE_GPU_THREADS, columns, &first, &second);
    if (start != 2)
        DENSE_NAME(multiply_row)(start, first, columns, product);
    DENSE_NAME(multiply_row)(start == 2, second, columns + DENSE_GPU_SECOND, product);
}

// x of the thread with the signs of its step -1, without the first step. The gains in `inner` are what the
// threads of the block share of it.
__device__ __forceinline__ void DENSE_NAME(fill)(int n, int fixed, unsigned gray, const double *columns,
                                                 const double *inner, double2 *x) {
    for (int at = 0; at < n * DENSE_PARTS; at++) {
        const int slot = at % n + n % 2;
        double2 *both = x + (slot / 2 * DENSE_PARTS + at / n) * DENSE_GPU_THREADS;
        double sum = inner[dense_gpu_place(n, DENSE_PARTS, at) + DENSE_GPU_GAIN + slot % 2];
        for (int k = 0; 1 << k < DENSE_GPU_THREADS && fixed + k < n - 1; k++)
            if (gray >> k & 1)
                sum += columns[(fixed + k + 1) * n * DENSE_PARTS + at];
        if (slot % 2 == 0)
            both->x = sum;
        else
            both->y = sum;
        if (n % 2 != 0 && slot == 1)
            both->x = 0;
    }
}

// The products of a step with their signs, pairwise, and their magnitudes.
__device__ __forceinline__ void DENSE_NAME(add_products)(const NUMBER *product, double sign,
                                                         dense_gpu_sums *sums) {
    enum { HALF = 1 << (DENSE_INNER - 1) };
    DENSE_UNROLL
    for (int part = 0; part < DENSE_PARTS; part++) {
        double sum[HALF], magnitude[HALF];
        DENSE_UNROLL
        for (int k = 0; k < HALF; k++) {
            const int chain = 2 * k >> (DENSE_INNER - DENSE_CHAINS);
            const double even = product[2 * k].part[part], odd = product[2 * k + 1].part[part];
            sum[k] = (chain ^ chain >> 1) & 1 ? odd - even : even - odd;
            magnitude[k] = fabs(even) + fabs(odd);
        }
        DENSE_UNROLL
        for (int level = 1; level < DENSE_INNER; level++) {
            DENSE_UNROLL
            for (int k = 0; k < HALF / 2; k++)
                if (k < HALF >> level) {
                    sum[k] = sum[2 * k] + sum[2 * k + 1];
                    magnitude[k] = magnitude[2 * k] + magnitude[2 * k + 1];
                }
        }
        sums_gpu_two_sum(&sums->high[part], &sums->low[part], sign * sum[0]);
        sums->magnitude += magnitude[0];
    }
}

// The inner columns and x before the first step, columns from `fixed` on having the signs of the thread.
__device__ __forceinline__ void DENSE_NAME(begin_thread)(int n, int fixed, long long thread,
                                                         const double *columns, double *inner, double2 *x) {
    const unsigned long long gray = (unsigned long long)(thread ^ thread >> 1);
    dense_gpu_fill_inner(n, DENSE_PARTS, DENSE_INNER, columns, inner);
    dense_gpu_fill_block(n, DENSE_PARTS, fixed, gray, columns, inner);
    DENSE_NAME(fill)(n, fixed, (unsigned)gray, columns, inner, x);
}

// Adds up the subsets of a thread.
__device__ __forceinline__ void DENSE_NAME(add_thread)(int n, int log2_steps, long long thread,
                                                       const double *columns, double2 *shared,
                                                       dense_gpu_sums *sum) {
    const int pairs = (n + 1) / 2;
    double2 *x = shared + threadIdx.x;
    double *inner = (double *)(shared + pairs * DENSE_PARTS * DENSE_GPU_THREADS);
    DENSE_NAME(begin_thread)(n, DENSE_INNER + log2_steps, thread, columns, inner, x);
    for (int step = 0; step < 1 << log2_steps; step++) {
        NUMBER product[1 << DENSE_INNER];
        dense_gpu_fill_gain(n, DENSE_PARTS, DENSE_INNER, step, columns, inner);
        if (n % 2 != 0)
            DENSE_NAME(multiply_pair)(2, 0, x, inner, product);
        else
            DENSE_NAME(multiply_pair)(1, 0, x, inner, product);
        DENSE_NO_UNROLL
        for (int pair = 1; pair < pairs; pair++)
            DENSE_NAME(multiply_pair)(0, pair, x, inner, product);
        DENSE_NAME(add_products)(product, step & 1 ? -1 : 1, sum);
    }
}

// Block (b, m) of the grid adds up threads (first + b) 128 … of `threads` of matrix m. `columns`, for each
// matrix: [0]: start, [1 + column]: up, each [part][row]. `sums`: [matrix][block]. Shared memory: for each
// pair of rows and part 2 x 128 + DENSE_GPU_COLUMNS doubles.
SHIM_KERNEL void __launch_bounds__(DENSE_GPU_THREADS, DENSE_RESIDENT)
    DENSE_NAME(dense_gpu)(int n, int log2_steps, long long threads, long long first, const double *columns,
                          dense_gpu_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const long long thread = (first + blockIdx.x) * DENSE_GPU_THREADS + threadIdx.x;
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    columns += (long long)blockIdx.y * (n + 1) * n * DENSE_PARTS;
    DENSE_NAME(add_thread)(n, log2_steps, thread, columns, shared, &sum);
    if (thread >= threads)
        sum.high[0] = sum.high[1] = sum.low[0] = sum.low[1] = sum.magnitude = 0;
    sums_gpu_add_threads(DENSE_GPU_THREADS, DENSE_PARTS, thread & 1 ? -1 : 1, sum, (double *)shared,
                         &sums[(long long)blockIdx.y * gridDim.x + blockIdx.x]);
}
