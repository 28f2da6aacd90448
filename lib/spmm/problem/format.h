/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in the formats of common/kernel.h: rounding, packing, unpacking. */
#ifndef SPMM_PROBLEM_FORMAT_H
#define SPMM_PROBLEM_FORMAT_H

#include "spmm/common/kernel.h"

/* The nearest number that the precision has (ties to even), subnormal ones included; infinite beyond its
 * range. 3xtf32 has the numbers of fp32. */
double spmm_round(spmm_precision precision, double x);

/* Rounds `count` numbers that lie `stride` apart and writes them side by side in the precision's format.
 * Returns the first position at which a finite number became infinite, or -1. */
int64_t spmm_pack(spmm_precision precision, const double *from, int64_t stride, int64_t count, void *to);

double spmm_unpack(spmm_format format, const void *numbers, int64_t i);

/* Number `from` of the values of a spmm_csr becomes number `at` of an array in the precision's format. */
void spmm_pack_value(spmm_precision precision, const void *value, int64_t from, void *to, int64_t at);

#endif
