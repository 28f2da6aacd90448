/* The kernel for dense permanents (kernel.h), included once by the file of each instruction set. Before it
 * are defined
 *
 *     DENSE_TARGET     the function attribute that turns the instructions on, or nothing
 *     DENSE_WIDTH      doubles in a vector: 2, 4 or 8
 *     DENSE_REAL       products that fit into the registers, real …
 *     DENSE_COMPLEX    … and complex: 2, 4, 8 or 16
 *     DENSE_FMA(a,b,c) a b + c, and DENSE_FNMA(a,b,c) c - a b, of vectors
 *
 * Cost: one addition and one multiplication for a (row, subset) pair. Lanes are subsets, so that nothing is
 * added across a vector, and a product stays in its register for all rows. The x of the products in registers
 * come from the row's first x in a tree: an addition each, and no chain longer than log2 of their number.
 * Outside the rows, adding the products and their magnitudes up takes 54 instructions a block, against 32 n
 * in the rows. */
#include <string.h>

#define DENSE_INLINE static inline __attribute__((always_inline)) DENSE_TARGET
#if defined(__clang__)
#define DENSE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DENSE_UNROLL _Pragma("GCC unroll 16")
#endif

enum { GROUPS = PERM_DENSE_LANES / DENSE_WIDTH, PRODUCTS = 1 << PERM_DENSE_INNER };

typedef double vector __attribute__((vector_size(8 * DENSE_WIDTH)));
typedef int64_t vector_bits __attribute__((vector_size(8 * DENSE_WIDTH)));

typedef struct state {
    vector x[PERM_DENSE_LARGEST * 2 * GROUPS];                   /* [row][part][group] */
    double offset[PRODUCTS / 2][PERM_DENSE_LARGEST * 2];         /* [piece][part][row], see fill_offsets */
    vector high[2 * GROUPS], low[2 * GROUPS], magnitude[GROUPS]; /* [part][group] */
} state;

/* x of the block before the first one: the first block adds nothing to it. */
DENSE_INLINE void start_lanes(const perm_dense_problem *problem, int64_t first, state *state) {
    const int64_t n = problem->n, parts = problem->is_complex ? 2 : 1;
    const uint64_t gray = (uint64_t)(first ^ first >> 1);
    for (int64_t row = 0; row < n; row++)
        for (int64_t part = 0; part < parts; part++) {
            double x = problem->start[part * n + row], lane_x[PERM_DENSE_LANES];
            for (int64_t k = 0; k < n - 1 - PERM_DENSE_FIRST; k++)
                if (gray >> k & 1)
                    x += problem->up[((PERM_DENSE_FIRST + k) * parts + part) * n + row];
            lane_x[0] = x;
            for (unsigned lane = 1; lane < PERM_DENSE_LANES; lane++)
                lane_x[lane] =
                    lane_x[lane & (lane - 1)] +
                    problem->up[((PERM_DENSE_INNER + __builtin_ctz(lane)) * parts + part) * n + row];
            memcpy(&state->x[(row * parts + part) * GROUPS], lane_x, sizeof lane_x);
        }
}

/* Fewer products than 16 in the registers: the rows are gone through once for each piece of the block, piece
 * p with the inner columns above the registers set as in the bits of p. */
DENSE_INLINE void fill_offsets(const perm_dense_problem *problem, int products, state *state) {
    const int64_t n = problem->n, parts = problem->is_complex ? 2 : 1;
    const int inside = __builtin_ctz((unsigned)products);
    memset(state->offset[0], 0, sizeof state->offset[0]);
    for (unsigned piece = 1; piece < (unsigned)(PRODUCTS / products); piece++)
        for (int64_t at = 0; at < parts * n; at++)
            state->offset[piece][at] = state->offset[piece & (piece - 1)][at] +
                                       problem->up[(inside + __builtin_ctz(piece)) * parts * n + at];
}

/* What x gains from block-1 to block. */
DENSE_INLINE const double *find_step(const perm_dense_problem *problem, int64_t block) {
    const int64_t bit = __builtin_ctzll((uint64_t)block), parts = problem->is_complex ? 2 : 1;
    const bool up = (block ^ block >> 1) >> bit & 1;
    return (up ? problem->up : problem->down) + (PERM_DENSE_FIRST + bit) * parts * problem->n;
}

/* Multiplies row `row` into the products, or starts them with it; `keep`: x + step is the new x. */
DENSE_INLINE void multiply_row_real(const double *inner, vector *x, const double *step, bool keep,
                                    int64_t row, bool start, vector *product) {
    vector sum[DENSE_REAL];
    sum[0] = x[row * GROUPS] + step[row];
    if (keep)
        x[row * GROUPS] = sum[0];
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_REAL; k++) {
        if (k > 0)
            sum[k] = sum[k & (k - 1)] + inner[row * PERM_DENSE_INNER + __builtin_ctz(k)];
        product[k] = start ? sum[k] : product[k] * sum[k];
    }
}

