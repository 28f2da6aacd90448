/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/product/error.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "h2/product/mv.h"

#include <math.h>
#include <stdlib.h>

enum { PIECE = 256 }; /* columns of the matrix at a time */

/* A row of the products of a vector with the function's matrix and with the H² matrix. */
typedef struct row_value {
    double exact, approximate;
} row_value;

/* The first `rows` of a random order (Fisher and Yates). */
static void draw_rows(base_random *random, int64_t n, int64_t rows, int64_t *item) {
    for (int64_t i = 0; i < n; i++)
        item[i] = i;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t other = i + (int64_t)base_random_below(random, (uint64_t)(n - i)), value = item[i];
        item[i] = item[other];
        item[other] = value;
    }
}

/* One row of the function's matrix times x; the row is in the tree's order. */
static double exact_row(const h2_matrix *matrix, const h2_function *function, int64_t row, const double *x) {
    const h2_tree *tree = &matrix->tree;
    double value[PIECE], col[H2_MOST_DIM * PIECE], sum = matrix->head.nugget * x[tree->permutation[row]];
    for (int64_t first = 0; first < tree->n; first += PIECE) {
        const int64_t count = tree->n - first < PIECE ? tree->n - first : PIECE;
        for (int64_t axis = 0; axis < tree->dim; axis++)
            for (int64_t j = 0; j < count; j++)
                col[axis * count + j] = tree->point[(first + j) * tree->dim + axis];
        h2_function_fill(function, tree->dim, 1, tree->point + row * tree->dim, count, col, value);
        double part = 0; /* a sum of pieces' sums rounds less often than one long sum */
        for (int64_t j = 0; j < count; j++)
            part += value[j] * x[tree->permutation[first + j]];
        sum += part;
    }
    return sum;
}

/* Rows for a check: all of a thousand points or less; beyond a million evaluations as many as take a fortieth
 * of those that built the matrix, and at least 16. */
static int64_t count_rows(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    const int64_t n = matrix->tree.n, fewest = 16, always = 1 << 20,
                  numbers = (sizes.coupling_bytes + sizes.dense_bytes) / matrix->head.value_bytes;
    const int64_t evaluations = numbers / 40 > always ? numbers / 40 : always;
    const int64_t rows = evaluations / n > fewest ? evaluations / n : fewest;
    return rows < n ? rows : n;
}

/* |exact - y| / |exact| over `count` rows. They are scaled, so that squares of small numbers do not
 * underflow. */
static double relative_error(int64_t count, const row_value *row) {
    double difference = 0, whole = 0, most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(row[i].exact));
    for (int64_t i = 0; i < count; i++) {
        const double value = most > 0 ? row[i].exact / most : 0;
        const double far = most > 0 ? value - row[i].approximate / most : row[i].approximate;
        difference += far * far;
        whole += value * value;
    }
    return difference == 0 ? 0 : sqrt(difference / whole);
}

static int compare_exact(const void *a, const void *b) {
    const double x = fabs(((const row_value *)a)->exact), y = fabs(((const row_value *)b)->exact);
    return (x > y) - (x < y);
}

/* Values of rows that are drawn at random; to be freed. */
static base_status sample(base_context *context, const h2_matrix *matrix, h2_error_product *multiply,
                          void *data, int64_t rows, row_value **values) {
    base_status status = BASE_OK;
    const int64_t n = matrix->tree.n;
    const h2_function function = {(h2_function_kind)matrix->head.function, matrix->head.length};
    base_random random;
    double *x = base_alloc(context, n, sizeof *x), *y = base_alloc(context, rows, sizeof *y), *all = NULL;
    int64_t *item = base_alloc(context, n, sizeof *item);
    row_value *value = *values = base_alloc(context, rows, sizeof *value);
    if (x == NULL || y == NULL || item == NULL || value == NULL)
        BASE_TRY(BASE_MACHINE);
    if (matrix->head.function == H2_GIVEN)
        BASE_TRY(
            base_fail(context, BASE_FAILED, "the matrix was given: there is no function to compare it with"));
    base_random_init(&random, context->seed, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = base_random_uniform(&random);
    base_random_init(&random, context->seed, 1);
    draw_rows(&random, n, rows, item);
    if (multiply == NULL) {
        BASE_TRY(h2_mv_rows(context, matrix, x, rows, item, y));
    } else {
        all = base_alloc(context, n, sizeof *all);
        if (all == NULL)
            BASE_TRY(BASE_MACHINE);
        BASE_TRY(multiply(context, data, x, all));
        for (int64_t i = 0; i < rows; i++)
            y[i] = all[matrix->tree.permutation[item[i]]];
    }
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t i = 0; i < rows; i++)
        value[i] = (row_value){exact_row(matrix, &function, item[i], x), y[i]};
done:
    free(x);
    free(y);
    free(all);
    free(item);
    return status;
}

base_status h2_error_sample(base_context *context, const h2_matrix *matrix, int64_t rows, double *error) {
    row_value *value = NULL;
    base_status status = sample(context, matrix, NULL, NULL, rows, &value);
    if (status == BASE_OK)
        *error = relative_error(rows, value);
    free(value);
    return status;
}

base_status h2_error_check(base_context *context, const h2_matrix *matrix, int64_t *rows, double *error) {
    return h2_error_check_by(context, matrix, NULL, NULL, rows, error);
}

base_status h2_error_check_by(base_context *context, const h2_matrix *matrix, h2_error_product *multiply,
                              void *data, int64_t *rows, double *error) {
    base_status status;
    row_value *value = NULL;
    *rows = count_rows(matrix);
    BASE_TRY(sample(context, matrix, multiply, data, *rows, &value));
    *error = relative_error(*rows, value);
    /* Once more without the tenth of the rows with the largest values, whose size could hide the others'
     * error. */
    if (isfinite(*error)) {
        qsort(value, (size_t)*rows, sizeof *value, compare_exact);
        *error = fmax(*error, relative_error(*rows - *rows / 10, value));
    }
done:
    free(value);
    return status;
}
