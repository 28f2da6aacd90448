/* SPDX-License-Identifier: BSD-3-Clause */
/* Products for any machine: vectors of 16 bytes, which every compiler can do without. */
#include "spmm/common/kernel.h"

#include <string.h>

#define SPMM_TARGET
#define SPMM_AHEAD 16
#define SPMM_TILE 2

typedef double vector_fp64 __attribute__((vector_size(16)));
typedef float vector_fp32 __attribute__((vector_size(16)));

static inline vector_fp64 load_fp64(const double *p, int64_t n) {
    return n == 2 ? (vector_fp64){p[0], p[1]} : (vector_fp64){p[0], 0};
}

static inline void store_fp64(double *p, vector_fp64 v, int64_t n) {
    memcpy(p, &v, (size_t)n * sizeof *p);
}

static inline vector_fp32 load_fp32(const float *p, int64_t n) {
    vector_fp32 v = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++)
        v[i] = p[i];
    return v;
}

static inline void store_fp32(float *p, vector_fp32 v, int64_t n) {
    memcpy(p, &v, (size_t)n * sizeof *p);
}

/* Shifted to the place of fp32's fraction and exponent, the number is 2^112 = 2^(127 - 15) times too small,
 * and so are subnormal ones. Infinities and NaN do not occur. */
static inline vector_fp32 load_fp16(const uint16_t *p, int64_t n) {
    vector_fp32 v = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++) {
        const uint32_t word = (uint32_t)(p[i] & 0x8000) << 16 | (uint32_t)(p[i] & 0x7fff) << 13;
        float number;
        memcpy(&number, &word, sizeof number);
        v[i] = number * 0x1p112F;
    }
    return v;
}

static inline vector_fp32 load_bf16(const uint16_t *p, int64_t n) {
    vector_fp32 v = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++) {
        const uint32_t word = (uint32_t)p[i] << 16;
        float number;
        memcpy(&number, &word, sizeof number);
        v[i] = number;
    }
    return v;
}

#define SPMM_REAL double
#define SPMM_STORED double
#define SPMM_LANES 2
#define SPMM_NAME(x) SPMM_PASTE(x, _fp64)
#define SPMM_PASTE(x, y) SPMM_PASTE_NOW(x, y)
#define SPMM_PASTE_NOW(x, y) x##y
#define SPMM_VECTOR vector_fp64
#define SPMM_GET(p) load_fp64(p, 2)
#define SPMM_GET_PART(p, n) load_fp64(p, n)
#define SPMM_LOAD_PART(p, n) load_fp64(p, n)
#define SPMM_STORE_PART(p, v, n) store_fp64(p, v, n)
#define SPMM_SPLAT(x) ((vector_fp64){0, 0} + (double)(x))
#define SPMM_FMA(a, b, c) ((a) * (b) + (c))
#include "spmm/cpu/body.h"

#undef SPMM_REAL
#undef SPMM_STORED
#undef SPMM_LANES
#undef SPMM_NAME
#undef SPMM_VECTOR
#undef SPMM_GET
#undef SPMM_GET_PART
#undef SPMM_LOAD_PART
#undef SPMM_STORE_PART
#undef SPMM_SPLAT
#define SPMM_REAL float
#define SPMM_STORED float
#define SPMM_LANES 4
#define SPMM_NAME(x) SPMM_PASTE(x, _fp32)
#define SPMM_VECTOR vector_fp32
#define SPMM_GET(p) load_fp32(p, 4)
#define SPMM_GET_PART(p, n) load_fp32(p, n)
#define SPMM_LOAD_PART(p, n) load_fp32(p, n)
#define SPMM_STORE_PART(p, v, n) store_fp32(p, v, n)
#define SPMM_SPLAT(x) ((vector_fp32){0, 0, 0, 0} + (float)(x))
#include "spmm/cpu/body.h"

#undef SPMM_STORED
#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_STORED uint16_t
#define SPMM_NAME(x) SPMM_PASTE(x, _fp16)
#define SPMM_GET(p) load_fp16(p, 4)
#define SPMM_GET_PART(p, n) load_fp16(p, n)
#include "spmm/cpu/body.h"

#undef SPMM_NAME
#undef SPMM_GET
#undef SPMM_GET_PART
#define SPMM_NAME(x) SPMM_PASTE(x, _bf16)
#define SPMM_GET(p) load_bf16(p, 4)
#define SPMM_GET_PART(p, n) load_bf16(p, n)
#include "spmm/cpu/body.h"

const spmm_rows_kernel spmm_portable = {
    "portable", 0, {run_fp16, run_bf16, run_fp32, run_fp64}, {NULL}, {NULL}};