DENSE_INLINE void multiply_row_complex(const double *inner, vector *x, const double *step_re,
                                       const double *step_im, bool keep, int64_t row, bool start, vector *re,
                                       vector *im) {
    vector sum_re[DENSE_COMPLEX], sum_im[DENSE_COMPLEX];
    sum_re[0] = x[2 * row * GROUPS] + step_re[row];
    sum_im[0] = x[(2 * row + 1) * GROUPS] + step_im[row];
    if (keep) {
        x[2 * row * GROUPS] = sum_re[0];
        x[(2 * row + 1) * GROUPS] = sum_im[0];
    }
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_COMPLEX; k++) {
        if (k > 0) {
            const double *column = inner + 2 * row * PERM_DENSE_INNER + __builtin_ctz(k);
            sum_re[k] = sum_re[k & (k - 1)] + column[0];
            sum_im[k] = sum_im[k & (k - 1)] + column[PERM_DENSE_INNER];
        }
        if (start) {
            re[k] = sum_re[k];
            im[k] = sum_im[k];
        } else {
            const vector rx = re[k] * sum_re[k], ry = re[k] * sum_im[k];
            re[k] = DENSE_FNMA(im[k], sum_im[k], rx);
            im[k] = DENSE_FMA(im[k], sum_re[k], ry);
        }
    }
}

/* The products over all rows of one lane group. */
DENSE_INLINE void multiply_real(const perm_dense_problem *problem, vector *x, const double *step, bool keep,
                                vector *product) {
    vector result[DENSE_REAL];
    multiply_row_real(problem->inner, x, step, keep, 0, true, result);
    for (int64_t row = 1; row < problem->n; row++)
        multiply_row_real(problem->inner, x, step, keep, row, false, result);
    memcpy(product, result, sizeof result);
}

DENSE_INLINE void multiply_complex(const perm_dense_problem *problem, vector *x, const double *step,
                                   bool keep, vector *product_re, vector *product_im) {
    const double *step_im = step + problem->n;
    vector re[DENSE_COMPLEX], im[DENSE_COMPLEX];
    multiply_row_complex(problem->inner, x, step, step_im, keep, 0, true, re, im);
    for (int64_t row = 1; row < problem->n; row++)
        multiply_row_complex(problem->inner, x, step, step_im, keep, row, false, re, im);
    memcpy(product_re, re, sizeof re);
    memcpy(product_im, im, sizeof im);
}

/* The 16 with their signs, pairwise. */
DENSE_INLINE vector add_signed(const vector *product) {
    vector sum[PRODUCTS / 2];
    DENSE_UNROLL
    for (int k = 0; k < PRODUCTS / 2; k++)
        sum[k] = product[2 * k] - product[2 * k + 1];
    return ((sum[0] - sum[1]) - (sum[2] - sum[3])) - ((sum[4] - sum[5]) - (sum[6] - sum[7]));
}

DENSE_INLINE vector magnitude(vector value) {
    return (vector)((vector_bits)value & INT64_MAX);
}

DENSE_INLINE vector add_magnitudes(const vector *size) {
    vector sum[PRODUCTS / 2];
    DENSE_UNROLL
    for (int k = 0; k < PRODUCTS / 2; k++)
        sum[k] = size[2 * k] + size[2 * k + 1];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* high + low gain the value without an error but that of low. */
DENSE_INLINE void two_sum(vector *high, vector *low, vector value) {
    const vector sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

DENSE_INLINE void add_block_real(const perm_dense_problem *problem, const double *step, double sign,
                                 state *state) {
    for (int group = 0; group < GROUPS; group++) {
        vector product[PRODUCTS], size[PRODUCTS];
        multiply_real(problem, state->x + group, step, true, product);
        for (int piece = 1; piece < PRODUCTS / DENSE_REAL; piece++)
            multiply_real(problem, state->x + group, state->offset[piece], false,
                          product + piece * DENSE_REAL);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++)
            size[k] = magnitude(product[k]);
        two_sum(&state->high[group], &state->low[group], sign * add_signed(product));
        state->magnitude[group] += add_magnitudes(size);
    }
}

DENSE_INLINE void add_block_complex(const perm_dense_problem *problem, const double *step, double sign,
                                    state *state) {
    for (int group = 0; group < GROUPS; group++) {
        vector re[PRODUCTS], im[PRODUCTS], size[PRODUCTS];
        multiply_complex(problem, state->x + group, step, true, re, im);
        for (int piece = 1; piece < PRODUCTS / DENSE_COMPLEX; piece++)
            multiply_complex(problem, state->x + group, state->offset[piece], false,
                             re + piece * DENSE_COMPLEX, im + piece * DENSE_COMPLEX);
        DENSE_UNROLL
        for (int k = 0; k < PRODUCTS; k++)
            size[k] = magnitude(re[k]) + magnitude(im[k]);
        two_sum(&state->high[group], &state->low[group], sign * add_signed(re));
        two_sum(&state->high[GROUPS + group], &state->low[GROUPS + group], sign * add_signed(im));
        state->magnitude[group] += add_magnitudes(size);
    }
}

static DENSE_TARGET void run(const perm_dense_problem *problem, int64_t first, int64_t count,
                             perm_dense_sums *sums) {
    state state;
    memset(state.high, 0, sizeof state.high);
    memset(state.low, 0, sizeof state.low);
    memset(state.magnitude, 0, sizeof state.magnitude);
    start_lanes(problem, first, &state);
    fill_offsets(problem, problem->is_complex ? DENSE_COMPLEX : DENSE_REAL, &state);
    const double *step = state.offset[0];
    for (int64_t block = first; block < first + count; block++) {
        if (block > first)
            step = find_step(problem, block);
        const double sign = block % 2 != 0 ? -1 : 1;
        if (problem->is_complex)
            add_block_complex(problem, step, sign, &state);
        else
            add_block_real(problem, step, sign, &state);
    }
    memcpy(sums->high, state.high, sizeof sums->high);
    memcpy(sums->low, state.low, sizeof sums->low);
    memcpy(sums->magnitude, state.magnitude, sizeof sums->magnitude);
}
