/* SPDX-License-Identifier: BSD-3-Clause */
/* Products as they are defined, a sum at a time; sums are kept in double. */
#include "spmm/common/kernel.h"

#include <math.h>
#include <string.h>

static double number_fp16(const void *b, int64_t i) {
    const uint16_t bits = ((const uint16_t *)b)[i];
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

static double number_bf16(const void *b, int64_t i) {
    const uint32_t bits = (uint32_t)((const uint16_t *)b)[i] << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

static double number_fp32(const void *b, int64_t i) {
    return (double)((const float *)b)[i];
}

static double number_fp64(const void *b, int64_t i) {
    return ((const double *)b)[i];
}

static double sum_up(const spmm_job *job, double (*number)(const void *, int64_t), bool wide, int64_t row,
                     int64_t column) {
    const spmm_csr *a = job->a;
    double sum = 0;
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
        sum += (wide ? ((const double *)a->value)[k] : (double)((const float *)a->value)[k]) *
               number(job->b, a->index[k] * job->b_row + column);
    return sum;
}

static void multiply(const spmm_job *job, double (*number)(const void *, int64_t), bool wide, int64_t first,
                     int64_t end) {
    float *narrow_c = job->c;
    double *wide_c = job->c;
    for (int64_t row = first; row < end; row++)
        for (int64_t column = 0; column < job->n; column++) {
            const int64_t to = row * job->c_row + column;
            double sum = job->alpha * sum_up(job, number, wide, row, column);
            if (job->beta != 0)
                sum += job->beta * (wide ? wide_c[to] : (double)narrow_c[to]);
            if (wide)
                wide_c[to] = sum;
            else
                narrow_c[to] = (float)sum;
        }
}

static void run_fp16(const spmm_job *job, int64_t first, int64_t end) {
    multiply(job, number_fp16, false, first, end);
}

static void run_bf16(const spmm_job *job, int64_t first, int64_t end) {
    multiply(job, number_bf16, false, first, end);
}

static void run_fp32(const spmm_job *job, int64_t first, int64_t end) {
    multiply(job, number_fp32, false, first, end);
}

static void run_fp64(const spmm_job *job, int64_t first, int64_t end) {
    multiply(job, number_fp64, true, first, end);
}

const spmm_rows_kernel spmm_ref = {"ref", 0, {run_fp16, run_bf16, run_fp32, run_fp64}, {NULL}, {NULL}};
