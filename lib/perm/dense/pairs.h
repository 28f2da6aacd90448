/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense real permanents on NVIDIA GPUs by quadratic forms of two rows (perm/dense/pairs_gpu.h): the chunks of
 * dense.h, with a bound of its own.
 *
 * The coefficients c_jk of a pair of rows are rounded once, by at most e; what follows is exact but for the
 * products, half as many as there are rows. With the bound of step 2 of dense.h, whose factor for row i is
 * r_i, and g(n) = (n!)^(1/n), the permanent moves by at most
 *
 *     prod over pairs of (r_i r_i' + e g(n)^2 / 2) - prod over pairs of r_i r_i',
 *
 * since e <= c_jk of two rows that are sqrt(e/2) everywhere.
 *
 * The product of a subset has a factor for each pair, and so pairs - 1 roundings; the sum over 64 subsets
 * adds 6 as in step 3 of dense.h, and the rest is compensated: pairs + 8 covers them, what is of second order
 * included. A multiplication that underflows loses at most 2^-1075: 2 pairs of them in each of 2^(n-1)
 * subsets are counted four times.
 *
 * Pair number p has the c with which q = x x' - (z/n)^2 R R', R and R' being the sums of the rows, and z = 2
 * p, for odd n 2 p + 1; the last row of an odd n, which has none beside it, x alone. Where the entries of
 * each row are equal, x = R sigma / n with the same sigma = -n, -n + 2, ..., n for all rows, and the product
 * is 0 but for sigma = n and -n: nothing cancels. Of other positive matrices little does: at n = 20 the sum
 * of |product| is 1.8 times the sum for uniform entries and 16 times where three of five are 0, where
 * products of rows have 480 and 170 times. */
#ifndef PERM_DENSE_PAIRS_H
#define PERM_DENSE_PAIRS_H

#include "perm/dense/dense.h"
#include "perm/subsets/device_sum.h"

enum { PERM_PAIRS_DEVICE_LEAST = 16, /* n */ PERM_PAIRS_DEVICE_LOG2_LAUNCH = 13 };

/* Why it is not for a problem on devices with so much shared memory a block; NULL: it is. */
const char *perm_pairs_device_reason(const perm_dense *dense, int64_t shared_bytes);

/* Makes a problem for which there is no such reason a sum whose partials are perm_dense_partial. A chunk's
 * value is not that of dense.h; all of them have the same sum, but for the bounds. */
base_status perm_pairs_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum);

/* As perm_dense_error, for the magnitudes of these partials. */
void perm_pairs_device_error(const perm_dense *dense, double *relative_error, double *absolute_error);

/* The relative error alone, which bounds how far partials of the same chunk are apart. */
double perm_pairs_device_relative_error(const perm_dense *dense);

/* Expected seconds, but for the start of the device, where the FP64 units do `rate` instructions a second. */
double perm_pairs_device_seconds(const perm_dense_problem *problem, double rate);

#endif
