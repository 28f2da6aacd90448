/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of H² matrices with AVX2 and FMA: 12 of 16 registers hold sums. */
#include "h2/common/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>

#define H2_TARGET __attribute__((target("avx2,fma")))
#define H2_ROWS 4
#define H2_TABLE h2_avx2

/* -1 for lanes that are there */
static const int64_t mask64[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
static const int32_t mask32[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

static inline __attribute__((always_inline)) H2_TARGET double sum64(__m256d v) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

static inline __attribute__((always_inline)) H2_TARGET float sum32(__m256 v) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

#define H2_REAL double
#define H2_LANES 4
#define H2_NAME(x) H2_PASTE(x, _fp64)
#define H2_PASTE(x, y) H2_PASTE_NOW(x, y)
#define H2_PASTE_NOW(x, y) x##y
#define H2_LABEL "avx2-fp64"
#define H2_VECTOR __m256d
#define H2_MASK(n) _mm256_loadu_si256((const __m256i *)(const void *)(mask64 + 4 - (n)))
#define H2_LOAD(p) _mm256_loadu_pd(p)
#define H2_STORE(p, v) _mm256_storeu_pd(p, v)
#define H2_LOAD_PART(p, n) _mm256_maskload_pd(p, H2_MASK(n))
#define H2_STORE_PART(p, v, n) _mm256_maskstore_pd(p, H2_MASK(n), v)
#define H2_SPLAT(x) _mm256_set1_pd(x)
#define H2_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define H2_SQRT(v) _mm256_sqrt_pd(v)
#define H2_SUM(v) sum64(v)
#include "h2/cpu/body.h"

#undef H2_REAL
#undef H2_LANES
#undef H2_NAME
#undef H2_LABEL
#undef H2_VECTOR
#undef H2_MASK
#undef H2_LOAD
#undef H2_STORE
#undef H2_LOAD_PART
#undef H2_STORE_PART
#undef H2_SPLAT
#undef H2_FMA
#undef H2_SQRT
#undef H2_SUM
#define H2_REAL float
#define H2_LANES 8
#define H2_NAME(x) H2_PASTE(x, _fp32)
#define H2_LABEL "avx2-fp32"
#define H2_VECTOR __m256
#define H2_MASK(n) _mm256_loadu_si256((const __m256i *)(const void *)(mask32 + 8 - (n)))
#define H2_LOAD(p) _mm256_loadu_ps(p)
#define H2_STORE(p, v) _mm256_storeu_ps(p, v)
#define H2_LOAD_PART(p, n) _mm256_maskload_ps(p, H2_MASK(n))
#define H2_STORE_PART(p, v, n) _mm256_maskstore_ps(p, H2_MASK(n), v)
#define H2_SPLAT(x) _mm256_set1_ps(x)
#define H2_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define H2_SQRT(v) _mm256_sqrt_ps(v)
#define H2_SUM(v) sum32(v)
#include "h2/cpu/body.h"
#endif
