/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel for sparse permanents (kernel.h), included once by the file of each instruction set.
 * Before it are defined
 *
 *     SPARSE_TARGET     the function attribute that turns the instructions on, or nothing
 *     SPARSE_WIDTH      doubles in a vector: 2, 4 or 8
 *     SPARSE_FMA(a,b,c) a b + c, and SPARSE_FNMA(a,b,c) c - a b, of vectors
 *
 * Lanes are runs, so every instruction of the program is a loop over the entries of a table, of vectors all
 * of whose lanes do the same. What bounds it is the first-level cache: two loads and a store for an
 * operation. */
#include <string.h>

#define SPARSE_INLINE static inline __attribute__((always_inline)) SPARSE_TARGET

enum { GROUPS = PERM_SPARSE_LANES / SPARSE_WIDTH };

typedef double vector __attribute__((vector_size(8 * SPARSE_WIDTH)));
typedef int64_t vector_bits __attribute__((vector_size(8 * SPARSE_WIDTH)));
typedef perm_sparse_instruction instruction;

SPARSE_INLINE vector absolute(vector value) {
    return (vector)((vector_bits)value & INT64_MAX);
}

typedef struct number {
    vector re, im;
} number;

/* A table, from one group of lanes on. Loops are made for tables with and without sizes, without tests. */
typedef struct place {
    vector *value, *size;
} place;

SPARSE_INLINE place find(vector *work, perm_sparse_table table, int group) {
    return (place){work + (int64_t)table.value * GROUPS + group, work + (int64_t)table.size * GROUPS + group};
}

SPARSE_INLINE number load(place table, int64_t entry, const int PARTS) {
    number value;
    value.re = table.value[entry * PARTS * GROUPS];
    value.im = PARTS == 2 ? table.value[(entry * PARTS + 1) * GROUPS] : value.re;
    return value;
}

SPARSE_INLINE void store(place table, int64_t entry, number value, const int PARTS) {
    table.value[entry * PARTS * GROUPS] = value.re;
    if (PARTS == 2)
        table.value[(entry * PARTS + 1) * GROUPS] = value.im;
}

/* |value|, complex from above (kernel.h). */
SPARSE_INLINE vector measure(number value, const int PARTS) {
    const vector re = absolute(value.re);
    if (PARTS == 1)
        return re;
    const vector im = absolute(value.im), gap = (vector){0} + PERM_SPARSE_SIZE_GAP;
    return SPARSE_FMA(gap, absolute(re - im), PERM_SPARSE_SIZE_SUM * (re + im));
}

/* The size of an entry whose value was loaded. */
SPARSE_INLINE vector load_size(place table, const bool SIZED, int64_t entry, number value, const int PARTS) {
    return SIZED ? table.size[entry * GROUPS] : measure(value, PARTS);
}

SPARSE_INLINE number multiply(number left, number right, const int PARTS) {
    number product;
    product.re = product.im = left.re * right.re;
    if (PARTS == 2) {
        const vector im = left.re * right.im;
        product.re = SPARSE_FNMA(left.im, right.im, product.re);
        product.im = SPARSE_FMA(left.im, right.re, im);
    }
    return product;
}

SPARSE_INLINE void fill_row(const double *constant, const instruction *step, vector *work, const int PARTS) {
    constant += (int64_t)step->start * PARTS;
    for (int group = 0; group < GROUPS; group++) {
        const place result = find(work, step->result, group);
        const number x = load(find(work, step->left, group), 0, PARTS);
        for (int64_t e = 0; e < step->count; e++) {
            number value;
            value.re = x.re + constant[e * PARTS];
            value.im = PARTS == 2 ? x.im + constant[e * PARTS + 1] : value.re;
            store(result, e, value, PARTS);
        }
    }
}

SPARSE_INLINE void multiply_tables(const uint16_t *index, const instruction *step, vector *work,
                                   const bool LEFT, const bool RIGHT, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        const place left = find(work, step->left, group), right = find(work, step->right, group),
                    result = find(work, step->result, group);
        for (int64_t e = 0; e < step->count; e++) {
            const int64_t a = index[2 * e], b = index[2 * e + 1];
            const number l = load(left, a, PARTS), r = load(right, b, PARTS);
            store(result, e, multiply(l, r, PARTS), PARTS);
            if (LEFT || RIGHT)
                result.size[e * GROUPS] =
                    load_size(left, LEFT, a, l, PARTS) * load_size(right, RIGHT, b, r, PARTS);
        }
    }
}

