/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that fill, orthogonalize and compress H2 matrices on the fake device, by the shim. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1") /* matrices are small */
#endif
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/compress/gpu.cu"
#include "h2/fill/gpu.cu"
#include "h2/large/gpu.cu"
#define H2_EACH "h2/orthog/gpu_body.h"
#include "h2/common/types_gpu.h"
#include "tests/fake/kernels.h"

/* The names and calls of kernels for one type of numbers. */
#define KERNELS_OF(X, real, name)                                                                            \
    X(h2_gpu_fill_blocks_##name, AT(0, const h2_gpu_how), AT(1, int), AT(2, const h2_gpu_item *),            \
      AT(3, const h2_gpu_geometry), AT(4, real *))                                                           \
    X(h2_gpu_fill_bases_##name, AT(0, const h2_gpu_how), AT(1, int), AT(2, const h2_gpu_item *),             \
      AT(3, const h2_gpu_geometry), AT(4, real *))                                                           \
    X(h2_gpu_orthogonalize_##name, AT(0, const h2_gpu_qr *), AT(1, const real *), AT(2, real *),             \
      AT(3, double *))                                                                                       \
    X(h2_gpu_change_##name, AT(0, const h2_gpu_change *), AT(1, const h2_gpu_change_block *),                \
      AT(2, const real *), AT(3, real *), AT(4, const double *), AT(5, const double *))                      \
    X(h2_gpu_weigh_##name, AT(0, const h2_gpu_weigh *), AT(1, const h2_gpu_weigh_block *),                   \
      AT(2, const real *), AT(3, double *))                                                                  \
    X(h2_gpu_weigh_gram_##name, AT(0, const h2_gpu_weigh *), AT(1, const h2_gpu_weigh_block *),              \
      AT(2, const real *), AT(3, double *))                                                                  \
    X(h2_gpu_weigh_parent_##name, AT(0, const h2_gpu_weigh *), AT(1, const real *), AT(2, double *))         \
    X(h2_gpu_weigh_parent_gram_##name, AT(0, const h2_gpu_weigh *), AT(1, const real *), AT(2, double *))    \
    X(h2_gpu_truncate_##name, AT(0, const h2_gpu_truncate_how), AT(1, const h2_gpu_truncate *),              \
      AT(2, const real *), AT(3, const h2_gpu_truncate_state))                                               \
    X(h2_gpu_truncate_gram_##name, AT(0, const h2_gpu_truncate_how), AT(1, int),                             \
      AT(2, const h2_gpu_truncate *), AT(3, const real *), AT(4, const h2_gpu_truncate_state))               \
    X(h2_gpu_store_##name, AT(0, const h2_gpu_store_task *), AT(1, const real *), AT(2, real *),             \
      AT(3, const double *))                                                                                 \
    X(h2_gpu_squares_##name, AT(0, long long), AT(1, const real *), AT(2, double *))

#define KERNELS(X)                                                                                           \
    KERNELS_OF(X, double, fp64)                                                                              \
    KERNELS_OF(X, float, fp32)                                                                               \
    X(h2_gpu_keep, AT(0, const h2_gpu_truncate_how), AT(1, const h2_gpu_truncate *),                         \
      AT(2, const h2_gpu_truncate_state))                                                                    \
    X(h2_gpu_sum_products, AT(0, const h2_gpu_products *), AT(1, const h2_gpu_term *))                       \
    X(h2_gpu_factor, AT(0, const h2_gpu_factor_task *))                                                      \
    X(h2_gpu_weigh_rows, AT(0, const h2_gpu_weigh_rows_task *), AT(1, const h2_gpu_joining *))               \
    X(h2_gpu_resolve, AT(0, const h2_gpu_truncate_how), AT(1, int), AT(2, int),                              \
      AT(3, const h2_gpu_resolve_task *), AT(4, const h2_gpu_truncate_state))                                \
    X(h2_gpu_settle, AT(0, const h2_gpu_truncate_how), AT(1, const h2_gpu_resolve_task *),                   \
      AT(2, const h2_gpu_truncate_state))

#define FAKE_HAS fake_has_h2_kernel
#define FAKE_RUN fake_run_h2_kernel
#include "tests/fake/list.h"
