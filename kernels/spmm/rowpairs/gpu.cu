/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rowpairs_… for SpMM: rowpairs_float_16_1 has 16 lanes and 1 group (body.h).
#include "shim.h"

#include "spmm/common/row.h"
#include "spmm/rowpairs/contract.h"

// Number `at` of some vectors.
__device__ __forceinline__ float spmm_take_half(const spmm_words *value, int at) {
    return spmm_widen_half((unsigned short)(value[at / 8].word[at % 8 / 2] >> at % 2 * 16));
}

__device__ __forceinline__ float spmm_take_bfloat(const spmm_words *value, int at) {
    return spmm_widen_bfloat((unsigned short)(value[at / 8].word[at % 8 / 2] >> at % 2 * 16));
}

__device__ __forceinline__ float spmm_take_float(const spmm_words *value, int at) {
    return spmm_float(value[at / 4].word[at % 4]);
}

__device__ __forceinline__ double spmm_take_double(const spmm_words *value, int at) {
    return spmm_double(value[at / 2].word[at % 2 * 2], value[at / 2].word[at % 2 * 2 + 1]);
}

#define SPMM_EACH "spmm/rowpairs/body.h"
#include "spmm/rowpairs/variants.h"
