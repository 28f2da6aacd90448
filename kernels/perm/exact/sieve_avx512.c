/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents that skip zeros, with AVX-512. */
#include "perm/exact/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define DENSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define DENSE_WIDTH 8
#define DENSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define DENSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#define SIEVE_REAL 16
#define SIEVE_MIN(a, b) (bytes) _mm512_min_epu8((__m512i)(a), (__m512i)(b))
#define SIEVE_MASK(a) _mm512_test_epi8_mask((__m512i)(a), (__m512i)(a))
#define SIEVE_DOUBLES(p) _mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p))))
#define SIEVE_LOW(k, a, b) (bytes) _mm512_unpacklo_epi##k((__m512i)(a), (__m512i)(b))
#define SIEVE_HIGH(k, a, b) (bytes) _mm512_unpackhi_epi##k((__m512i)(a), (__m512i)(b))
#include "perm/exact/sieve_body.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : price(problem, 7e-12, 1.5e-9);
}
#else
#define run 0
PROCESSOR_NEVER_FITS(perm_exact_problem)
#endif

const perm_exact_kernel perm_sieve_avx512 = {"sieve-avx512", "cpu", fits, run};
