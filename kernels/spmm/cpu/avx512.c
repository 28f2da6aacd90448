/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with AVX-512. */
#include "spmm/common/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SPMM_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define SPMM_AHEAD 16
#define SPMM_TILE 4

#define SPMM_REAL double
#define SPMM_STORED double
#define SPMM_LANES 8
#define SPMM_NAME(x) SPMM_PASTE(x, _fp64)
#define SPMM_PASTE(x, y) SPMM_PASTE_NOW(x, y)
#define SPMM_PASTE_NOW(x, y) x##y
#define SPMM_VECTOR __m512d
#define SPMM_MASK(n) ((__mmask8)(0xffu >> (8 - (n))))
#define SPMM_GET(p) _mm512_loadu_pd(p)
#define SPMM_GET_PART(p, n) ((n) == 8 ? SPMM_GET(p) : _mm512_maskz_loadu_pd(SPMM_MASK(n), p))
#define SPMM_LOAD_PART(p, n) _mm512_maskz_loadu_pd(SPMM_MASK(n), p)
#define SPMM_STORE_PART(p, v, n) _mm512_mask_storeu_pd(p, SPMM_MASK(n), v)
#define SPMM_SPLAT(x) _mm512_set1_pd(x)
#define SPMM_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define SPMM_FENCE() _mm_sfence()
#define SPMM_STREAM(p, v) _mm512_stream_pd(p, v)
#include "spmm/cpu/body.h"
#include "spmm/cpu/sell_body.h"

#undef SPMM_REAL
#undef SPMM_STORED
#undef SPMM_LANES
#undef SPMM_NAME
#undef SPMM_VECTOR
#undef SPMM_MASK
#undef SPMM_GET
#undef SPMM_GET_PART
#undef SPMM_LOAD_PART
#undef SPMM_STORE_PART
#undef SPMM_SPLAT
#undef SPMM_FMA
#define SPMM_REAL float
#define SPMM_STORED float
#define SPMM_LANES 16
#define SPMM_NAME(x) SPMM_PASTE(x, _fp32)
#define SPMM_VECTOR __m512
#define SPMM_MASK(n) ((__mmask16)(0xffffu >> (16 - (n))))
#define SPMM_GET(p) _mm512_loadu_ps(p)
#define SPMM_GET_PART(p, n) ((n) == 16 ? SPMM_GET(p) : _mm512_maskz_loadu_ps(SPMM_MASK(n), p))
#define SPMM_LOAD_PART(p, n) _mm512_maskz_loadu_ps(SPMM_MASK(n), p)
#define SPMM_STORE_PART(p, v, n) _mm512_mask_storeu_ps(p, SPMM_MASK(n), v)
#define SPMM_SPLAT(x) _mm512_set1_ps(x)
#define SPMM_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#undef SPMM_STREAM
#define SPMM_STREAM(p, v) _mm512_stream_ps(p, v)
#include "spmm/cpu/body.h"
#include "spmm/cpu/sell_body.h"

#undef SPMM_STORED
#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_STORED uint16_t
#define SPMM_NAME(x) SPMM_PASTE(x, _fp16)
#define SPMM_WORDS(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define SPMM_WORDS_PART(p, n) ((n) == 16 ? SPMM_WORDS(p) : _mm256_maskz_loadu_epi16(SPMM_MASK(n), p))
#define SPMM_GET(p) _mm512_cvtph_ps(SPMM_WORDS(p))
#define SPMM_GET_PART(p, n) _mm512_cvtph_ps(SPMM_WORDS_PART(p, n))
#include "spmm/cpu/body.h"

#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_NAME(x) SPMM_PASTE(x, _bf16)
#define SPMM_WIDEN(words) _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(words), 16))
#define SPMM_GET(p) SPMM_WIDEN(SPMM_WORDS(p))
#define SPMM_GET_PART(p, n) SPMM_WIDEN(SPMM_WORDS_PART(p, n))
#include "spmm/cpu/body.h"

const spmm_rows_kernel spmm_avx512 = {"avx512",
                                      CPU_AVX2 | CPU_AVX512,
                                      {run_fp16, run_bf16, run_fp32, run_fp64},
                                      {NULL, NULL, run_sell_fp32, run_sell_fp64},
                                      {NULL, NULL, spread_fp32, spread_fp64}};
#endif
