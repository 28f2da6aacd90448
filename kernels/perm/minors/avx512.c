/* SPDX-License-Identifier: BSD-3-Clause */
/* All minors with AVX-512. */
#include "perm/minors/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define DENSE_WIDTH 8
#define DENSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "perm/minors/body.h"

static double fits(const perm_minors_problem *problem, unsigned features) {
    return !(features & CPU_AVX512)
               ? 0
               : perm_dense_units(&problem->sum) * (problem->prime != 0 ? 6.5e-10 : 3.2e-10);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_minors_problem)
#endif

const perm_minors_kernel perm_minors_avx512 = {"minors-avx512", "cpu", fits, run};
