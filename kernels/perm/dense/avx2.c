/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents with AVX2 and FMA: 16 registers hold 8 real or 4 complex products of 4 lanes. */
#include "perm/common/problem.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx2,fma")))
#define DENSE_WIDTH 4
#define DENSE_REAL 8
#define DENSE_COMPLEX 4
#define DENSE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#include "perm/dense/body.h"

static double fits(const perm_dense_problem *problem, unsigned features) {
    return !(features & CPU_AVX2) ? 0 : perm_dense_units(problem) * (problem->is_complex ? 2.8e-10 : 9e-11);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_dense_problem)
#endif

const perm_dense_kernel perm_dense_avx2 = {"dense-avx2", "cpu", fits, run};
