/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-double permanents with AVX2 and FMA. */
#include "perm/doubledouble/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx2,fma")))
#define DENSE_WIDTH 4
#define DENSE_REAL 4
#define DENSE_COMPLEX 2
#define DENSE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#include "perm/doubledouble/body.h"

static double fits(const perm_dense_problem *problem, unsigned features) {
    const double factor = problem->is_complex ? problem->has_low ? 36 : 17 : problem->has_low ? 6 : 3.5;
    return features & CPU_AVX2 ? perm_dense_units(problem) * 9e-11 * factor : 0;
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_dense_problem)
#endif

const perm_dd_kernel perm_dd_avx2 = {"dd-avx2", "cpu", fits, run};
