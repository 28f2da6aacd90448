/* The kernel for sparse permanents (sparse_kernel.h), included once by the file of each instruction set.
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

/* Values and sizes of an entry; G: the group of lanes. */
#define VALUE(table, entry, part) (work + (((table).value + (entry)*PARTS + (part)) * GROUPS + G))
#define SIZE(table, entry) (work + (((table).size + (entry)) * GROUPS + G))

SPARSE_INLINE vector absolute(vector value) {
    return (vector)((vector_bits)value & INT64_MAX);
}

typedef struct number {
    vector re, im;
} number;

SPARSE_INLINE number load(const vector *work, perm_sparse_table table, int64_t entry, const int PARTS,
                          const int G) {
    number value;
    value.re = *VALUE(table, entry, 0);
    value.im = PARTS == 2 ? *VALUE(table, entry, 1) : value.re;
    return value;
}

SPARSE_INLINE void store(vector *work, perm_sparse_table table, int64_t entry, number value, const int PARTS,
                         const int G) {
    *VALUE(table, entry, 0) = value.re;
    if (PARTS == 2)
        *VALUE(table, entry, 1) = value.im;
}

SPARSE_INLINE vector load_size(const vector *work, perm_sparse_table table, int64_t entry, number value,
                               const int PARTS, const int G) {
    if (table.size >= 0)
        return *SIZE(table, entry);
    return PARTS == 2 ? absolute(value.re) + absolute(value.im) : absolute(value.re);
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

/* first - left right */
SPARSE_INLINE number subtract_product(number first, number left, number right, const int PARTS) {
    number result;
    if (PARTS == 2) {
        const number product = multiply(left, right, PARTS);
        result.re = first.re - product.re;
        result.im = first.im - product.im;
    } else {
        result.re = result.im = SPARSE_FNMA(left.re, right.re, first.re);
    }
    return result;
}

SPARSE_INLINE void fill_row(const double *constant, const instruction *step, vector *work, const int PARTS) {
    constant += (int64_t)step->start * PARTS;
    for (int G = 0; G < GROUPS; G++) {
        const number x = load(work, step->left, 0, PARTS, G);
        store(work, step->result, 0, x, PARTS, G);
        for (int64_t e = 1; e < step->count; e++) {
            number value;
            value.re = x.re + constant[e * PARTS];
            value.im = PARTS == 2 ? x.im + constant[e * PARTS + 1] : value.re;
            store(work, step->result, e, value, PARTS, G);
        }
    }
}

SPARSE_INLINE void multiply_tables(const uint16_t *index, const instruction *step, vector *work,
                                   const int PARTS) {
    const perm_sparse_table left = step->left, right = step->right, result = step->result;
    index += step->start;
    for (int64_t e = 0; e < step->count; e++, index += 2)
        for (int G = 0; G < GROUPS; G++) {
            const number l = load(work, left, index[0], PARTS, G), r = load(work, right, index[1], PARTS, G);
            store(work, result, e, multiply(l, r, PARTS), PARTS, G);
            if (result.size >= 0)
                *SIZE(result, e) = load_size(work, left, index[0], l, PARTS, G) *
                                   load_size(work, right, index[1], r, PARTS, G);
        }
}

SPARSE_INLINE void sum_tables(const uint16_t *index, const instruction *step, vector *work, const int PARTS) {
    const perm_sparse_table left = step->left, right = step->right, result = step->result;
    index += step->start;
    for (int64_t e = 0; e < step->count; e++, index += 4)
        for (int G = 0; G < GROUPS; G++) {
            const number l0 = load(work, left, index[0], PARTS, G),
                         r0 = load(work, right, index[1], PARTS, G),
                         l1 = load(work, left, index[2], PARTS, G),
                         r1 = load(work, right, index[3], PARTS, G), first = multiply(l0, r0, PARTS);
            store(work, result, e, subtract_product(first, l1, r1, PARTS), PARTS, G);
            const vector size = load_size(work, left, index[0], l0, PARTS, G) *
                                load_size(work, right, index[1], r0, PARTS, G);
            *SIZE(result, e) = SPARSE_FMA(load_size(work, left, index[2], l1, PARTS, G),
                                          load_size(work, right, index[3], r1, PARTS, G), size);
        }
}

SPARSE_INLINE void sum_one(const uint16_t *index, const instruction *step, vector *work, const int PARTS) {
    const perm_sparse_table left = step->left, result = step->result;
    index += step->start;
    for (int64_t e = 0; e < step->count; e++, index += 2)
        for (int G = 0; G < GROUPS; G++) {
            const number l0 = load(work, left, index[0], PARTS, G), l1 = load(work, left, index[1], PARTS, G);
            store(work, result, e, (number){l0.re - l1.re, l0.im - l1.im}, PARTS, G);
            *SIZE(result, e) =
                load_size(work, left, index[0], l0, PARTS, G) + load_size(work, left, index[1], l1, PARTS, G);
        }
}

SPARSE_INLINE void run_block(const perm_sparse_problem *problem, vector *work, const int PARTS) {
    for (int64_t k = 0; k < problem->instruction_count; k++) {
        const instruction *step = &problem->instructions[k];
        switch (step->action) {
        case PERM_SPARSE_ROW: fill_row(problem->constant, step, work, PARTS); break;
        case PERM_SPARSE_MULTIPLY: multiply_tables(problem->index, step, work, PARTS); break;
        case PERM_SPARSE_SUM: sum_tables(problem->index, step, work, PARTS); break;
        case PERM_SPARSE_SUM_ONE: sum_one(problem->index, step, work, PARTS); break;
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
            for (int G = 0; G < GROUPS; G++)
                work[(problem->row[e] * PARTS + part) * GROUPS + G] +=
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
        for (int G = 0; G < GROUPS; G++) {
            const number value = load(work, problem->root, 0, PARTS, G);
            two_sum(&high[G], &low[G], sign * value.re);
            if (PARTS == 2)
                two_sum(&high[GROUPS + G], &low[GROUPS + G], sign * value.im);
            magnitude[G] += *SIZE(problem->root, 0);
        }
    }
    memcpy(sums->high, high, sizeof high);
    memcpy(sums->low, low, sizeof low);
    memcpy(sums->magnitude, magnitude, sizeof magnitude);
}

static SPARSE_TARGET void run(const perm_sparse_problem *problem, int64_t first, double *work,
                              perm_sparse_sums *sums) {
    start_lanes(problem, first, work);
    if (problem->is_complex)
        run_parts(problem, (vector *)work, sums, 2);
    else
        run_parts(problem, (vector *)work, sums, 1);
}
