/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/problem/format.h"
#include "spmm/problem/spmm.h"

#include <math.h>
#include <string.h>

/* Rounds to `bits` bits of significand, ties to even, in the bits of a double. */
static double round_normal(double x, int bits) {
    const int dropped = 53 - bits;
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    /* Half a unit less the last bit, and that bit again if the last kept one is odd: a tie goes to the even
     * neighbour. A carry out of the fraction raises the exponent, as it should. */
    word += (word >> dropped & 1) + (UINT64_C(1) << (dropped - 1)) - 1;
    word &= ~((UINT64_C(1) << dropped) - 1);
    memcpy(&x, &word, sizeof word);
    return x;
}

/* Subnormal numbers are multiples of `unit`. A sum near 1.5 · 2^52 units has this unit in the last place, so
 * that the addition itself rounds to a multiple, ties to even. */
static double round_subnormal(double x, double unit) {
    const double shift = 0x1.8p52 * unit;
    return copysign(x + shift - shift, x);
}

static double round_narrow(double x, int bits, double smallest, double unit, double overflow) {
    if (!isfinite(x))
        return x;
    if (fabs(x) < smallest)
        return round_subnormal(x, unit);
    x = round_normal(x, bits);
    return fabs(x) >= overflow ? copysign(INFINITY, x) : x;
}

double spmm_round(spmm_precision precision, double x) {
    switch (precision) {
    case SPMM_FP16: return round_narrow(x, 11, 0x1p-14, 0x1p-24, 0x1p16);
    case SPMM_BF16: return round_narrow(x, 8, 0x1p-126, 0x1p-133, 0x1p128);
    case SPMM_TF32: return round_narrow(x, 11, 0x1p-126, 0x1p-136, 0x1p128);
    case SPMM_FP64: return x;
    default: return (double)(float)x;
    }
}

static uint32_t word_of(float number) {
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

/* The bits of a number that fp16 has. The exponent's bias falls from 127 to 15, by 112; subnormal numbers are
 * multiples of 2^-24; a NaN keeps a bit of its fraction. */
static uint16_t fp16_bits(float number) {
    const uint32_t word = word_of(number), sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    if (magnitude >= 0x7f800000)
        return (uint16_t)(sign | 0x7c00 | (magnitude > 0x7f800000) << 9);
    if (magnitude >= 0x38800000) /* 2^-14 */
        return (uint16_t)(sign | ((magnitude >> 13) - (112 << 10)));
    return (uint16_t)(sign | (uint32_t)(fabsf(number) * 0x1p24F));
}

static uint16_t bf16_bits(float number) {
    return (uint16_t)(word_of(number) >> 16);
}

int64_t spmm_pack(spmm_precision precision, const double *from, int64_t stride, int64_t count, void *to) {
    const spmm_format format = spmm_format_of(precision);
    int64_t beyond = -1;
    for (int64_t i = 0; i < count; i++) {
        const double x = from[i * stride], rounded = spmm_round(precision, x);
        if (beyond < 0 && isinf(rounded) && !isinf(x))
            beyond = i;
        switch (format) {
        case SPMM_FORMAT_FP16: ((uint16_t *)to)[i] = fp16_bits((float)rounded); break;
        case SPMM_FORMAT_BF16: ((uint16_t *)to)[i] = bf16_bits((float)rounded); break;
        case SPMM_FORMAT_FP32: ((float *)to)[i] = (float)rounded; break;
        default: ((double *)to)[i] = rounded; break;
        }
    }
    return beyond;
}

static double unpack_fp16(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                             : exponent == 0 ? fraction * 0x1p-24
                                             : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

static double unpack_bf16(uint16_t bits) {
    const uint32_t word = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

double spmm_unpack(spmm_format format, const void *numbers, int64_t i) {
    switch (format) {
    case SPMM_FORMAT_FP16: return unpack_fp16(((const uint16_t *)numbers)[i]);
    case SPMM_FORMAT_BF16: return unpack_bf16(((const uint16_t *)numbers)[i]);
    case SPMM_FORMAT_FP32: return (double)((const float *)numbers)[i];
    default: return ((const double *)numbers)[i];
    }
}

void spmm_pack_value(spmm_precision precision, const void *value, int64_t from, void *to, int64_t at) {
    switch (precision) {
    case SPMM_FP16: ((uint16_t *)to)[at] = fp16_bits(((const float *)value)[from]); break;
    case SPMM_BF16: ((uint16_t *)to)[at] = bf16_bits(((const float *)value)[from]); break;
    case SPMM_FP64: ((double *)to)[at] = ((const double *)value)[from]; break;
    default: ((float *)to)[at] = ((const float *)value)[from]; break;
    }
}

/* ---- names and sizes ---- */

const char *spmm_precision_name(spmm_precision precision) {
    static const char *const names[] = {"fp16", "bf16", "tf32", "3xtf32", "fp32", "fp64"};
    return names[precision];
}

int64_t spmm_c_bytes(const spmm_problem *problem) {
    if (problem->narrow_c)
        return spmm_format_bytes(spmm_format_of(problem->precision));
    return problem->precision == SPMM_FP64 ? 8 : 4;
}

double spmm_count_a_bytes(const spmm_problem *problem) {
    const double number = (double)spmm_format_bytes(spmm_format_of(problem->precision));
    return (double)problem->a.nnz * (number + 4) + 4.0 * (double)problem->a.nrow;
}

double spmm_count_c_bytes(const spmm_problem *problem) {
    return (double)problem->a.nrow * (double)problem->n * (double)spmm_c_bytes(problem);
}
