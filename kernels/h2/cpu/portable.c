/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of H² matrices for any machine: vectors of 16 bytes, which every compiler can do without. */
#include "h2/common/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define H2_TARGET
#define H2_ROWS 4
#define H2_TABLE h2_portable

#define H2_REAL double
#define H2_LANES 2
#define H2_NAME(x) H2_PASTE(x, _fp64)
#define H2_PASTE(x, y) H2_PASTE_NOW(x, y)
#define H2_PASTE_NOW(x, y) x##y
#define H2_LABEL "portable-fp64"
#define H2_VECTOR vector_fp64
#define H2_LOAD(p) load_fp64(p, H2_LANES)
#define H2_STORE(p, v) store_fp64(p, v, H2_LANES)
#define H2_LOAD_PART(p, n) load_fp64(p, n)
#define H2_STORE_PART(p, v, n) store_fp64(p, v, n)
#define H2_SPLAT(x) ((vector_fp64){0, 0} + (double)(x))
#define H2_FMA(a, b, c) ((a) * (b) + (c))
#define H2_SQRT(v) sqrt_fp64(v)
#define H2_SUM(v) sum_fp64(v)

typedef double vector_fp64 __attribute__((vector_size(16)));
typedef float vector_fp32 __attribute__((vector_size(16)));

static inline vector_fp64 load_fp64(const double *p, int64_t n) {
    return n == 2 ? (vector_fp64){p[0], p[1]} : (vector_fp64){p[0], 0};
}

static inline void store_fp64(double *p, vector_fp64 v, int64_t n) {
    p[0] = v[0];
    if (n == 2)
        p[1] = v[1];
}

static inline double sum_fp64(vector_fp64 v) {
    return v[0] + v[1];
}

static inline vector_fp64 sqrt_fp64(vector_fp64 v) {
    return (vector_fp64){sqrt(v[0]), sqrt(v[1])};
}

static inline vector_fp32 sqrt_fp32(vector_fp32 v) {
    return (vector_fp32){sqrtf(v[0]), sqrtf(v[1]), sqrtf(v[2]), sqrtf(v[3])};
}

static inline vector_fp32 load_fp32(const float *p, int64_t n) {
    vector_fp32 v = {0, 0, 0, 0};
    if (n == 4)
        memcpy(&v, p, sizeof v);
    else
        for (int64_t i = 0; i < n; i++)
            v[i] = p[i];
    return v;
}

static inline void store_fp32(float *p, vector_fp32 v, int64_t n) {
    if (n == 4)
        memcpy(p, &v, sizeof v);
    else
        for (int64_t i = 0; i < n; i++)
            p[i] = v[i];
}

static inline float sum_fp32(vector_fp32 v) {
    return (v[0] + v[1]) + (v[2] + v[3]);
}

#include "h2/cpu/body.h"

#undef H2_REAL
#undef H2_LANES
#undef H2_NAME
#undef H2_LABEL
#undef H2_VECTOR
#undef H2_LOAD
#undef H2_STORE
#undef H2_LOAD_PART
#undef H2_STORE_PART
#undef H2_SPLAT
#undef H2_SQRT
#undef H2_SUM
#define H2_REAL float
#define H2_LANES 4
#define H2_NAME(x) H2_PASTE(x, _fp32)
#define H2_LABEL "portable-fp32"
#define H2_VECTOR vector_fp32
#define H2_LOAD(p) load_fp32(p, H2_LANES)
#define H2_STORE(p, v) store_fp32(p, v, H2_LANES)
#define H2_LOAD_PART(p, n) load_fp32(p, n)
#define H2_STORE_PART(p, v, n) store_fp32(p, v, n)
#define H2_SPLAT(x) ((vector_fp32){0, 0, 0, 0} + (float)(x))
#define H2_SQRT(v) sqrt_fp32(v)
#define H2_SUM(v) sum_fp32(v)
#include "h2/cpu/body.h"
