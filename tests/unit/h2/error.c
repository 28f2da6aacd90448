/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of a built matrix, where the product is wrong in a known way. */
#include "h2/product/error.h"
#include "h2/build/build.h"
#include "h2/product/mv.h"
#include "tests/support/tap.h"

#include <math.h>

enum { POINTS = 200, FIRST = 70, SECOND = 71 };

static base_context context;

/* Twice the right value in all rows but those of the two points. */
static base_status multiply(base_context *own, void *data, const double *x, double *y) {
    const h2_matrix *matrix = data;
    h2_product_plan *plan;
    const base_status status = h2_mv_open(own, matrix, 1, &plan);
    if (status == BASE_OK)
        h2_mv(plan, false, 1, x, 0, y, 1);
    h2_mv_close(plan);
    for (int64_t i = 0; i < matrix->tree.n; i++)
        y[i] *= i == FIRST || i == SECOND ? 1 : 2;
    return status;
}

/* 1/r of two points 1e-12 apart is so large that it hides the error of the other rows, which is 1. */
static void check_two_points(void) {
    double point[POINTS], error = 0;
    int64_t rows = 0;
    h2_build_options options = h2_build_default;
    h2_matrix matrix;
    options.function = (h2_function){H2_INVERSE, 1};
    for (int i = 0; i < POINTS; i++)
        point[i] = (double)i / POINTS;
    point[SECOND] = point[FIRST] + 1e-12;
    tap_ok(h2_build(&context, point, POINTS, 1, &options, &matrix) == BASE_OK &&
               h2_error_check_by(&context, &matrix, multiply, &matrix, &rows, &error) == BASE_OK &&
               rows == POINTS,
           "two points close together, all rows");
    tap_ok(fabs(error - 1) < 1e-3, "... which do not hide the error of the others: %.6g", error);
    h2_matrix_free(&matrix);
}

int main(void) {
    base_context_init(&context);
    check_two_points();
    return tap_done();
}
