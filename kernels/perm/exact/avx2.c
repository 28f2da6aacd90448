/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents with AVX2 and FMA. */
#include "perm/exact/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx2,fma")))
#define DENSE_WIDTH 4
#define DENSE_REAL 8
#define DENSE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#include "perm/exact/body.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
    return !(features & CPU_AVX2) ? 0 : price(problem, 1.35e-10, 1.35e-10);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_exact_problem)
#endif

const perm_exact_kernel perm_exact_avx2 = {"exact-avx2", "cpu", fits, run};
