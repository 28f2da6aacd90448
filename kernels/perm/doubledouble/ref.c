/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of kernel.h as it is written there: every x from scratch, every product alone; complex ones
 * too. For real problems the bits of the others.
 *
 * A complex multiplication is off by at most 34 u^2 + O(u^3) of the moduli's product, u = 2^-53: with M that
 * product, a part of the result has two exact products, which differ by s + e, |e| <= u M, exactly; to their
 * errors, u M together, are added the two (four) products with low parts, u M (2 u M) in all, by fma. These
 * roundings are at most u^2 M + 4 u^2 M (and 6 u^2 M), that of the sum with e 4 u^2 M, the products of low
 * parts left out u^2 M, and the last FastTwoSum, whose first summand may have cancelled, is off by at most 8
 * u^2 M: 24 u^2 M for each part. */
#include "perm/doubledouble/kernel.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS = 1 << PERM_DENSE_INNER };

typedef struct dd {
    double high, low;
} dd;

typedef struct number {
    dd part[2];
} number;

static double fits(const perm_dense_problem *problem, unsigned features) {
    const double n = (double)problem->n, row_seconds = n * 1e-9 + (features & CPU_AVX2 ? 1e-8 : 1e-7);
    return row_seconds * perm_dense_parts(problem) * perm_dense_units(problem);
}

static dd two_sum(double a, double b) {
    const double sum = a + b, rest = sum - a;
    return (dd){sum, (a - (sum - rest)) + (b - rest)};
}

static dd fast_two_sum(double a, double b) {
    const double sum = a + b;
    return (dd){sum, b - (sum - a)};
}

static double row_sum(const perm_dense_problem *problem, int part, int64_t row, uint64_t plus) {
    const int64_t n = problem->n, parts = perm_dense_parts(problem);
    double x = problem->start[part * n + row];
    for (int64_t column = 0; column < n - 1; column++)
        if (plus >> column & 1)
            x += problem->up[(column * parts + part) * n + row];
    return x;
}

static dd multiply(dd a, dd x, bool has_low) {
    const double product = a.high * x.high;
    double error = fma(a.high, x.high, -product);
    if (has_low)
        error = fma(a.high, x.low, error);
    return fast_two_sum(product, fma(a.low, x.high, error));
}

/* a·x + b·y. */
static dd multiply_twice(dd a, dd x, dd b, dd y, bool has_low) {
    const double first = a.high * x.high, second = b.high * y.high;
    const dd sum = two_sum(first, second);
    double error = fma(a.high, x.high, -first) + fma(b.high, y.high, -second);
    error = fma(a.low, x.high, fma(b.low, y.high, error));
    if (has_low)
        error = fma(a.high, x.low, fma(b.high, y.low, error));
    return fast_two_sum(sum.high, sum.low + error);
}

static number multiply_rows(const perm_dense_problem *problem, uint64_t plus) {
    number product = {{{1, 0}, {0, 0}}};
    for (int64_t row = 0; row < problem->n; row++) {
        const number a = product;
        dd x[2] = {{0, 0}, {0, 0}};
        for (int part = 0; part <= problem->is_complex; part++) {
            const int at = part * (problem->has_low ? 2 : 1);
            x[part].high = row_sum(problem, at, row, plus);
            if (problem->has_low)
                x[part] = fast_two_sum(x[part].high, row_sum(problem, at + 1, row, plus));
        }
        const dd minus = {-a.part[1].high, -a.part[1].low};
        if (problem->is_complex) {
            product.part[0] = multiply_twice(a.part[0], x[0], minus, x[1], problem->has_low);
            product.part[1] = multiply_twice(a.part[0], x[1], a.part[1], x[0], problem->has_low);
        } else {
            product.part[0] = multiply(a.part[0], x[0], problem->has_low);
        }
    }
    return product;
}

/* Neighbours first. */
static void add_products(const number *product, int part, dd *sum, double *size) {
    dd value[PRODUCTS];
    double magnitude[PRODUCTS];
    for (int k = 0; k < PRODUCTS; k++) {
        value[k] = product[k].part[part];
        magnitude[k] = fabs(value[k].high);
    }
    for (int count = PRODUCTS / 2; count > 0; count /= 2)
        for (int k = 0; k < count; k++) {
            const dd a = value[2 * k], b = value[2 * k + 1];
            value[k] = two_sum(a.high, -b.high);
            value[k].low += a.low - b.low;
            magnitude[k] = magnitude[2 * k] + magnitude[2 * k + 1];
        }
    *sum = value[0];
    *size = magnitude[0];
}

static void add_lane(const number *product, bool is_complex, double sign, uint64_t lane, perm_dd_sums *sums) {
    for (int part = 0; part <= is_complex; part++) {
        dd sum;
        double size;
        add_products(product, part, &sum, &size);
        const dd high = two_sum(sums->high[part][lane], sign * sum.high);
        const dd middle = two_sum(sums->middle[part][lane], sign * sum.low);
        const dd carry = two_sum(middle.high, high.low);
        sums->high[part][lane] = high.high;
        sums->middle[part][lane] = carry.high;
        sums->low[part][lane] += middle.low + carry.low;
        sums->magnitude[lane] += size;
    }
}

static void run(const perm_dense_problem *problem, int64_t first, int64_t count, perm_dd_sums *sums) {
    memset(sums, 0, sizeof *sums);
    for (int64_t block = first; block < first + count; block++) {
        const uint64_t gray = (uint64_t)(block ^ block >> 1) << PERM_DENSE_FIRST;
        for (uint64_t lane = 0; lane < PERM_DENSE_LANES; lane++) {
            number product[PRODUCTS];
            for (uint64_t k = 0; k < PRODUCTS; k++)
                product[k] = multiply_rows(problem, gray | lane << PERM_DENSE_INNER | k);
            add_lane(product, problem->is_complex, block % 2 != 0 ? -1 : 1, lane, sums);
        }
    }
}

const perm_dd_kernel perm_dd_ref = {"dd-ref", "cpu", fits, run};
