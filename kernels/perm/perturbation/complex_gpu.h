/* SPDX-License-Identifier: BSD-3-Clause */
// Device code for the bound of gpu.h for complex matrices, included once, behind dense/gpu_body.h for complex
// ones: dense_gpu_certified_complex. Its sums are those of dense_gpu_complex bit by bit.
//
// Cost: for 32 subsets of a row 118 instructions of single precision and 12 loads, beside 192 of double
// precision, which take two cycles each: the loop has both side by side, so that the former run in the cycles
// that the latter leave. All threads of a block read the same pairs, which are in shared memory.

typedef struct bound_gpu_four {
    float at[4] __align__(16);
} bound_gpu_four;

// The root from above, as in kernel.h.
__device__ __forceinline__ float bound_root(float value) {
    return __uint_as_float((__float_as_uint(value) >> 1) + 0x1fc00000u);
}

// Multiplies a row, with x of the step, into the products, and |x|^2 + s of its subsets into `squares`.
__device__ __forceinline__ void bound_multiply_row(int start, number_complex x, const double *columns,
                                                   const bound_gpu_row *row, number_complex *product,
                                                   float *squares) {
    float middle[BOUND_GPU_PARTS], square = 0;
    DENSE_UNROLL
    for (int part = 0; part < BOUND_GPU_PARTS; part++) {
        middle[part] = (float)(x.part[part] + row->center[part]) * row->scale[0];
        square = __fmaf_rn(middle[part], middle[part], square);
    }
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k++) {
        if (k > 0)
            x = add_complex(x, columns + __ffs(k) - 1, (k ^ k >> 1) >> (__ffs(k) - 1) & 1);
        product[k] = start ? x : multiply_complex(product[k], x);
        if (k % 2 == 0) {
            const bound_gpu_four *pairs = (const bound_gpu_four *)row->pairs[k / 8];
            const float sum = square + pairs[0].at[k / 2 % 4],
                        gap =
                            __fmaf_rn(pairs[2].at[k / 2 % 4], middle[1], pairs[1].at[k / 2 % 4] * middle[0]);
            squares[k] *= sum + gap;
            squares[k + 1] *= sum - gap;
        }
    }
}

// Multiplies pair `pair` of rows into the products, as multiply_pair of dense/gpu_body.h does.
__device__ __forceinline__ void bound_multiply_pair(int start, int pair, double2 *x, const double *columns,
                                                    const bound_gpu_row *rows, number_complex *product,
                                                    float *squares) {
    number_complex first, second;
    x += pair * DENSE_PARTS * DENSE_GPU_THREADS;
    columns += pair * DENSE_PARTS * DENSE_GPU_COLUMNS;
    rows += 2 * pair;
    gain_pair_complex(x, columns, &first, &second);
    if (start != 2)
        bound_multiply_row(start, first, columns, rows, product, squares);
    bound_multiply_row(start == 2, second, columns + DENSE_GPU_SECOND, rows + 1, product, squares);
}

// Two roots in a word, rounded up to the highest 16 bits of a float.
__device__ __forceinline__ unsigned bound_pack(float low, float high) {
    return (__float_as_uint(low) + 0xffffu) >> 16 | ((__float_as_uint(high) + 0xffffu) & 0xffff0000u);
}

// Keeps the roots of `squares`, and begins them anew.
__device__ __forceinline__ void bound_keep(float *squares, unsigned *roots) {
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k += 2) {
        roots[k / 2] = bound_pack(bound_root(squares[k]), bound_root(squares[k + 1]));
        squares[k] = squares[k + 1] = 1;
    }
}

// The sum of the roots of the products over all rows, eight at a time, as kernel.h counts their roundings.
__device__ __forceinline__ double bound_add(const float *squares, const unsigned *roots) {
    double sum = 0;
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k += 8) {
        float pair[4];
        DENSE_UNROLL
        for (int two = 0; two < 4; two++) {
            const unsigned kept = roots[k / 2 + two];
            const float *square = squares + k + 2 * two;
            pair[two] = bound_root(square[0]) * __uint_as_float(kept << 16) +
                        bound_root(square[1]) * __uint_as_float(kept & 0xffff0000u);
        }
        sum += (pair[0] + pair[1]) + (pair[2] + pair[3]);
    }
    return sum;
}

// All rows of a step; returns what its subsets add to the bound. The first half of the pairs has the larger
// number of them.
__device__ __forceinline__ double bound_multiply_all(int n, double2 *x, const double *inner,
                                                     const bound_gpu_row *rows, number_complex *product) {
    const int pairs = (n + 1) / 2;
    float squares[1 << DENSE_INNER];
    unsigned roots[1 << (DENSE_INNER - 1)];
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k++)
        squares[k] = 1;
    if (n % 2 != 0)
        bound_multiply_pair(2, 0, x, inner, rows, product, squares);
    else
        bound_multiply_pair(1, 0, x, inner, rows, product, squares);
    DENSE_NO_UNROLL
    for (int pair = 1; pair < pairs; pair++) {
        if (pair == (pairs + 1) / 2)
            bound_keep(squares, roots);
        bound_multiply_pair(0, pair, x, inner, rows, product, squares);
    }
    return bound_add(squares, roots);
}

// The same of one matrix, whose columns are followed by n + n % 2 bound_gpu_row, and the bound.
SHIM_KERNEL void __launch_bounds__(DENSE_GPU_THREADS, DENSE_RESIDENT)
    dense_gpu_certified_complex(int n, int log2_steps, long long threads, long long first,
                                const double *columns, dense_gpu_certified_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const long long thread = (first + blockIdx.x) * DENSE_GPU_THREADS + threadIdx.x;
    const int pairs = (n + 1) / 2;
    const double *table = columns + (n + 1) * n * DENSE_PARTS;
    double2 *x = shared + threadIdx.x;
    double *inner = (double *)(shared + pairs * DENSE_PARTS * DENSE_GPU_THREADS),
           *rows = inner + pairs * DENSE_PARTS * DENSE_GPU_COLUMNS;
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    double bound = 0;
    for (int at = threadIdx.x; at < 2 * pairs * BOUND_GPU_ROW_DOUBLES; at += DENSE_GPU_THREADS)
        rows[at] = table[at];
    begin_thread_complex(n, DENSE_INNER + log2_steps, thread, columns, inner, x);
    DENSE_NO_UNROLL
    for (int step = 0; step < 1 << log2_steps; step++) {
        number_complex product[1 << DENSE_INNER];
        dense_gpu_fill_gain(n, DENSE_PARTS, DENSE_INNER, step, columns, inner);
        bound += bound_multiply_all(n, x, inner, (const bound_gpu_row *)rows, product);
        add_products_complex(product, step & 1 ? -1 : 1, &sum);
    }
    sums_gpu_add_certified(2, thread < threads, thread & 1 ? -1 : 1, sum, bound, (double *)shared,
                           &sums[blockIdx.x]);
}
