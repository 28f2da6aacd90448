/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents that skip zeros, with AVX2 and FMA. */
#include "perm/exact/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx2,fma")))
#define DENSE_WIDTH 4
#define DENSE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)
#define SIEVE_REAL 8
#define SIEVE_MIN(a, b) (bytes) _mm256_min_epu8((__m256i)(a), (__m256i)(b))
#define SIEVE_MASK(a)                                                                                        \
    (uint32_t) ~_mm256_movemask_epi8(_mm256_cmpeq_epi8((__m256i)(a), _mm256_setzero_si256()))
#define SIEVE_DOUBLES(p) _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p))))
#define SIEVE_LOW(k, a, b) (bytes) _mm256_unpacklo_epi##k((__m256i)(a), (__m256i)(b))
#define SIEVE_HIGH(k, a, b) (bytes) _mm256_unpackhi_epi##k((__m256i)(a), (__m256i)(b))
#include "perm/exact/sieve_body.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
    return !(features & CPU_AVX2) ? 0 : price(problem, 1.2e-11, 2e-9);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_exact_problem)
#endif

const perm_exact_kernel perm_sieve_avx2 = {"sieve-avx2", "cpu", fits, run};
