/* Sparse permanents with AVX-512. */
#include "perm/sparse_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SPARSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define SPARSE_WIDTH 8
#define SPARSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define SPARSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "perm/sparse_body.h"

static double fits(const perm_sparse_problem *problem, int cpu_level) {
    return cpu_level < 2 ? 0 : problem->operations * 5e-10 * (problem->is_complex ? 3.5 : 1);
}

const perm_sparse_kernel perm_sparse_avx512 = {"sparse-avx512", "cpu", fits, run};
#else
static double fits(const perm_sparse_problem *problem, int cpu_level) {
    (void)problem, (void)cpu_level;
    return 0;
}

const perm_sparse_kernel perm_sparse_avx512 = {"sparse-avx512", "cpu", fits, 0};
#endif
