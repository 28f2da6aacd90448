/* SPDX-License-Identifier: BSD-3-Clause */
// Device code for the bound of gpu.h for real matrices, included once, behind dense/gpu_body.h for real ones:
// dense_gpu_certified_real. It gives the same bits as dense_gpu_real.
//
// Cost: beside the two additions and two multiplications of a pair of rows and a subset one smaller, one
// subtraction of integers and one addition of single precision, which take three of the four places that the
// FP64 units leave in the issue of instructions.

// 1 / min(|first|, |second|) from above.
__device__ __forceinline__ float bound_reciprocal(double first, double second) {
    const float least = fminf(fabsf(__uint_as_float((unsigned)__double2hiint(first))),
                              fabsf(__uint_as_float((unsigned)__double2hiint(second))));
    return __uint_as_float(0x3f000000u - 8u * __float_as_uint(least));
}

// Multiplies both rows of pair `pair` into the products, as multiply_pair of dense/gpu_body.h does, and adds
// up their reciprocals.
__device__ __forceinline__ void bound_pair(int start, int pair, double2 *x, const double *columns,
                                           number_real *product, float *reciprocals) {
    enum { CHAINS = 1 << DENSE_CHAINS, LOW = DENSE_INNER - DENSE_CHAINS, LENGTH = 1 << LOW };
    number_real first[CHAINS], second[CHAINS];
    x += pair * DENSE_GPU_THREADS;
    columns += pair * DENSE_GPU_COLUMNS;
    x->x += columns[DENSE_GPU_GAIN];
    x->y += columns[DENSE_GPU_GAIN + 1];
    first[0].part[0] = x->x;
    second[0].part[0] = x->y;
    DENSE_UNROLL
    for (int chain = 1; chain < CHAINS; chain++) {
        const int from = chain & (chain - 1), column = LOW + __ffs(chain) - 1;
        first[chain] = add_real(first[from], columns + column, 1);
        second[chain] = add_real(second[from], columns + DENSE_GPU_SECOND + column, 1);
    }
    DENSE_UNROLL
    for (int k = 0; k < LENGTH; k++) {
        DENSE_UNROLL
        for (int chain = 0; chain < CHAINS; chain++) {
            const int at = chain * LENGTH + k, bit = __ffs(k) - 1;
            if (k > 0) {
                first[chain] = add_real(first[chain], columns + bit, (k ^ k >> 1) >> bit & 1);
                second[chain] =
                    add_real(second[chain], columns + DENSE_GPU_SECOND + bit, (k ^ k >> 1) >> bit & 1);
            }
            const double one = start == 2 ? second[chain].part[0] : first[chain].part[0],
                         other = second[chain].part[0];
            const float reciprocal = bound_reciprocal(one, other);
            double *to = &product[at].part[0];
            *to = start == 2 ? other : (start == 1 ? one : *to * one) * other;
            reciprocals[at] = start ? reciprocal : reciprocals[at] + reciprocal;
        }
    }
}

// The sum of |product| weight over the subsets of a step.
__device__ __forceinline__ double bound_products(const number_real *product, const float *reciprocals,
                                                 const double *table) {
    const float limit = (float)table[BOUND_GPU_LIMIT];
    float largest = 0;
    double sum = 0;
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k++) {
        // The bits of a double that is next to the float from above.
        const unsigned high = (__float_as_uint(reciprocals[k]) >> 3) + 0x38000001u;
        sum = __fma_rn(fabs(product[k].part[0]), __hiloint2double((int)high, 0), sum);
        largest = fmaxf(largest, reciprocals[k]);
    }
    if (largest <= limit)
        return sum;
    DENSE_UNROLL
    for (int k = 0; k < 1 << DENSE_INNER; k++)
        if (reciprocals[k] > limit && product[k].part[0] != 0) {
            double power = 1 + reciprocals[k] * table[BOUND_GPU_SPREAD];
            DENSE_UNROLL
            for (int square = 0; square < 6; square++)
                power *= power;
            sum = __fma_rn(fabs(product[k].part[0]), power * table[BOUND_GPU_INVERSE_SLOPE], sum);
        }
    return sum;
}

SHIM_KERNEL void __launch_bounds__(DENSE_GPU_THREADS, 2)
    dense_gpu_certified_real(int n, int log2_steps, long long threads, long long first, const double *columns,
                             dense_gpu_certified_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const long long thread = (first + blockIdx.x) * DENSE_GPU_THREADS + threadIdx.x;
    const unsigned long long gray = (unsigned long long)(thread ^ thread >> 1);
    const double *table = columns + (n + 1) * n;
    const int fixed = DENSE_INNER + log2_steps, pairs = (n + 1) / 2;
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    double bound = 0, *inner = (double *)(shared + pairs * DENSE_GPU_THREADS);
    double2 *x = shared + threadIdx.x;
    dense_gpu_fill_inner(n, 1, DENSE_INNER, columns, inner);
    dense_gpu_fill_block(n, 1, fixed, gray, columns, inner);
    fill_real(n, fixed, (unsigned)gray, columns, inner, x);
    DENSE_NO_UNROLL
    for (int step = 0; step < 1 << log2_steps; step++) {
        number_real product[1 << DENSE_INNER];
        float reciprocals[1 << DENSE_INNER];
        dense_gpu_fill_gain(n, 1, DENSE_INNER, step, columns, inner);
        if (n % 2 != 0)
            bound_pair(2, 0, x, inner, product, reciprocals);
        else
            bound_pair(1, 0, x, inner, product, reciprocals);
        DENSE_NO_UNROLL
        for (int pair = 1; pair < pairs; pair++)
            bound_pair(0, pair, x, inner, product, reciprocals);
        bound += bound_products(product, reciprocals, table);
        add_products_real(product, step & 1 ? -1 : 1, &sum);
    }
    sums_gpu_add_certified(1, thread < threads, thread & 1 ? -1 : 1, sum, bound, (double *)shared,
                           &sums[blockIdx.x]);
}
