/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/function.h"

#include <math.h>

/* Each changes value[j], a distance, to a function of it; `length` as in h2_function. */
typedef void evaluation(double length, int64_t count, double *value);

static void exponential(double length, int64_t count, double *value) {
    const double inverse = 1 / length;
    for (int64_t j = 0; j < count; j++)
        value[j] = exp(-value[j] * inverse);
}

static void gaussian(double length, int64_t count, double *value) {
    const double inverse = 1 / length;
    for (int64_t j = 0; j < count; j++)
        value[j] = exp(-0.5 * (value[j] * inverse) * (value[j] * inverse));
}

static void matern32(double length, int64_t count, double *value) {
    const double inverse = 1 / length;
    for (int64_t j = 0; j < count; j++) {
        const double s = 1.7320508075688772 * inverse * value[j];
        value[j] = (1 + s) * exp(-s);
    }
}

static void matern52(double length, int64_t count, double *value) {
    const double inverse = 1 / length;
    for (int64_t j = 0; j < count; j++) {
        const double s = 2.23606797749979 * inverse * value[j];
        value[j] = (1 + s + s * s / 3) * exp(-s);
    }
}

static void inverse_distance(double length, int64_t count, double *value) {
    for (int64_t j = 0; j < count; j++)
        value[j] = value[j] > 0 ? length / value[j] : 0;
}

static void logarithm(double length, int64_t count, double *value) {
    const double inverse = 1 / length;
    for (int64_t j = 0; j < count; j++)
        value[j] = value[j] > 0 ? -log(value[j] * inverse) : 0;
}

static void helmholtz(double length, int64_t count, double *value) {
    const double turn = 6.283185307179586477 / length;
    for (int64_t j = 0; j < count; j++)
        value[j] = value[j] > 0 ? cos(turn * value[j]) / value[j] : 0;
}

static void nothing(double length, int64_t count, double *value) {
    (void)length;
    (void)count;
    (void)value;
}

/* A function is a row. `drift`: half of x₁ - y₁ is taken off the distance first, so that it is not symmetric.
 */
static const struct {
    const char *name;
    evaluation *evaluate;
    bool drift;
} functions[] = {
    [H2_EXPONENTIAL] = {"exponential", exponential, false},
    [H2_GAUSSIAN] = {"gaussian", gaussian, false},
    [H2_MATERN32] = {"matern32", matern32, false},
    [H2_MATERN52] = {"matern52", matern52, false},
    [H2_INVERSE] = {"inverse", inverse_distance, false},
    [H2_LOGARITHM] = {"log", logarithm, false},
    [H2_HELMHOLTZ] = {"helmholtz", helmholtz, false},
    [H2_CONVECTION] = {"convection", exponential, true},
    [H2_GIVEN] = {"given", nothing, false},
};

const char *h2_function_name(h2_function_kind kind) {
    return functions[kind].name;
}

bool h2_function_is_symmetric(h2_function_kind kind) {
    return !functions[kind].drift;
}

void h2_function_fill(const h2_function *function, int64_t dim, int64_t nrow, const double *row, int64_t ncol,
                      const double *col, double *value) {
    for (int64_t i = 0; i < nrow; i++, row += dim, value += ncol) {
        for (int64_t j = 0; j < ncol; j++)
            value[j] = (row[0] - col[j]) * (row[0] - col[j]);
        for (int64_t axis = 1; axis < dim; axis++) {
            const double x = row[axis], *y = col + axis * ncol;
            for (int64_t j = 0; j < ncol; j++)
                value[j] += (x - y[j]) * (x - y[j]);
        }
        for (int64_t j = 0; j < ncol; j++)
            value[j] = sqrt(value[j]);
        if (functions[function->kind].drift)
            for (int64_t j = 0; j < ncol; j++)
                value[j] -= (row[0] - col[j]) / 2;
        functions[function->kind].evaluate(function->length, ncol, value);
    }
}
