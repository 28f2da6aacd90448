/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of kernel.h, included once by the file of each instruction set. Before it are defined
 *
 *     BOUND_KERNEL       the kernel
 *     BOUND_LABEL        its name in lists
 *     BOUND_FEATURES     what the processor must have (processor.h)
 *     BOUND_SECONDS(c)   what `fits` of kernel.h says, complex where c is true
 *
 * and, unless the compiler lacks the instructions, in which case the kernel never fits,
 *
 *     BOUND_TARGET       the function attribute that turns the instructions on, or nothing
 *     BOUND_WIDTH        floats in a vector: 4, 8 or 16
 *     BOUND_PAIRS        pairs of products that fit into the registers: 4 or 8
 *     BOUND_FMA(a,b,c)   a b + c, a being a float, b and c vectors
 *     BOUND_FNMA(a,b,c)  c - a b
 *     BOUND_SQUARE(a,c)  a a + c
 *
 * Cost: for 16 lanes and 16 subsets 42 instructions a row of 16 floats each, complex 58, against 64 and 192
 * of 8 doubles for the sum itself. */
#include <stddef.h>
#ifdef BOUND_TARGET
#include <string.h>

#define BOUND_INLINE static inline __attribute__((always_inline)) BOUND_TARGET
#if defined(__clang__)
#define BOUND_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BOUND_UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vector __attribute__((vector_size(4 * BOUND_WIDTH)));
typedef uint32_t vector_bits __attribute__((vector_size(4 * BOUND_WIDTH)));
typedef double sum_vector __attribute__((vector_size(8 * BOUND_WIDTH)));

enum {
    GROUPS = PERM_PERTURBATION_LANES / BOUND_WIDTH,
    PAIRS = PERM_PERTURBATION_PAIRS,
    PIECES = PAIRS / BOUND_PAIRS,
    PRODUCTS = 2 * BOUND_PAIRS, /* in the registers */
    TOGETHER = 8
};

typedef struct state {
    vector x[PERM_PERTURBATION_LARGEST * 2 * GROUPS]; /* [row][part][group] */
    sum_vector sum[GROUPS];
} state;

/* x of the block before the first one: the first block adds nothing to it. */
BOUND_INLINE void start_lanes(const perm_perturbation_problem *problem, int64_t first, state *state) {
    const int64_t n = problem->n, parts = perm_perturbation_parts(problem);
    const uint64_t gray = (uint64_t)(first ^ first >> 1);
    for (int64_t row = 0; row < n; row++)
        for (int64_t part = 0; part < parts; part++) {
            const float *up = problem->up + part * n + row;
            float x = problem->start[part * n + row], lane_x[PERM_PERTURBATION_LANES];
            for (int64_t k = 0; k < n - 1 - PERM_PERTURBATION_FIRST; k++)
                if (gray >> k & 1)
                    x += up[(PERM_PERTURBATION_FIRST + k) * parts * n];
            lane_x[0] = x;
            for (unsigned lane = 1; lane < PERM_PERTURBATION_LANES; lane++)
                lane_x[lane] = lane_x[lane & (lane - 1)] +
                               up[(PERM_PERTURBATION_FIRST_LANE + __builtin_ctz(lane)) * parts * n];
            memcpy(&state->x[(row * parts + part) * GROUPS], lane_x, sizeof lane_x);
        }
}

/* What x gains from block-1 to block. */
BOUND_INLINE const float *find_step(const perm_perturbation_problem *problem, int64_t block) {
    const int64_t bit = __builtin_ctzll((uint64_t)block), parts = perm_perturbation_parts(problem);
    const bool up = (block ^ block >> 1) >> bit & 1;
    return (up ? problem->up : problem->down) + (PERM_PERTURBATION_FIRST + bit) * parts * problem->n;
}

/* The square root from above. */
BOUND_INLINE vector root(vector value) {
    return (vector)(((vector_bits)value >> 1) + 0x1fc00000u);
}

/* Multiplies a row into the products, or starts them with it. `x`: of the row, of a group; `step`: what it
 * gains, part by part. */
