/* SPDX-License-Identifier: BSD-3-Clause */
// Device code for the bound of gpu.h for complex matrices, included once, behind dense/gpu_body.h for complex
// ones: dense_gpu_certified_complex.
//
// Cost: for 32 subsets of a row 114 instructions of single precision and 12 loads; all threads of a block
// read the same pairs, which are in shared memory.

typedef struct bound_gpu_four {
    float at[4] __align__(16);
} bound_gpu_four;

// The root from above, as in kernel.h.
__device__ __forceinline__ float bound_root(float value) {
    return __uint_as_float((__float_as_uint(value) >> 1) + 0x1fc00000u);
}

// Multiplies row `row`, whose x gain what is in `gain`, into the products, or starts them with it.
__device__ __forceinline__ void bound_row(int start, int row, float *sums, const float *gain,
                                          const bound_gpu_four *pairs, float *product) {
    float x[BOUND_GPU_PARTS];
    DENSE_UNROLL
    for (int part = 0; part < BOUND_GPU_PARTS; part++) {
        float *at = sums + (row * BOUND_GPU_PARTS + part) * DENSE_GPU_THREADS;
        x[part] = *at + gain[row * BOUND_GPU_PARTS + part];
        *at = x[part];
    }
    pairs += row * (1 + BOUND_GPU_PARTS) * (BOUND_GPU_PAIRS / 4);
    const float square = __fmaf_rn(x[1], x[1], x[0] * x[0]);
    DENSE_UNROLL
    for (int four = 0; four < BOUND_GPU_PAIRS / 4; four++) {
        const bound_gpu_four shift = pairs[0], re = pairs[1], im = pairs[2];
        pairs += 1 + BOUND_GPU_PARTS;
        DENSE_UNROLL
        for (int k = 0; k < 4; k++) {
            const float middle = square + shift.at[k], gap = __fmaf_rn(im.at[k], x[1], re.at[k] * x[0]);
            const float plus = middle + gap, minus = middle - gap;
            float *to = product + 2 * (4 * four + k);
            to[0] = start ? plus : to[0] * plus;
            to[1] = start ? minus : to[1] * minus;
        }
    }
}

// The roots of the products over rows first … end-1.
__device__ __forceinline__ void bound_rows(int first, int end, float *x, const float *gain,
                                           const bound_gpu_four *pairs, float *product) {
    bound_row(1, first, x, gain, pairs, product);
    DENSE_NO_UNROLL
    for (int row = first + 1; row < end; row++)
        bound_row(0, row, x, gain, pairs, product);
    DENSE_UNROLL
    for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k++)
        product[k] = bound_root(product[k]);
}

// x of the thread with the signs of its step -1, without the first step.
__device__ __forceinline__ void bound_fill(int n, int fixed, unsigned long long gray, const float *table,
                                           float *x) {
    const float *up = table + BOUND_GPU_UP(n);
    for (int at = 0; at < n * BOUND_GPU_PARTS; at++) {
        float sum = table[BOUND_GPU_START + at];
        for (int k = 0; fixed + k < n - 1; k++)
            if (gray >> k & 1)
                sum += up[(fixed + k) * n * BOUND_GPU_PARTS + at];
        x[(at % n * BOUND_GPU_PARTS + at / n) * DENSE_GPU_THREADS] = sum;
    }
}

// What x gains in this step. No thread passes before all of them are done with the step before.
__device__ __forceinline__ void bound_fill_gain(int n, int step, const float *table, float *gain) {
    const float *up = table + BOUND_GPU_UP(n);
    const int bit = __ffs(step) - 1, is_plus = step != 0 && (step ^ step >> 1) >> bit & 1;
    __syncthreads();
    for (int at = threadIdx.x; at < n * BOUND_GPU_PARTS; at += DENSE_GPU_THREADS) {
        const float value = step == 0 ? 0 : up[(BOUND_GPU_INNER + bit) * n * BOUND_GPU_PARTS + at];
        gain[at % n * BOUND_GPU_PARTS + at / n] = is_plus ? value : -value;
    }
    __syncthreads();
}

// What the thread's subsets add up to: those of the columns before `fixed`, the others having the signs in
// `gray`. Shared memory: for each row and part 4 DENSE_GPU_THREADS + 64 + 4 bytes, and 64 for each row.
__device__ double bound_add(int n, int fixed, unsigned long long gray, const float *table, double2 *shared) {
    float *x = (float *)shared + threadIdx.x;
    bound_gpu_four *pairs = (bound_gpu_four *)((float *)shared + n * BOUND_GPU_PARTS * DENSE_GPU_THREADS);
    float *gain = (float *)(pairs + n * (1 + BOUND_GPU_PARTS) * (BOUND_GPU_PAIRS / 4));
    const int split = (int)table[0];
    double sum = 0;
    for (int at = threadIdx.x; at < n * (1 + BOUND_GPU_PARTS) * BOUND_GPU_PAIRS; at += DENSE_GPU_THREADS)
        ((float *)pairs)[at] = table[BOUND_GPU_TABLE_PAIRS(n) + at];
    bound_fill(n, fixed, gray, table, x);
    for (int step = 0; step < 1 << (fixed - BOUND_GPU_INNER); step++) {
        float root[2 * BOUND_GPU_PAIRS];
        bound_fill_gain(n, step, table, gain);
        bound_rows(0, split, x, gain, pairs, root);
        if (split < n) {
            float other[2 * BOUND_GPU_PAIRS];
            bound_rows(split, n, x, gain, pairs, other);
            DENSE_UNROLL
            for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k++)
                root[k] *= other[k];
        }
        // Eight at a time, as kernel.h counts their roundings.
        DENSE_UNROLL
        for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k += 8)
            sum += ((root[k] + root[k + 1]) + (root[k + 2] + root[k + 3])) +
                   ((root[k + 4] + root[k + 5]) + (root[k + 6] + root[k + 7]));
    }
    return sum;
}

// The same of one matrix, whose columns are followed by the table of perm/perturbation/gpu.h, and the bound.
// About half of the blocks on a multiprocessor begin with the bound, so that its instructions of single
// precision run beside those of double precision.
SHIM_KERNEL void __launch_bounds__(DENSE_GPU_THREADS, DENSE_RESIDENT)
    dense_gpu_certified_complex(int n, int log2_steps, long long threads, long long first,
                                const double *columns, dense_gpu_certified_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const long long thread = (first + blockIdx.x) * DENSE_GPU_THREADS + threadIdx.x;
    const float *table = (const float *)(columns + (n + 1) * n * BOUND_GPU_PARTS);
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    double bound = 0;
    DENSE_NO_UNROLL
    for (int phase = 0; phase < 2; phase++) {
        if ((__popc(blockIdx.x) + phase) % 2 == 0)
            add_thread_complex(n, log2_steps, thread, columns, shared, &sum);
        else
            bound = bound_add(n, DENSE_GPU_INNER_COMPLEX + log2_steps,
                              (unsigned long long)(thread ^ thread >> 1), table, shared);
        __syncthreads();
    }
    sums_gpu_add_certified(2, thread < threads, thread & 1 ? -1 : 1, sum, bound, (double *)shared,
                           &sums[blockIdx.x]);
}
