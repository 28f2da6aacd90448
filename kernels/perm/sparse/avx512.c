/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse permanents with AVX-512. */
#include "perm/sparse/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SPARSE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define SPARSE_WIDTH 8
#define SPARSE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define SPARSE_FNMA(a, b, c) _mm512_fnmadd_pd(a, b, c)
#include "perm/sparse/body.h"
#include "perm/sparse/gray_body.h"
#define DENSE_FMA SPARSE_FMA
#define DENSE_FNMA SPARSE_FNMA
#include "perm/sparse/modular_body.h"

static double fits(const perm_sparse_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : price_tables(problem, 1);
}

static double fits_gray(const perm_sparse_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : price_walk(problem, 8e-10);
}

static double fits_modular(const perm_sparse_problem *problem, unsigned features) {
    return !(features & CPU_AVX512) ? 0 : price_modular(problem, 1);
}
#else
#define run 0
#define run_modular 0
#define run_gray 0
#define fits_modular fits
#define fits_gray fits
PROCESSOR_NEVER_FITS(perm_sparse_problem)
#endif

const perm_sparse_kernel perm_sparse_avx512 = {"sparse-avx512", "cpu", false, fits, run};
const perm_sparse_kernel perm_sparse_exact_avx512 = {"sparse-exact-avx512", "cpu", false, fits_modular,
                                                     run_modular};
const perm_sparse_kernel perm_sparse_gray_avx512 = {"sparse-gray-avx512", "cpu", true, fits_gray, run_gray};