BOUND_INLINE void multiply_row(const float *pairs, bool is_complex, vector *x, const float *step, int64_t n,
                               bool keep, bool start, vector *product) {
    const vector re = keep ? x[0] + step[0] : x[0];
    vector im = re, square = re * re;
    if (keep)
        x[0] = re;
    if (is_complex) {
        im = keep ? x[GROUPS] + step[n] : x[GROUPS];
        if (keep)
            x[GROUPS] = im;
        square = BOUND_SQUARE(im, square);
    }
    BOUND_UNROLL
    for (int k = 0; k < BOUND_PAIRS; k++) {
        const vector middle = square + pairs[k];
        vector plus, minus;
        if (is_complex) {
            const vector gap = BOUND_FMA(pairs[2 * PAIRS + k], im, pairs[PAIRS + k] * re);
            plus = middle + gap;
            minus = middle - gap;
        } else {
            plus = BOUND_FMA(pairs[PAIRS + k], re, middle);
            minus = BOUND_FNMA(pairs[PAIRS + k], re, middle);
        }
        product[2 * k] = start ? plus : product[2 * k] * plus;
        product[2 * k + 1] = start ? minus : product[2 * k + 1] * minus;
    }
}

/* The roots of the products over rows first … end-1 of piece `piece` of a group. */
BOUND_INLINE void multiply_rows(const perm_perturbation_problem *problem, bool is_complex, vector *x,
                                const float *step, int piece, int64_t first, int64_t end, vector *result) {
    const int64_t n = problem->n, parts = 1 + is_complex;
    const float *pairs = problem->pairs + piece * BOUND_PAIRS;
    vector product[PRODUCTS];
    multiply_row(pairs + first * (1 + parts) * PAIRS, is_complex, x + first * parts * GROUPS, step + first, n,
                 piece == 0, true, product);
    for (int64_t row = first + 1; row < end; row++)
        multiply_row(pairs + row * (1 + parts) * PAIRS, is_complex, x + row * parts * GROUPS, step + row, n,
                     piece == 0, false, product);
    BOUND_UNROLL
    for (int k = 0; k < PRODUCTS; k++)
        result[k] = root(product[k]);
}

/* Of TOGETHER of them, whatever fits into the registers, so that all kernels add up in one order. */
BOUND_INLINE vector add_roots(const vector *root) {
    return ((root[0] + root[1]) + (root[2] + root[3])) + ((root[4] + root[5]) + (root[6] + root[7]));
}

BOUND_INLINE void add_group(const perm_perturbation_problem *problem, bool is_complex, const float *step,
                            int group, state *state) {
    for (int piece = 0; piece < PIECES; piece++) {
        vector roots[PRODUCTS], others[PRODUCTS];
        multiply_rows(problem, is_complex, state->x + group, step, piece, 0, problem->split, roots);
        if (problem->split < problem->n) {
            multiply_rows(problem, is_complex, state->x + group, step, piece, problem->split, problem->n,
                          others);
            BOUND_UNROLL
            for (int k = 0; k < PRODUCTS; k++)
                roots[k] *= others[k];
        }
        for (int k = 0; k < PRODUCTS; k += TOGETHER)
            state->sum[group] += __builtin_convertvector(add_roots(roots + k), sum_vector);
    }
}

BOUND_INLINE double run_blocks(const perm_perturbation_problem *problem, bool is_complex, int64_t first,
                               int64_t count) {
    static const float nothing[2 * PERM_PERTURBATION_LARGEST];
    state state;
    double lane_sum[PERM_PERTURBATION_LANES], sum = 0;
    memset(state.sum, 0, sizeof state.sum);
    start_lanes(problem, first, &state);
    for (int64_t block = first; block < first + count; block++) {
        const float *step = block > first ? find_step(problem, block) : nothing;
        for (int group = 0; group < GROUPS; group++)
            add_group(problem, is_complex, step, group, &state);
    }
    memcpy(lane_sum, state.sum, sizeof lane_sum);
    for (int lane = 0; lane < PERM_PERTURBATION_LANES; lane++)
        sum += lane_sum[lane];
    return sum;
}

static BOUND_TARGET double run(const perm_perturbation_problem *problem, int64_t first, int64_t count) {
    return problem->is_complex ? run_blocks(problem, true, first, count)
                               : run_blocks(problem, false, first, count);
}

static double fits(bool is_complex, unsigned features) {
    return (features & BOUND_FEATURES) != BOUND_FEATURES ? 0 : BOUND_SECONDS(is_complex);
}
#define BOUND_RUN run
#else
static double fits(bool is_complex, unsigned features) {
    (void)is_complex, (void)features;
    return 0;
}
#define BOUND_RUN NULL
#endif

const perm_perturbation_kernel BOUND_KERNEL = {BOUND_LABEL, fits, BOUND_RUN};
