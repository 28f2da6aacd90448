/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that multiply H2 matrices with vectors on the fake device, by the shim. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1") /* matrices are small */
#endif
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/product/gpu.cu"
#include "tests/fake/kernels.h"

/* A kernel that multiplies by blocks, whose tasks and blocks have these types. */
#define PRODUCT_OF(X, kernel, task, block, real)                                                             \
    X(kernel, AT(0, const task *), AT(1, const block *), AT(2, const real *), AT(3, const double *),         \
      AT(4, const double *), AT(5, double *), AT(6, double *), AT(7, int))

#define PRODUCTS_OF(X, real, name)                                                                           \
    PRODUCT_OF(X, h2_gpu_base_1_##name, h2_gpu_task, h2_gpu_block, real)                                     \
    PRODUCT_OF(X, h2_gpu_base_8_##name, h2_gpu_task, h2_gpu_block, real)                                     \
    PRODUCT_OF(X, h2_gpu_base_16_##name, h2_gpu_task, h2_gpu_block, real)                                    \
    PRODUCT_OF(X, h2_gpu_apply_1_##name, h2_gpu_task, h2_gpu_block, real)                                    \
    PRODUCT_OF(X, h2_gpu_apply_8_##name, h2_gpu_pair, h2_gpu_piece, real)                                    \
    PRODUCT_OF(X, h2_gpu_apply_16_##name, h2_gpu_pair, h2_gpu_piece, real)

#define KERNELS(X)                                                                                           \
    PRODUCTS_OF(X, double, fp64)                                                                             \
    PRODUCTS_OF(X, float, fp32)                                                                              \
    X(h2_gpu_sum_slots, AT(0, const h2_gpu_sum *), AT(1, const double *), AT(2, double *), AT(3, int),       \
      AT(4, int))                                                                                            \
    X(h2_gpu_load, AT(0, const long long *), AT(1, long long), AT(2, const double *), AT(3, int),            \
      AT(4, int), AT(5, double *))                                                                           \
    X(h2_gpu_store, AT(0, const long long *), AT(1, long long), AT(2, const double *), AT(3, int),           \
      AT(4, int), AT(5, double), AT(6, double), AT(7, double *))

#define FAKE_HAS fake_has_h2_product
#define FAKE_RUN fake_run_h2_product
#include "tests/fake/list.h"
