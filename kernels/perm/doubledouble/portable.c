/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-double permanents on any machine; where there is no FMA the C library does it in software. */
#include "perm/doubledouble/kernel.h"

#define DENSE_TARGET
#define DENSE_WIDTH 2
#define DENSE_REAL 4
#define DENSE_COMPLEX 2
#define DENSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define DENSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#include "perm/doubledouble/body.h"

static double fits(const perm_dense_problem *problem, unsigned features) {
    const double units = perm_dense_units(problem) * (problem->is_complex ? 4 : 1);
#if defined(__FP_FAST_FMA)
    (void)features;
    return units * 2e-9;
#else
    /* The C library has fma by the processor's instruction where there is one. */
    return units * (features & CPU_AVX2 ? 5e-9 : 4e-8);
#endif
}

const perm_dd_kernel perm_dd_portable = {"dd-portable", "cpu", fits, run};
