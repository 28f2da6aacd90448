/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents with AVX-512. */
#include "perm/exact/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define DENSE_WIDTH 8
#define DENSE_REAL 16
#define DENSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "perm/exact/body.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : price(problem, 2.0e-10, 2.0e-10);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_exact_problem)
#endif

const perm_exact_kernel perm_exact_avx512 = {"exact-avx512", "cpu", fits, run};
