/* SPDX-License-Identifier: BSD-3-Clause */
/* A proved bound, along the sum, of what rounding the entries does to it: instead of step 2 of dense.h, whose
 * permanent of absolute values says nothing where terms cancel.
 *
 * A row sum that is x_i(d) with the rounded entries is x_i(d) + e_i(d) with the true ones, and |e_i(d)| <=
 * h_i, the sum of the changes in row i. Over the places S where a factor e stands instead of x,
 *
 *     |prod (x_i + e_i) - prod x_i| <= sum over k >= 1, |S| = k, of prod_S h_i prod_(not S) |x_i|.
 *
 * k = 1 is the sum with one factor left out in turn. By Cauchy and Schwarz the sum for k is at most
 * sqrt(E_k(h^2)) sqrt(sum of prod_(not S) x_i^2), with the elementary symmetric function E_k(h^2) <= H^(2k),
 * H^2 = sum h_i^2; and for any s > 0 the second factor is at most s^(-k/2) sqrt(F(d)), as the sum times s^k
 * is a part of the expansion of
 *
 *     F(d) = prod_i (|x_i(d)|^2 + s).
 *
 * With r = H / sqrt(s) < 1 the change of the whole sum is therefore at most
 *
 *     r / (1 - r) sum over d of sqrt(F(d)).
 *
 * The kernels of perm/perturbation/kernel.h add up sqrt(F(d)) from above in single precision, for x'_i of
 * entries a' that are rounded once more, to multiples of 2^-23, so that all their row sums are exact there,
 * too; devices take x'_i without the inner columns from the sums in double precision, rounded. If x - x' is
 * at most g, and a = g / sqrt(s'), then |x|^2 + s' (1 - a^2) <= (1 + a) (|x'|^2 + s'), and s' is what is left
 * of the kernel's s after the roundings that kernel.h counts. g is the largest sum of |a - a'| in a row, and
 * u Z beside it. Each product and each sum has a factor of at least 1 - u, u = 2^-24. All of them together
 * cost (1 - u)^-(2n + 8) (Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1). Nothing
 * over- or underflows: rows are scaled by powers of two, and s is chosen among those for which no product
 * can.
 *
 * s is the power of two that makes the bound least over some random subsets. It is then 2 to 3 times the sum
 * with one factor left out in turn, where the terms are like random ones. Any s is correct.
 *
 * Devices bound sums of real matrices by the products that they have. With the largest h of all h_i,
 *
 *     |prod (x_i + e_i) - prod x_i| <= |prod x_i| (prod (1 + h_i / |x_i|) - 1),
 *
 * and sum h_i / |x_i| <= S, S = h R, for R of perm/perturbation/gpu.h, which has all 1 / |x_i| four rows at a
 * time. As n <= 64, the mean of the factors gives prod (1 + h_i / |x_i|) <= (1 + S / 64)^64, and
 * up to S = 2^-5, beyond which a step is added up at length and takes 40 times as long, that is at most
 * 1 + S (1 + S). No x_i is 0 here where h_i is not:
 * all x_i of a row are congruent modulo two units of the grid, 2^-54, and where they are even one entry of
 * the row is changed by a unit more, by which h_i grows. This is done for processors, too, so that their
 * chunks and those of devices belong to one sum. Where h_i = 0 = x_i, the product is 0 with and without the
 * changes. A product that underflows is less than 2^-1021, and as h_i / |x_i| <= 2^54 h <= 2^9, moves by less
 * than 2^-PERM_DENSE_UNDERFLOW. The bound is 5 to 25 times the sum with one factor left out in turn, as W_g
 * of perm/perturbation/gpu.h is of the largest row sums of 64 subsets.
 *
 * Cost on processors: 0.7 to 0.8 of the sum, complex 0.3. On devices see
 * perm/perturbation/real_gpu.h and complex_gpu.h. */
#ifndef PERM_DENSE_CERTIFY_H
#define PERM_DENSE_CERTIFY_H

#include "perm/dense/dense.h"

/* Has the chunks of `dense`, which perm_dense_init has made, find such a bound, and adds their time, where
 * the matrix has negative or imaginary entries and that promises to be better than the bound of step 2. */
base_status perm_dense_certify(base_context *context, perm_dense *dense);

#endif
