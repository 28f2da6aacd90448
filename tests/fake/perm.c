/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for permanents on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense/gpu.cu"
#include "perm/dense/pairs_gpu.cu"
#include "perm/dense/tensor_gpu.cu"
#include "perm/doubledouble/gpu.cu"
#include "perm/exact/gpu.cu"
#include "perm/frontier/gpu.cu"
#include "perm/superman/gpu.cu"
#include "tests/fake/kernels.h"

/* Sums over subsets have the arguments of perm/subsets/device_sum.h, … */
#define SUMS(columns, sums)                                                                                  \
    AT(0, int), AT(1, int), AT(2, long long), AT(3, long long), AT(4, columns), AT(5, sums)

/* … steps of a frontier those of perm/frontier/gpu.h. */
#define STEP                                                                                                 \
    AT(0, const frontier_gpu_tables *), AT(1, const frontier_gpu_step *), AT(2, const frontier_word *),      \
        AT(3, const frontier_word *), AT(4, const frontier_word *), AT(5, frontier_word *), AT(6, int *)

#define KERNELS(X)                                                                                           \
    X(dense_gpu_real, SUMS(const double *, dense_gpu_sums *))                                                \
    X(pairs_gpu_real, SUMS(const double *, dense_gpu_sums *))                                                \
    X(tensor_gpu_real, SUMS(const double *, dense_gpu_sums *))                                               \
    X(superman_gpu_shared_shared, SUMS(const double *, dense_gpu_sums *))                                    \
    X(superman_gpu_shared_shared_ceg, SUMS(const double *, dense_gpu_sums *))                                \
    X(superman_gpu_shared_global, SUMS(const double *, dense_gpu_sums *))                                    \
    X(superman_gpu_shared_global_ceg, SUMS(const double *, dense_gpu_sums *))                                \
    X(superman_gpu_registers_global, SUMS(const double *, dense_gpu_sums *))                                 \
    X(superman_gpu_registers_global_ceg, SUMS(const double *, dense_gpu_sums *))                             \
    X(superman_gpu_registers_shared, SUMS(const double *, dense_gpu_sums *))                                 \
    X(superman_gpu_registers_shared_ceg, SUMS(const double *, dense_gpu_sums *))                             \
    X(dense_gpu_complex, SUMS(const double *, dense_gpu_sums *))                                             \
    X(dense_gpu_certified_real, SUMS(const double *, dense_gpu_certified_sums *))                            \
    X(dense_gpu_certified_complex, SUMS(const double *, dense_gpu_certified_sums *))                         \
    X(exact_gpu_1, SUMS(const exact_gpu_tables *, long long *))                                              \
    X(exact_gpu_2, SUMS(const exact_gpu_tables *, long long *))                                              \
    X(exact_gpu_3, SUMS(const exact_gpu_tables *, long long *))                                              \
    X(exact_gpu_4, SUMS(const exact_gpu_tables *, long long *))                                              \
    X(sieve_gpu_1, SUMS(const sieve_gpu_tables *, long long *))                                              \
    X(sieve_gpu_2, SUMS(const sieve_gpu_tables *, long long *))                                              \
    X(sieve_gpu_3, SUMS(const sieve_gpu_tables *, long long *))                                              \
    X(sieve_gpu_4, SUMS(const sieve_gpu_tables *, long long *))                                              \
    X(dd_gpu_1, SUMS(const double *, dd_gpu_sums *))                                                         \
    X(dd_gpu_2, SUMS(const double *, dd_gpu_sums *))                                                         \
    X(dd_gpu_complex_1, SUMS(const double *, dd_gpu_sums *))                                                 \
    X(dd_gpu_complex_2, SUMS(const double *, dd_gpu_sums *))                                                 \
    X(frontier_gpu_start, AT(0, const frontier_gpu_tables *), AT(1, int), AT(2, long long),                  \
      AT(3, frontier_word *))                                                                                \
    X(frontier_gpu_real, STEP)                                                                               \
    X(frontier_gpu_signed, STEP)                                                                             \
    X(frontier_gpu_complex, STEP)                                                                            \
    X(frontier_gpu_words_1, STEP)                                                                            \
    X(frontier_gpu_words_2, STEP)                                                                            \
    X(frontier_gpu_words_3, STEP)                                                                            \
    X(frontier_gpu_words_4, STEP)                                                                            \
    X(frontier_gpu_complex_words_1, STEP)                                                                    \
    X(frontier_gpu_complex_words_2, STEP)                                                                    \
    X(frontier_gpu_complex_words_3, STEP)                                                                    \
    X(frontier_gpu_complex_words_4, STEP)

#define FAKE_HAS fake_has_perm_kernel
#define FAKE_RUN fake_run_perm_kernel
#include "tests/fake/list.h"