/* The products are at hand where values are complex, and their sizes are then fewer than those of factors. */
SPARSE_INLINE void sum_tables(const uint16_t *index, const instruction *step, vector *work, const bool LEFT,
                              const bool RIGHT, const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        const place left = find(work, step->left, group), right = find(work, step->right, group),
                    result = find(work, step->result, group);
        for (int64_t e = 0; e < step->count; e++) {
            const int64_t a = index[4 * e], b = index[4 * e + 1], c = index[4 * e + 2], d = index[4 * e + 3];
            const number l0 = load(left, a, PARTS), r0 = load(right, b, PARTS), l1 = load(left, c, PARTS),
                         r1 = load(right, d, PARTS), first = multiply(l0, r0, PARTS);
            number second = {0};
            if (PARTS == 2) {
                second = multiply(l1, r1, PARTS);
                store(result, e, (number){first.re - second.re, first.im - second.im}, PARTS);
            } else {
                result.value[e * GROUPS] = SPARSE_FNMA(l1.re, r1.re, first.re);
            }
            if (PARTS == 2 && !LEFT && !RIGHT) {
                result.size[e * GROUPS] = measure(first, PARTS) + measure(second, PARTS);
                continue;
            }
            const vector size =
                LEFT || RIGHT ? load_size(left, LEFT, a, l0, PARTS) * load_size(right, RIGHT, b, r0, PARTS)
                              : absolute(first.re);
            result.size[e * GROUPS] =
                SPARSE_FMA(load_size(left, LEFT, c, l1, PARTS), load_size(right, RIGHT, d, r1, PARTS), size);
        }
    }
}

SPARSE_INLINE void sum_one(const uint16_t *index, const instruction *step, vector *work, const bool LEFT,
                           const int PARTS) {
    for (int group = 0; group < GROUPS; group++) {
        const place left = find(work, step->left, group), result = find(work, step->result, group);
        for (int64_t e = 0; e < step->count; e++) {
            const int64_t a = index[2 * e], b = index[2 * e + 1];
            const number l0 = load(left, a, PARTS), l1 = load(left, b, PARTS);
            store(result, e, (number){l0.re - l1.re, l0.im - l1.im}, PARTS);
            result.size[e * GROUPS] =
                load_size(left, LEFT, a, l0, PARTS) + load_size(left, LEFT, b, l1, PARTS);
        }
    }
}

/* A loop for each case of sizes: a test inside it would cost as much as the operation. */
#define SPARSE_CASES(loop, ...)                                                                              \
    do {                                                                                                     \
        if (!left && !right)                                                                                 \
            loop(__VA_ARGS__, false, false, PARTS);                                                          \
        else if (!right)                                                                                     \
            loop(__VA_ARGS__, true, false, PARTS);                                                           \
        else if (!left)                                                                                      \
            loop(__VA_ARGS__, false, true, PARTS);                                                           \
        else                                                                                                 \
            loop(__VA_ARGS__, true, true, PARTS);                                                            \
    } while (0)

SPARSE_INLINE void run_block(const perm_sparse_problem *problem, vector *work, const int PARTS) {
    for (int64_t k = 0; k < problem->instruction_count; k++) {
        const instruction *step = &problem->instructions[k];
        const uint16_t *index = problem->index + step->start;
        const bool left = step->left.size >= 0, right = step->right.size >= 0;
        switch (step->action) {
        case PERM_SPARSE_ROW: fill_row(problem->constant, step, work, PARTS); break;
        case PERM_SPARSE_MULTIPLY: SPARSE_CASES(multiply_tables, index, step, work); break;
        case PERM_SPARSE_SUM: SPARSE_CASES(sum_tables, index, step, work); break;
        case PERM_SPARSE_SUM_ONE:
            if (left)
                sum_one(index, step, work, true, PARTS);
            else
                sum_one(index, step, work, false, PARTS);
            break;
        }
    }
}

