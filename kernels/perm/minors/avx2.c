/* SPDX-License-Identifier: BSD-3-Clause */
/* All minors with AVX2 and FMA. */
#include "perm/minors/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx2,fma")))
#define DENSE_WIDTH 4
#define DENSE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#include "perm/minors/body.h"

static double fits(const perm_minors_problem *problem, unsigned features) {
    return !(features & CPU_AVX2)
               ? 0
               : perm_dense_units(&problem->sum) * (problem->prime != 0 ? 8.5e-10 : 3.3e-10);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_minors_problem)
#endif

const perm_minors_kernel perm_minors_avx2 = {"minors-avx2", "cpu", fits, run};
