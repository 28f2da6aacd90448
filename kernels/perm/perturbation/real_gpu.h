/* SPDX-License-Identifier: BSD-3-Clause */
// Device code for the bound of gpu.h for real matrices, included once, behind dense/gpu_body.h for real ones:
// dense_gpu_certified_real. Its products are those of dense_gpu_real but for the order of their factors: four
// rows at a time, (x_1 x_2) (x_3 x_4).
//
// Cost: an instruction of any kind delays those of double precision, so there are few. For four rows and two
// subsets, beside 16 additions and multiplications, one that takes the high halves of the high words of both
// products, one for their reciprocals and one that adds them up; and some 20 for four rows of a step.

enum { BOUND_CHAINS = 1 << DENSE_CHAINS, BOUND_LENGTH = 1 << (DENSE_INNER - DENSE_CHAINS) };

// Two numbers of 16 bits, the highest of a float: of subset k of the first chain (low half) and of the
// second.
typedef unsigned bound_two;

// a b + c of both, rounded to nearest.
__device__ __forceinline__ bound_two bound_fma(bound_two a, bound_two b, bound_two c) {
    bound_two d = 0;
#ifdef __CUDACC__
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
#else
    for (int half = 0; half < 32; half += 16) {
        const unsigned bits =
            __float_as_uint(__fmaf_rn(__uint_as_float(a >> half << 16), __uint_as_float(b >> half << 16),
                                      __uint_as_float(c >> half << 16)));
        d |= (bits + 0x7fffu + (bits >> 16 & 1)) >> 16 << half;
    }
#endif
    return d;
}

// 2^-BOUND_GPU_SCALE / |first| and / |second| from above.
__device__ __forceinline__ bound_two bound_reciprocals(double first, double second) {
    const unsigned both =
        __byte_perm((unsigned)__double2hiint(first), (unsigned)__double2hiint(second), 0x7632);
    return (((126u - BOUND_GPU_SCALE) << 7) * 0x10001u + 0x60000u) - 8 * both;
}

// At least the largest |x| of a row in the subsets of a step that begins with x.
__device__ __forceinline__ float bound_width(double x, bound_gpu_span span) {
    return fabsf((float)x + span.shift) + span.half;
}

// The same number twice, rounded up.
__device__ __forceinline__ bound_two bound_twice(float number) {
    return ((__float_as_uint(number) >> 16) + 1) * 0x10001u;
}

// x of both chains for the rows of a pair, whose gains are added.
__device__ __forceinline__ void bound_begin(double2 *x, const double *columns, double (*row)[BOUND_CHAINS]) {
    const int column = DENSE_INNER - DENSE_CHAINS;
    number_real first, second;
    gain_pair_real(x, columns, &first, &second);
    row[0][0] = first.part[0];
    row[0][1] = first.part[0] + columns[column];
    row[1][0] = second.part[0];
    row[1][1] = second.part[0] + columns[DENSE_GPU_SECOND + column];
}

// x of a chain at its place k > 0.
__device__ __forceinline__ double bound_step(int row, int k, double x, const double *columns) {
    const int bit = __ffs(k) - 1;
    const double column = columns[row / 2 * DENSE_GPU_COLUMNS + row % 2 * DENSE_GPU_SECOND + bit];
    return (k ^ k >> 1) >> bit & 1 ? x + column : x - column;
}

// Multiplies rows `first` … end-1 of two pairs into the products, or starts them, and adds up what bounds
// their reciprocals.
__device__ __forceinline__ void bound_group(int start, int first, int end, double2 *x, const double *columns,
                                            const bound_gpu_span *spans, number_real *product,
                                            bound_two *reciprocals) {
    double row[4][BOUND_CHAINS];
    float width[4] = {1, 1, 1, 1};
    DENSE_UNROLL
    for (int pair = 0; 2 * pair < end; pair++)
        bound_begin(x + pair * DENSE_GPU_THREADS, columns + pair * DENSE_GPU_COLUMNS, row + 2 * pair);
    DENSE_UNROLL
    for (int r = first; r < end; r++)
        width[r] = bound_width(row[r][0], spans[r]);
    float sum = width[0] + width[1];
    if (end - first == 1)
        sum = 1;
    else if (end - first == 4)
        sum = __fmaf_rn(sum, width[2] * width[3], width[0] * width[1] * (width[2] + width[3]));
    const bound_two widths = bound_twice(sum);
    DENSE_UNROLL
    for (int k = 0; k < BOUND_LENGTH; k++) {
        double q[BOUND_CHAINS];
        DENSE_UNROLL
        for (int chain = 0; chain < BOUND_CHAINS; chain++) {
            DENSE_UNROLL
            for (int r = first; r < end; r++)
                row[r][chain] = k > 0 ? bound_step(r, k, row[r][chain], columns) : row[r][chain];
            q[chain] = first == 0 ? row[0][chain] * row[1][chain] : row[1][chain];
            if (end == 4)
                q[chain] *= row[2][chain] * row[3][chain];
            double *to = &product[chain * BOUND_LENGTH + k].part[0];
            *to = start ? q[chain] : *to * q[chain];
        }
        reciprocals[k] = bound_fma(bound_reciprocals(q[0], q[1]), widths, start ? 0 : reciprocals[k]);
    }
}