/* x of the first block of runs first … first+7. */
SPARSE_INLINE void start_lanes(const perm_sparse_problem *problem, int64_t first, double *x) {
    const int64_t parts = problem->is_complex ? 2 : 1, inside = problem->low + problem->middle;
    for (int64_t at = 0; at < problem->n * parts; at++)
        for (int lane = 0; lane < PERM_SPARSE_LANES; lane++)
            x[at * PERM_SPARSE_LANES + lane] = problem->start[at];
    for (int64_t column = inside; column < problem->n - 1; column++)
        for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
            for (int64_t part = 0; part < parts; part++)
                for (int lane = 0; lane < PERM_SPARSE_LANES; lane++)
                    if ((first + lane) >> (column - inside) & 1)
                        x[(problem->row[e] * parts + part) * PERM_SPARSE_LANES + lane] +=
                            problem->twice[e * parts + part];
}

/* From block-1 to block. */
SPARSE_INLINE void change_column(const perm_sparse_problem *problem, int64_t block, vector *work,
                                 const int PARTS) {
    const int bit = __builtin_ctzll((uint64_t)block);
    const double sign = (block ^ block >> 1) >> bit & 1 ? 1 : -1;
    const int64_t column = problem->low + bit;
    for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
        for (int part = 0; part < PARTS; part++)
            for (int group = 0; group < GROUPS; group++)
                work[(problem->row[e] * PARTS + part) * GROUPS + group] +=
                    sign * problem->twice[e * PARTS + part];
}

/* high + low gain the value without an error but that of low. */
SPARSE_INLINE void two_sum(vector *high, vector *low, vector value) {
    const vector sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

SPARSE_INLINE void run_parts(const perm_sparse_problem *problem, vector *work, perm_sparse_sums *sums,
                             const int PARTS) {
    const int64_t blocks = INT64_C(1) << problem->middle;
    vector high[2 * GROUPS], low[2 * GROUPS], magnitude[GROUPS];
    memset(high, 0, sizeof high);
    memset(low, 0, sizeof low);
    memset(magnitude, 0, sizeof magnitude);
    for (int64_t block = 0; block < blocks; block++) {
        const double sign = block % 2 != 0 ? -1 : 1;
        if (block > 0)
            change_column(problem, block, work, PARTS);
        run_block(problem, work, PARTS);
        for (int group = 0; group < GROUPS; group++) {
            const place root = find(work, problem->root, group);
            const number value = load(root, 0, PARTS);
            two_sum(&high[group], &low[group], sign * value.re);
            if (PARTS == 2)
                two_sum(&high[GROUPS + group], &low[GROUPS + group], sign * value.im);
            magnitude[group] += *root.size;
        }
    }
    memcpy(sums->high, high, sizeof high);
    memcpy(sums->low, low, sizeof low);
    memcpy(sums->magnitude, magnitude, sizeof magnitude);
}

/* Nanoseconds for an entry of 8 lanes, by the instruction that makes it, with AVX-512. Fitted to 98 blocks of
 * orders 21 to 62, on which their sum is between 0.93 and 1.2 times what was measured. */
typedef struct rates {
    double row, multiply, multiply_sizes, sum, sum_one;
} rates;

static inline double price_instruction(const instruction *step, const rates *rates) {
    const bool has_sizes = step->result.size >= 0 && (step->left.size >= 0 || step->right.size >= 0);
    switch (step->action) {
    case PERM_SPARSE_ROW: return rates->row;
    case PERM_SPARSE_MULTIPLY: return has_sizes ? rates->multiply_sizes : rates->multiply;
    case PERM_SPARSE_SUM: return rates->sum;
    default: return rates->sum_one;
    }
}

/* Seconds for a block of 8 lanes, where everything takes `slower` times as long. Above 0 for an empty one. */
static inline double price_block(const perm_sparse_problem *problem, const rates *rates, double slower) {
    double nanoseconds = 1;
    for (int64_t k = 0; k < problem->instruction_count; k++)
        nanoseconds += price_instruction(&problem->instructions[k], rates) * problem->instructions[k].count;
    return 1e-9 * slower * nanoseconds;
}

static inline double price_tables(const perm_sparse_problem *problem, double slower) {
    static const rates real = {2.1, 1.25, 3.35, 3.4, 2.4}, complex = {4.1, 2.9, 4.1, 4.9, 8.3};
    return price_block(problem, problem->is_complex ? &complex : &real, slower);
}

static SPARSE_TARGET void run(const perm_sparse_problem *problem, int64_t first, double *work,
                              perm_sparse_sums *sums) {
    start_lanes(problem, first, work);
    if (problem->is_complex)
        run_parts(problem, (vector *)work, sums, 2);
    else
        run_parts(problem, (vector *)work, sums, 1);
}
