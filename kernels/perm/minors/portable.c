/* SPDX-License-Identifier: BSD-3-Clause */
/* All minors on any machine; where there is no FMA the C library does it in software. */
#include "perm/minors/kernel.h"

#define DENSE_TARGET
#define DENSE_WIDTH 2
#define DENSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define DENSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#include "perm/minors/body.h"

static double fits(const perm_minors_problem *problem, unsigned features) {
    (void)features;
    return perm_dense_units(&problem->sum) * (problem->prime != 0 ? 1e-8 : 6.6e-10);
}

const perm_minors_kernel perm_minors_portable = {"minors-portable", "cpu", fits, run};
