/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h with AVX2 and FMA: 16 registers hold four pairs of products of 8 lanes. */
#include "perm/perturbation/kernel.h"

#define BOUND_KERNEL perm_perturbation_avx2
#define BOUND_LABEL "perturbation-avx2"
#define BOUND_FEATURES CPU_AVX2
#define BOUND_SECONDS(is_complex) ((is_complex) ? 8.6e-11 : 7e-11)

#if defined(__x86_64__)
#include <immintrin.h>

#define BOUND_TARGET __attribute__((target("avx2,fma")))
#define BOUND_WIDTH 8
#define BOUND_PAIRS 4
#define BOUND_FMA(a, b, c) _mm256_fmadd_ps(_mm256_set1_ps(a), b, c)
#define BOUND_FNMA(a, b, c) _mm256_fnmadd_ps(_mm256_set1_ps(a), b, c)
#define BOUND_SQUARE(a, c) _mm256_fmadd_ps(a, a, c)
#endif
#include "perm/perturbation/body.h"
