#include "h2/matrix/function.h"

#include <math.h>

const char *h2_function_name(h2_function_kind kind) {
    static const char *const names[] = {"exponential", "gaussian",  "matern32",   "matern52", "inverse",
                                        "log",         "helmholtz", "convection", "given"};
    return names[kind];
}

bool h2_function_is_symmetric(h2_function_kind kind) {
    return kind != H2_CONVECTION;
}

/* value[j] becomes a function of the distance in it. */
static void evaluate(const h2_function *function, int64_t count, double *value) {
    const double length = function->length, inverse = 1 / length;
    const double turn = 6.283185307179586477 / length;
    switch (function->kind) {
    case H2_EXPONENTIAL:
    case H2_CONVECTION:
        for (int64_t j = 0; j < count; j++)
            value[j] = exp(-value[j] * inverse);
        break;
    case H2_GAUSSIAN:
        for (int64_t j = 0; j < count; j++)
            value[j] = exp(-0.5 * (value[j] * inverse) * (value[j] * inverse));
        break;
    case H2_MATERN32:
        for (int64_t j = 0; j < count; j++) {
            const double s = 1.7320508075688772 * inverse * value[j];
            value[j] = (1 + s) * exp(-s);
        }
        break;
    case H2_MATERN52:
        for (int64_t j = 0; j < count; j++) {
            const double s = 2.23606797749979 * inverse * value[j];
            value[j] = (1 + s + s * s / 3) * exp(-s);
        }
        break;
    case H2_INVERSE:
        for (int64_t j = 0; j < count; j++)
            value[j] = value[j] > 0 ? length / value[j] : 0;
        break;
    case H2_LOGARITHM:
        for (int64_t j = 0; j < count; j++)
            value[j] = value[j] > 0 ? -log(value[j] * inverse) : 0;
        break;
    case H2_HELMHOLTZ:
        for (int64_t j = 0; j < count; j++)
            value[j] = value[j] > 0 ? cos(turn * value[j]) / value[j] : 0;
        break;
    case H2_GIVEN: break;
    }
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
        if (function->kind == H2_CONVECTION)
            for (int64_t j = 0; j < ncol; j++)
                value[j] -= (row[0] - col[j]) / 2;
        evaluate(function, ncol, value);
    }
}
