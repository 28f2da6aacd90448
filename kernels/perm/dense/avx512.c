/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents with AVX-512: 32 registers hold 16 real or 8 complex products of 8 lanes. */
#include "perm/common/problem.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define DENSE_WIDTH 8
#define DENSE_REAL 16
#define DENSE_COMPLEX 8
#define DENSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "perm/dense/body.h"

/* 2 instructions for 8 pairs on two pipes at 3 GHz; complex pairs take 6. */
static double fits(const perm_dense_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0
                                    : perm_dense_units(problem) * (problem->is_complex ? 1.4e-10 : 4.5e-11);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_dense_problem)
#endif

const perm_dense_kernel perm_dense_avx512 = {"dense-avx512", "cpu", fits, run};
