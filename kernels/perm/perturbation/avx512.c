/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h with AVX-512: 32 registers hold eight pairs of products of 16 lanes. */
#include "perm/perturbation/kernel.h"

#define BOUND_KERNEL perm_perturbation_avx512
#define BOUND_LABEL "perturbation-avx512"
#define BOUND_FEATURES CPU_AVX512
#define BOUND_SECONDS(is_complex) ((is_complex) ? 4.3e-11 : 3.1e-11)

#if defined(__x86_64__)
#include <immintrin.h>

#define BOUND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define BOUND_WIDTH 16
#define BOUND_PAIRS 8
#define BOUND_FMA(a, b, c) _mm512_fmadd_ps(_mm512_set1_ps(a), b, c)
#define BOUND_FNMA(a, b, c) _mm512_fnmadd_ps(_mm512_set1_ps(a), b, c)
#define BOUND_SQUARE(a, c) _mm512_fmadd_ps(a, a, c)
#endif
#include "perm/perturbation/body.h"
