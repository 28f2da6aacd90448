/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions κ(x, y) that fill H² matrices; r = |x - y|, ℓ the length. */
#ifndef H2_MATRIX_FUNCTION_H
#define H2_MATRIX_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

typedef enum h2_function_kind {
    H2_EXPONENTIAL, /* exp(-r/ℓ), Matérn with ν = 1/2 */
    H2_GAUSSIAN,    /* exp(-r²/2ℓ²) */
    H2_MATERN32,    /* (1 + s) exp(-s), s = √3 r/ℓ */
    H2_MATERN52,    /* (1 + s + s²/3) exp(-s), s = √5 r/ℓ */
    H2_INVERSE,     /* ℓ/r; 0 at r = 0 */
    H2_LOGARITHM,   /* -log(r/ℓ); 0 at r = 0 */
    H2_HELMHOLTZ,   /* cos(2πr/ℓ)/r; 0 at r = 0 */
    H2_CONVECTION,  /* exp(-(r - (x₁ - y₁)/2)/ℓ): not symmetric */
    H2_FUNCTIONS,
    H2_GIVEN = H2_FUNCTIONS /* no function: the numbers were given */
} h2_function_kind;

/* The words of --kernel, in the order above, with '|' between. */
#define H2_FUNCTION_NAMES "exponential|gaussian|matern32|matern52|inverse|log|helmholtz|convection"

typedef struct h2_function {
    h2_function_kind kind;
    double length; /* > 0 */
} h2_function;

const char *h2_function_name(h2_function_kind kind);
bool h2_function_is_symmetric(h2_function_kind kind);

/* value (nrow × ncol) = κ(row point, column point). Row points are nrow × dim, column points dim × ncol: all
 * first coordinates, all second ones, … */
void h2_function_fill(const h2_function *function, int64_t dim, int64_t nrow, const double *row, int64_t ncol,
                      const double *col, double *value);

#endif
