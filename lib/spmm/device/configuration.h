/* SPDX-License-Identifier: BSD-3-Clause */
/* What the shapes of all families are chosen by: how many columns, rows and entries a block takes, so that
 * the device has work for all its multiprocessors. */
#ifndef SPMM_DEVICE_CONFIGURATION_H
#define SPMM_DEVICE_CONFIGURATION_H

#include "spmm/problem/spmm.h"

/* Bytes of a number of A and B. */
static inline int64_t spmm_device_number_bytes(const spmm_problem *problem) {
    return spmm_format_bytes(spmm_format_of(problem->precision));
}

static inline bool spmm_device_is_short(const spmm_problem *problem) {
    return spmm_device_number_bytes(problem) == 2;
}

/* x, or what is nearest to it between `least` and `most`. */
static inline int64_t spmm_device_clamp(int64_t x, int64_t least, int64_t most) {
    return x < least ? least : x > most ? most : x;
}

/* The power of two at or above x. */
int64_t spmm_device_round_up(int64_t x);

/* Of 16 bytes in a row of B. */
int64_t spmm_device_vectors(const spmm_problem *problem);

/* Threads side by side for the columns of a tile, 16 bytes each: from 4 to `most`. */
int spmm_device_lanes(const spmm_problem *problem, int64_t most);

/* So many, or a half or a quarter of them, 8 at least, where tiles are as narrow as that compute a tenth
 * fewer columns beyond the last: 96 columns of fp32 are three tiles of 8 threads, not two of 16. */
int spmm_device_fit_lanes(const spmm_problem *problem, int lanes);

/* Entries of a row that has any, on average. */
double spmm_device_row_length(const spmm_problem *problem);

/* Whether no row is much longer than that. */
bool spmm_device_is_even(const spmm_problem *problem);

/* Whether there is device code for compute capability 9.0a and this device runs it. */
bool spmm_device_has_90a(const base_device_properties *device);

/* What kernels call the numbers of a precision: those without tensor cores, and those with them. */
const char *spmm_device_plain_type(spmm_precision precision);
const char *spmm_device_matrix_type(spmm_precision precision);

#endif
