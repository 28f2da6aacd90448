/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents on any machine: vectors of two doubles, which every compiler can do without. */
#include "perm/common/problem.h"

#define DENSE_TARGET
#define DENSE_WIDTH 2
#define DENSE_REAL 8
#define DENSE_COMPLEX 4
#if defined(__FP_FAST_FMA)
#define DENSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define DENSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#else
#define DENSE_FMA(a, b, c) ((a) * (b) + (c))
#define DENSE_FNMA(a, b, c) ((c) - (a) * (b))
#endif
#include "perm/dense/body.h"

static double fits(const perm_dense_problem *problem, unsigned features) {
    (void)features;
    return perm_dense_units(problem) * (problem->is_complex ? 8e-10 : 2e-10);
}

const perm_dense_kernel perm_dense_portable = {"dense-portable", "cpu", fits, run};
