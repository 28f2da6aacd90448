/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of the change by compression: both matrices are written out in binary64, from the numbers that
 * are stored, and subtracted. Every case must stay within the bound that is told, in binary64 and binary32,
 * from tolerances far above the rounding of numbers to ones far below it. */
#include "base/core/random.h"
#include "h2/build/build.h"
#include "h2/change/compress.h"
#include "h2/change/orthog.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 31, CASES = 120 };

static base_context context;

static double number(const h2_matrix *matrix, const void *array, int64_t i) {
    return matrix->head.value_bytes == 8 ? ((const double *)array)[i] : ((const float *)array)[i];
}

/* points × rank, times what takes the node's coefficients from its ancestor's. */
static double *widen(const h2_matrix *matrix, const h2_basis *basis, int64_t node) {
    const int64_t points = h2_points_of(matrix, node), rank = basis->rank[node];
    double *whole = calloc((size_t)(points * rank + 1), sizeof *whole);
    if (node >= matrix->tree.first_leaf) {
        for (int64_t i = 0; i < points * rank; i++)
            whole[i] = number(matrix, h2_leaf_basis(matrix, basis, node), i);
        return whole;
    }
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int64_t first = matrix->tree.begin[child] - matrix->tree.begin[node],
                      inner = basis->rank[child];
        const void *transfer = h2_transfer(matrix, basis, child);
        double *part = widen(matrix, basis, child);
        for (int64_t i = 0; i < h2_points_of(matrix, child); i++)
            for (int64_t s = 0; s < inner; s++)
                for (int64_t t = 0; t < rank; t++)
                    whole[(first + i) * rank + t] +=
                        part[i * inner + s] * number(matrix, transfer, s * rank + t);
        free(part);
    }
    return whole;
}

/* Adds what a coupling block stands for to the whole matrix (n × n, in the tree's order). */
static void add_block(const h2_matrix *matrix, int64_t i, int64_t j, int64_t k, double *whole) {
    const int64_t n = matrix->tree.n, rows = h2_points_of(matrix, i), cols = h2_points_of(matrix, j);
    const int64_t row_rank = matrix->row.rank[i], col_rank = matrix->col.rank[j];
    const void *block = h2_block(matrix, &matrix->coupling, k);
    double *u = widen(matrix, &matrix->row, i), *v = widen(matrix, &matrix->col, j);
    double *us = calloc((size_t)(rows * col_rank + 1), sizeof *us);
    for (int64_t a = 0; a < rows; a++)
        for (int64_t s = 0; s < row_rank; s++)
            for (int64_t t = 0; t < col_rank; t++)
                us[a * col_rank + t] += u[a * row_rank + s] * number(matrix, block, s * col_rank + t);
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < cols; b++) {
            double sum = 0;
            for (int64_t t = 0; t < col_rank; t++)
                sum += us[a * col_rank + t] * v[b * col_rank + t];
            const int64_t x = matrix->tree.begin[i] + a, y = matrix->tree.begin[j] + b;
            whole[x * n + y] = sum;
            if (h2_is_symmetric(matrix))
                whole[y * n + x] = sum;
        }
    free(u);
    free(v);
    free(us);
}

/* The low-rank part; dense blocks do not change. */
static double *write_out(const h2_matrix *matrix) {
    const int64_t n = matrix->tree.n;
    double *whole = calloc((size_t)(n * n), sizeof *whole);
    for (int64_t node = 0; node < matrix->tree.nodes; node++)
        for (int64_t k = matrix->coupling.start[node]; k < matrix->coupling.start[node + 1]; k++)
            add_block(matrix, node, matrix->coupling.col[k], k, whole);
    return whole;
}

static double distance(const double *a, const double *b, int64_t count) {
    double square = 0;
    for (int64_t i = 0; i < count; i++)
        square += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(square);
}

typedef struct test_case {
    int64_t n, dim;
    h2_build_options build;
    h2_compress_options options;
} test_case;

static test_case draw_case(base_random *random, int number_of_case) {
    static const h2_function_kind kinds[] = {H2_EXPONENTIAL, H2_CONVECTION, H2_INVERSE, H2_MATERN32,
                                             H2_LOGARITHM};
    test_case c = {.n = 200 + (int64_t)base_random_below(random, 300),
                   .dim = 1 + (int64_t)base_random_below(random, 3),
                   .build = h2_build_default};
    c.build.function = (h2_function){kinds[base_random_below(random, 5)], 0.5};
    c.build.leaf_size = 12 + (int64_t)base_random_below(random, 30);
    c.build.order = c.dim == 1 ? 6 : c.dim == 2 ? 4 : 3;
    c.build.single = number_of_case % 2 == 1;
    c.build.full = base_random_below(random, 4) == 0;
    c.options.tolerance = pow(10, -1 - (c.build.single ? 9 : 15) * base_random_uniform(random));
    c.options.rule = (h2_rule)base_random_below(random, 3);
    c.options.method = (h2_method)base_random_below(random, 2);
    c.options.factor = base_random_below(random, 2) == 0 ? H2_AUTO : H2_HOUSEHOLDER;
    return c;
}

static void check_case(base_random *random, int number_of_case) {
    const test_case c = draw_case(random, number_of_case);
    double *point = malloc((size_t)(c.n * c.dim) * sizeof *point), change = NAN;
    h2_matrix matrix;
    h2_compression compression = {.error = 0};
    for (int64_t i = 0; i < c.n * c.dim; i++)
        point[i] = base_random_uniform(random);
    base_status status = h2_build(&context, point, c.n, c.dim, &c.build, &matrix);
    status = status == BASE_OK ? h2_orthogonalize(&context, &matrix) : status;
    if (status == BASE_OK) {
        double *before = write_out(&matrix);
        status = h2_compress(&context, &matrix, &c.options, &compression);
        double *after = write_out(&matrix);
        change = distance(before, after, c.n * c.n);
        free(before);
        free(after);
    }
    const double unit = c.build.single ? ldexp(1, -24) : ldexp(1, -53);
    tap_ok(status == BASE_OK && change <= compression.error,
           "%d points, dimension %d, %s, %d bytes, rule %d, tolerance %.0e: change %.2e of %.2e (%.1f "
           "roundings), told %.2e",
           (int)c.n, (int)c.dim, h2_function_name(c.build.function.kind), c.build.single ? 4 : 8,
           (int)c.options.rule, c.options.tolerance, change, compression.norm,
           change / (unit * compression.norm), compression.error);
    h2_matrix_free(&matrix);
    free(point);
}

int main(void) {
    base_random random;
    base_context_init(&context);
    base_random_init(&random, SEED, 0);
    tap_note("seed %d", SEED);
    for (int i = 0; i < CASES; i++)
        check_case(&random, i);
    return tap_done();
}
