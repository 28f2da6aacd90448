/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with AVX2, FMA and F16C, which every processor with AVX2 has. */
#include "spmm/common/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define SPMM_TARGET __attribute__((target("avx2,fma,f16c")))
#define SPMM_AHEAD 16
#define SPMM_TILE 2

/* A mask of the first n lanes begins n numbers before the middle. */
static const int64_t mask64[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
static const int32_t mask32[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

static inline __attribute__((always_inline)) SPMM_TARGET __m128i words_part(const uint16_t *p, int64_t n) {
    uint16_t words[8] = {0};
    memcpy(words, p, (size_t)n * sizeof *p);
    return _mm_loadu_si128((const __m128i *)(const void *)words);
}

#define SPMM_REAL double
#define SPMM_STORED double
#define SPMM_LANES 4
#define SPMM_NAME(x) SPMM_PASTE(x, _fp64)
#define SPMM_PASTE(x, y) SPMM_PASTE_NOW(x, y)
#define SPMM_PASTE_NOW(x, y) x##y
#define SPMM_VECTOR __m256d
#define SPMM_MASK(n) _mm256_loadu_si256((const __m256i *)(const void *)(mask64 + 4 - (n)))
#define SPMM_GET(p) _mm256_loadu_pd(p)
#define SPMM_GET_PART(p, n) ((n) == 4 ? SPMM_GET(p) : _mm256_maskload_pd(p, SPMM_MASK(n)))
#define SPMM_LOAD_PART(p, n) _mm256_maskload_pd(p, SPMM_MASK(n))
#define SPMM_STORE_PART(p, v, n) _mm256_maskstore_pd(p, SPMM_MASK(n), v)
#define SPMM_SPLAT(x) _mm256_set1_pd(x)
#define SPMM_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define SPMM_FENCE() _mm_sfence()
#define SPMM_STREAM(p, v) _mm256_stream_pd(p, v)
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
#define SPMM_LANES 8
#define SPMM_NAME(x) SPMM_PASTE(x, _fp32)
#define SPMM_VECTOR __m256
#define SPMM_MASK(n) _mm256_loadu_si256((const __m256i *)(const void *)(mask32 + 8 - (n)))
#define SPMM_GET(p) _mm256_loadu_ps(p)
#define SPMM_GET_PART(p, n) ((n) == 8 ? SPMM_GET(p) : _mm256_maskload_ps(p, SPMM_MASK(n)))
#define SPMM_LOAD_PART(p, n) _mm256_maskload_ps(p, SPMM_MASK(n))
#define SPMM_STORE_PART(p, v, n) _mm256_maskstore_ps(p, SPMM_MASK(n), v)
#define SPMM_SPLAT(x) _mm256_set1_ps(x)
#define SPMM_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#undef SPMM_STREAM
#define SPMM_STREAM(p, v) _mm256_stream_ps(p, v)
#include "spmm/cpu/body.h"
#include "spmm/cpu/sell_body.h"

#undef SPMM_STORED
#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_STORED uint16_t
#define SPMM_NAME(x) SPMM_PASTE(x, _fp16)
#define SPMM_WORDS(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define SPMM_WORDS_PART(p, n) ((n) == 8 ? SPMM_WORDS(p) : words_part(p, n))
#define SPMM_GET(p) _mm256_cvtph_ps(SPMM_WORDS(p))
#define SPMM_GET_PART(p, n) _mm256_cvtph_ps(SPMM_WORDS_PART(p, n))
#include "spmm/cpu/body.h"

#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_NAME(x) SPMM_PASTE(x, _bf16)
#define SPMM_WIDEN(words) _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16))
#define SPMM_GET(p) SPMM_WIDEN(SPMM_WORDS(p))
#define SPMM_GET_PART(p, n) SPMM_WIDEN(SPMM_WORDS_PART(p, n))
#include "spmm/cpu/body.h"

const spmm_rows_kernel spmm_avx2 = {"avx2",
                                    CPU_AVX2,
                                    {run_fp16, run_bf16, run_fp32, run_fp64},
                                    {NULL, NULL, run_sell_fp32, run_sell_fp64},
                                    {NULL, NULL, spread_fp32, spread_fp64}};
#endif