// |product| weight of subset `at` of the step at length, from its row sums.
__device__ double bound_subset(int n, int at, const double2 *x, const double *inner, const double *table) {
    const int place = at % BOUND_LENGTH, plus = (place ^ place >> 1) | at / BOUND_LENGTH * BOUND_LENGTH;
    double product = 1, sum = 0;
    for (int slot = n % 2; slot < n + n % 2; slot++) {
        const double2 both = x[slot / 2 * DENSE_GPU_THREADS];
        const double *columns = inner + slot / 2 * DENSE_GPU_COLUMNS + slot % 2 * DENSE_GPU_SECOND;
        double value = slot % 2 == 0 ? both.x : both.y;
        for (int bit = 0; bit < DENSE_INNER; bit++)
            value += plus >> bit & 1 ? columns[bit] : 0;
        product *= value;
        sum += 1 / fabs(value);
    }
    if (product == 0)
        return 0;
    if (sum > table[BOUND_GPU_LIMIT]) {
        double power = 1 + sum * table[BOUND_GPU_SPREAD];
        for (int square = 0; square < 6; square++)
            power *= power;
        sum = power * table[BOUND_GPU_INVERSE_SLOPE];
    }
    return fabs(product) * sum;
}

// A chain's number of two as a double.
__device__ __forceinline__ double bound_weight(bound_two two, int chain) {
    const unsigned bits = chain == 0 ? two << 16 : two & 0xffff0000u;
    return __hiloint2double((int)(bits / 8 + ((1023u - 127u + BOUND_GPU_SCALE) << 20)), 0);
}

// The sum of |product| weight over the subsets of a step.
__device__ __forceinline__ double bound_products(int n, const number_real *product,
                                                 const bound_two *reciprocals, const double2 *x,
                                                 const double *inner, const double *table) {
    const double limit = table[BOUND_GPU_LIMIT];
    const bound_two one = 0x3f803f80u;
    bound_two all = 0;
    double sum = 0;
    DENSE_UNROLL
    for (int at = 0; at < 1 << DENSE_INNER; at++) {
        const bound_two two = reciprocals[at % BOUND_LENGTH];
        sum = __fma_rn(fabs(product[at].part[0]), bound_weight(two, at / BOUND_LENGTH), sum);
        all = at < BOUND_LENGTH ? bound_fma(two, one, all) : all;
    }
    // No number is larger than the sum of all.
    if (bound_weight(all, 0) <= limit && bound_weight(all, 1) <= limit)
        return sum;
    sum = 0;
    DENSE_NO_UNROLL
    for (int at = 0; at < 1 << DENSE_INNER; at++)
        sum += bound_subset(n, at, x, inner, table);
    return sum;
}

// The spans of the rows, behind the pairs of `inner`.
__device__ void bound_fill_spans(int n, const double *columns, bound_gpu_span *spans) {
    for (int at = threadIdx.x; at < n; at += DENSE_GPU_THREADS) {
        double shift = 0, half = 0;
        for (int k = 0; k < DENSE_INNER; k++) {
            shift += columns[(k + 1) * n + at] / 2;
            half += fabs(columns[(k + 1) * n + at]) / 2;
        }
        spans[at + n % 2].shift = (float)shift;
        spans[at + n % 2].half = (float)half + BOUND_GPU_SLACK;
    }
}

// All rows of a step: one or two pairs, so that pairs are left two by two.
__device__ __forceinline__ void bound_multiply_rows(int n, double2 *x, const double *inner,
                                                    const bound_gpu_span *spans, number_real *product,
                                                    bound_two *reciprocals) {
    const int pairs = (n + 1) / 2;
    if (n % 2 != 0)
        bound_group(1, 1, 2, x, inner, spans, product, reciprocals);
    else
        bound_group(1, 0, 2, x, inner, spans, product, reciprocals);
    if (pairs % 2 == 0)
        bound_group(0, 0, 2, x + DENSE_GPU_THREADS, inner + DENSE_GPU_COLUMNS, spans + 2, product,
                    reciprocals);
    DENSE_NO_UNROLL
    for (int pair = 2 - pairs % 2; pair < pairs; pair += 2)
        bound_group(0, 0, 4, x + pair * DENSE_GPU_THREADS, inner + pair * DENSE_GPU_COLUMNS, spans + 2 * pair,
                    product, reciprocals);
}

SHIM_KERNEL void __launch_bounds__(DENSE_GPU_THREADS, 2)
    dense_gpu_certified_real(int n, int log2_steps, long long threads, long long first, const double *columns,
                             dense_gpu_certified_sums *sums) {
    SHIM_DYNAMIC_SHARED(double2, shared);
    const long long thread = (first + blockIdx.x) * DENSE_GPU_THREADS + threadIdx.x;
    const double *table = columns + (n + 1) * n;
    const int pairs = (n + 1) / 2;
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    double bound = 0, *inner = (double *)(shared + pairs * DENSE_GPU_THREADS);
    bound_gpu_span *spans = (bound_gpu_span *)(inner + pairs * DENSE_GPU_COLUMNS);
    double2 *x = shared + threadIdx.x;
    bound_fill_spans(n, columns, spans);
    begin_thread_real(n, DENSE_INNER + log2_steps, thread, columns, inner, x);
    DENSE_NO_UNROLL
    for (int step = 0; step < 1 << log2_steps; step++) {
        number_real product[1 << DENSE_INNER];
        bound_two reciprocals[BOUND_LENGTH];
        dense_gpu_fill_gain(n, 1, DENSE_INNER, step, columns, inner);
        bound_multiply_rows(n, x, inner, spans, product, reciprocals);
        bound += bound_products(n, product, reciprocals, x, inner, table);
        add_products_real(product, step & 1 ? -1 : 1, &sum);
    }
    sums_gpu_add_certified(1, thread < threads, thread & 1 ? -1 : 1, sum, bound, (double *)shared,
                           &sums[blockIdx.x]);
}
