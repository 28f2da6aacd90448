/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents with Advanced SIMD of 64-bit Arm: 32 registers hold 16 real or 8 complex products of 2
 * lanes. */
#include "perm/common/problem.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#define DENSE_TARGET
#define DENSE_WIDTH 2
#define DENSE_REAL 16
#define DENSE_COMPLEX 8
#define DENSE_FMA(a, b, c) vfmaq_f64(c, a, b)
#define DENSE_FNMA(a, b, c) vfmsq_f64(c, a, b)
#include "perm/dense/body.h"

/* 2 instructions for 2 pairs on two pipes at 3 GHz; complex pairs take 6. */
static double fits(const perm_dense_problem *problem, unsigned features) {
    return !(features & CPU_NEON) ? 0 : perm_dense_units(problem) * (problem->is_complex ? 5e-10 : 1.7e-10);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_dense_problem)
#endif

const perm_dense_kernel perm_dense_neon = {"dense-neon", "cpu", fits, run};
