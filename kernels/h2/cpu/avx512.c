/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of H² matrices with AVX-512: 24 of 32 registers hold sums. */
#include "h2/common/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>

#define H2_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define H2_ROWS 8
#define H2_TABLE h2_avx512

#define H2_REAL double
#define H2_LANES 8
#define H2_NAME(x) H2_PASTE(x, _fp64)
#define H2_PASTE(x, y) H2_PASTE_NOW(x, y)
#define H2_PASTE_NOW(x, y) x##y
#define H2_LABEL "avx512-fp64"
#define H2_VECTOR __m512d
#define H2_MASK(n) ((__mmask8)((1u << (n)) - 1))
#define H2_LOAD(p) _mm512_loadu_pd(p)
#define H2_STORE(p, v) _mm512_storeu_pd(p, v)
#define H2_LOAD_PART(p, n) _mm512_maskz_loadu_pd(H2_MASK(n), p)
#define H2_STORE_PART(p, v, n) _mm512_mask_storeu_pd(p, H2_MASK(n), v)
#define H2_SPLAT(x) _mm512_set1_pd(x)
#define H2_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define H2_SQRT(v) _mm512_sqrt_pd(v)
#define H2_SUM(v) _mm512_reduce_add_pd(v)
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
#define H2_LANES 16
#define H2_NAME(x) H2_PASTE(x, _fp32)
#define H2_LABEL "avx512-fp32"
#define H2_VECTOR __m512
#define H2_MASK(n) ((__mmask16)((1u << (n)) - 1))
#define H2_LOAD(p) _mm512_loadu_ps(p)
#define H2_STORE(p, v) _mm512_storeu_ps(p, v)
#define H2_LOAD_PART(p, n) _mm512_maskz_loadu_ps(H2_MASK(n), p)
#define H2_STORE_PART(p, v, n) _mm512_mask_storeu_ps(p, H2_MASK(n), v)
#define H2_SPLAT(x) _mm512_set1_ps(x)
#define H2_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define H2_SQRT(v) _mm512_sqrt_ps(v)
#define H2_SUM(v) _mm512_reduce_add_ps(v)
#include "h2/cpu/body.h"
#endif
