/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels tca_half and tca_bfloat for SpMM (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/matrix.h"
#include "spmm/common/row.h"
#include "spmm/tca/tca.h"

// c += a b by m16n8k8. The words of a are (g, 2t), (g, 2t + 1) and the same of row g + 8, that of b is (2t,
// g), (2t
// + 1, g); c is as in common/matrix.h.
#ifdef __CUDACC__
#define TCA_DEFINE_MULTIPLY(name, type)                                                                      \
    __device__ __forceinline__ void tca_m16n8k8_##name(float *c, unsigned upper, unsigned lower,             \
                                                       unsigned right) {                                     \
        asm("mma.sync.aligned.m16n8k8.row.col.f32." type "." type ".f32 "                                    \
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                            \
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                 \
            : "r"(upper), "r"(lower), "r"(right));                                                           \
    }
#else
#define TCA_DEFINE_MULTIPLY(name, type)                                                                      \
    __device__ void tca_m16n8k8_##name(float *c, unsigned upper, unsigned lower, unsigned right) {           \
        const unsigned left[] = {upper, lower};                                                              \
        const spmm_shim_offer *offers = spmm_shim_exchange(left, 2, &right, 1);                              \
        for (int number = 0; number < 4; number++)                                                           \
            for (int k = 0; k < 8; k++) {                                                                    \
                const int t = k / 2, column = (int)threadIdx.x % 4 * 2 + number % 2, half = k % 2 * 16;      \
                const unsigned a = offers[spmm_shim_row_lane(number) + t].a[number / 2];                     \
                const unsigned b = offers[column * 4 + t].b[0];                                              \
                c[number] += spmm_widen_##name((unsigned short)(a >> half)) *                                \
                             spmm_widen_##name((unsigned short)(b >> half));                                 \
            }                                                                                                \
        __syncwarp();                                                                                        \
    }
#endif
TCA_DEFINE_MULTIPLY(half, "f16")
TCA_DEFINE_MULTIPLY(bfloat, "bf16")

#define TCA_TYPE half
#define TCA_MULTIPLY(c, upper, lower, right) tca_m16n8k8_half(c, upper, lower, right)
#include "spmm/tca/body.h"

#define TCA_TYPE bfloat
#define TCA_MULTIPLY(c, upper, lower, right) tca_m16n8k8_bfloat(c, upper, lower, right)
#include "spmm/tca/body.h"
