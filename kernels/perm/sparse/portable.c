/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse permanents on any machine: vectors of two doubles, which every compiler can do without. */
#include "perm/sparse/kernel.h"

#define SPARSE_TARGET
#define SPARSE_WIDTH 2
#if defined(__FP_FAST_FMA)
#define SPARSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define SPARSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#else
#define SPARSE_FMA(a, b, c) ((a) * (b) + (c))
#define SPARSE_FNMA(a, b, c) ((c) - (a) * (b))
#endif
#include "perm/sparse/body.h"
#include "perm/sparse/gray_body.h"
/* Where there is no FMA the C library does it in software. */
#define DENSE_FMA(a, b, c) ((vector){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])})
#define DENSE_FNMA(a, b, c) ((vector){__builtin_fma(-a[0], b[0], c[0]), __builtin_fma(-a[1], b[1], c[1])})
#include "perm/sparse/modular_body.h"

static double fits(const perm_sparse_problem *problem, unsigned features) {
    (void)features;
    return price_tables(problem, 3.1);
}

static double fits_gray(const perm_sparse_problem *problem, unsigned features) {
    (void)features;
    return price_walk(problem, 1.9e-9);
}

static double fits_modular(const perm_sparse_problem *problem, unsigned features) {
    (void)features;
    return price_modular(problem, 44);
}

const perm_sparse_kernel perm_sparse_exact_portable = {"sparse-exact-portable", "cpu", false, fits_modular,
                                                       run_modular};
const perm_sparse_kernel perm_sparse_portable = {"sparse-portable", "cpu", false, fits, run};
const perm_sparse_kernel perm_sparse_gray_portable = {"sparse-gray-portable", "cpu", true, fits_gray,
                                                      run_gray};
