// Device code for the bound of gpu.h, included once for each type. Before it are defined
//
//     BOUND_NAME(word)  the word with the suffix of the type
//     BOUND_PARTS       1: real, 2: complex
//     BOUND_THREADS     of a block
//
// Cost: for 32 subsets of a row 81 instructions of single precision, complex 114, and 8 or 12 loads; all
// threads of a block read the same pairs, which are in shared memory.

// The root from above, as in kernel.h.
__device__ __forceinline__ float BOUND_NAME(bound_root)(float value) {
    return __uint_as_float((__float_as_uint(value) >> 1) + 0x1fc00000u);
}

// Multiplies row `row`, whose x gain what is in `gain`, into the products, or starts them with it.
__device__ __forceinline__ void BOUND_NAME(bound_row)(int start, int row, float *sums, const float *gain,
                                                      const bound_gpu_four *pairs, float *product) {
    float x[BOUND_PARTS];
    BOUND_UNROLL
    for (int part = 0; part < BOUND_PARTS; part++) {
        float *at = sums + (row * BOUND_PARTS + part) * BOUND_THREADS;
        x[part] = *at + gain[row * BOUND_PARTS + part];
        *at = x[part];
    }
    pairs += row * (1 + BOUND_PARTS) * (BOUND_GPU_PAIRS / 4);
    float square = x[0] * x[0];
    if (BOUND_PARTS == 2)
        square = __fmaf_rn(x[BOUND_PARTS - 1], x[BOUND_PARTS - 1], square);
    BOUND_UNROLL
    for (int four = 0; four < BOUND_GPU_PAIRS / 4; four++) {
        const bound_gpu_four shift = pairs[0], re = pairs[1], im = pairs[BOUND_PARTS];
        pairs += 1 + BOUND_PARTS;
        BOUND_UNROLL
        for (int k = 0; k < 4; k++) {
            const float middle = square + shift.at[k];
            float plus, minus, *to = product + 2 * (4 * four + k);
            if (BOUND_PARTS == 2) {
                const float gap = __fmaf_rn(im.at[k], x[BOUND_PARTS - 1], re.at[k] * x[0]);
                plus = middle + gap;
                minus = middle - gap;
            } else {
                plus = __fmaf_rn(re.at[k], x[0], middle);
                minus = __fmaf_rn(-re.at[k], x[0], middle);
            }
            to[0] = start ? plus : to[0] * plus;
            to[1] = start ? minus : to[1] * minus;
        }
    }
}

// The roots of the products over rows first … end-1.
__device__ __forceinline__ void BOUND_NAME(bound_rows)(int first, int end, float *x, const float *gain,
                                                       const bound_gpu_four *pairs, float *product) {
    BOUND_NAME(bound_row)(1, first, x, gain, pairs, product);
    BOUND_NO_UNROLL
    for (int row = first + 1; row < end; row++)
        BOUND_NAME(bound_row)(0, row, x, gain, pairs, product);
    BOUND_UNROLL
    for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k++)
        product[k] = BOUND_NAME(bound_root)(product[k]);
}

// x of the thread with the signs of its step -1, without the first step.
__device__ __forceinline__ void BOUND_NAME(bound_fill)(int n, int fixed, unsigned long long gray,
                                                       const float *table, float *x) {
    const float *up = table + BOUND_GPU_UP(n, BOUND_PARTS);
    for (int at = 0; at < n * BOUND_PARTS; at++) {
        float sum = table[BOUND_GPU_START + at];
        for (int k = 0; fixed + k < n - 1; k++)
            if (gray >> k & 1)
                sum += up[(fixed + k) * n * BOUND_PARTS + at];
        x[(at % n * BOUND_PARTS + at / n) * BOUND_THREADS] = sum;
    }
}

// What x gains in this step. No thread passes before all of them are done with the step before.
__device__ __forceinline__ void BOUND_NAME(bound_fill_gain)(int n, int step, const float *table,
                                                            float *gain) {
    const float *up = table + BOUND_GPU_UP(n, BOUND_PARTS);
    const int bit = __ffs(step) - 1, is_plus = step != 0 && (step ^ step >> 1) >> bit & 1;
    __syncthreads();
    for (int at = threadIdx.x; at < n * BOUND_PARTS; at += BOUND_THREADS) {
        const float value = step == 0 ? 0 : up[(BOUND_GPU_INNER + bit) * n * BOUND_PARTS + at];
        gain[at % n * BOUND_PARTS + at / n] = is_plus ? value : -value;
    }
    __syncthreads();
}

// What the thread's subsets add up to: those of the columns before `fixed`, the others having the signs in
// `gray`. Shared memory: for each row and part 4 BOUND_THREADS + 64 + 4 bytes, and 64 for each row.
__device__ double BOUND_NAME(bound_add)(int n, int fixed, unsigned long long gray, const float *table,
                                        double2 *shared) {
    float *x = (float *)shared + threadIdx.x;
    bound_gpu_four *pairs = (bound_gpu_four *)((float *)shared + n * BOUND_PARTS * BOUND_THREADS);
    float *gain = (float *)(pairs + n * (1 + BOUND_PARTS) * (BOUND_GPU_PAIRS / 4));
    const int split = (int)table[0];
    double sum = 0;
    for (int at = threadIdx.x; at < n * (1 + BOUND_PARTS) * BOUND_GPU_PAIRS; at += BOUND_THREADS)
        ((float *)pairs)[at] = table[BOUND_GPU_TABLE_PAIRS(n, BOUND_PARTS) + at];
    BOUND_NAME(bound_fill)(n, fixed, gray, table, x);
    for (int step = 0; step < 1 << (fixed - BOUND_GPU_INNER); step++) {
        float root[2 * BOUND_GPU_PAIRS];
        BOUND_NAME(bound_fill_gain)(n, step, table, gain);
        BOUND_NAME(bound_rows)(0, split, x, gain, pairs, root);
        if (split < n) {
            float other[2 * BOUND_GPU_PAIRS];
            BOUND_NAME(bound_rows)(split, n, x, gain, pairs, other);
            BOUND_UNROLL
            for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k++)
                root[k] *= other[k];
        }
        // Eight at a time, as kernel.h counts their roundings.
        BOUND_UNROLL
        for (int k = 0; k < 2 * BOUND_GPU_PAIRS; k += 8)
            sum += ((root[k] + root[k + 1]) + (root[k + 2] + root[k + 3])) +
                   ((root[k + 4] + root[k + 5]) + (root[k + 6] + root[k + 7]));
    }
    return sum;
}
