/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents on any machine; where there is no FMA the C library does it in software. */
#include "perm/exact/kernel.h"

#define DENSE_TARGET
#define DENSE_WIDTH 2
#define DENSE_REAL 8
#define DENSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define DENSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#include "perm/exact/body.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
#if defined(__FP_FAST_FMA)
    (void)features;
    return price(problem, 2e-10, 4e-10);
#else
    /* The C library has fma by the processor's instruction where there is one. */
    return price(problem, 2e-10, features & CPU_AVX2 ? 1.5e-9 : 6e-9);
#endif
}

const perm_exact_kernel perm_exact_portable = {"exact-portable", "cpu", fits, run};
