/* kernel.h with AVX-512: 32 registers hold eight pairs of products of 16 lanes. */
#include "perm/perturbation/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define BOUND_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define BOUND_WIDTH 16
#define BOUND_PAIRS 8
#define BOUND_FMA(a, b, c) _mm512_fmadd_ps(_mm512_set1_ps(a), b, c)
#define BOUND_FNMA(a, b, c) _mm512_fnmadd_ps(_mm512_set1_ps(a), b, c)
#define BOUND_SQUARE(a, c) _mm512_fmadd_ps(a, a, c)
#include "perm/perturbation/body.h"

static double fits(bool is_complex, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : is_complex ? 4.3e-11 : 3.1e-11;
}

const perm_perturbation_kernel perm_perturbation_avx512 = {"perturbation-avx512", fits, run};
#else
static double fits(bool is_complex, unsigned features) {
    (void)is_complex, (void)features;
    return 0;
}

const perm_perturbation_kernel perm_perturbation_avx512 = {"perturbation-avx512", fits, 0};
#endif
