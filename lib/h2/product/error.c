#include "h2/product/error.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "h2/product/mv.h"

#include <math.h>
#include <stdlib.h>

enum { PIECE = 256 }; /* columns of the matrix at a time */

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
        double part = 0;
        for (int64_t j = 0; j < count; j++)
            part += value[j] * x[tree->permutation[first + j]];
        sum += part;
    }
    return sum;
}

base_status h2_error_sample(base_context *context, const h2_matrix *matrix, int64_t rows, double *error) {
    base_status status;
    const int64_t n = matrix->tree.n;
    const h2_function function = {(h2_function_kind)matrix->head.function, matrix->head.length};
    h2_product_plan *plan = NULL;
    base_random random;
    double difference = 0, whole = 0;
    double *x = base_alloc(context, n, sizeof *x), *y = base_alloc(context, n, sizeof *y);
    int64_t *item = base_alloc(context, n, sizeof *item);
    double *exact = base_alloc(context, rows, sizeof *exact);
    if (matrix->head.function == H2_GIVEN) {
        status =
            base_fail(context, BASE_FAILED, "the matrix was given: there is no function to compare it with");
        goto done;
    }
    status = x != NULL && y != NULL && item != NULL && exact != NULL ? BASE_OK : BASE_MACHINE;
    BASE_TRY(status);
    BASE_TRY(h2_mv_open(context, matrix, 1, &plan));
    base_random_init(&random, context->seed, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = base_random_uniform(&random);
    base_random_init(&random, context->seed, 1);
    draw_rows(&random, n, rows, item);
    h2_mv(plan, false, 1, x, 0, y, 1);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t i = 0; i < rows; i++)
        exact[i] = exact_row(matrix, &function, item[i], x);
    for (int64_t i = 0; i < rows; i++) {
        const double far = exact[i] - y[matrix->tree.permutation[item[i]]];
        difference += far * far;
        whole += exact[i] * exact[i];
    }
    *error = difference == 0 ? 0 : sqrt(difference / whole);
done:
    h2_mv_close(plan);
    free(x);
    free(y);
    free(item);
    free(exact);
    return status;
}
