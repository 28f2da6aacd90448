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
 * too. If the sums of |a - a'| in the rows are at most g, and a = g / sqrt(s'), then |x|^2 + s' (1 - a^2) <=
 * (1 + a) (|x'|^2 + s'), and s' is what is left of the kernel's s after the roundings that kernel.h counts.
 * Each product and each sum has a factor of at least 1 - u, u = 2^-24, which all of them together cost
 * (1 - u)^-(2n + 8) (Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1). Nothing over-
 * or underflows: rows are scaled by powers of two, and s is chosen among those for which no product can.
 *
 * s is the power of two that makes the bound least over some random subsets. It is then 2 to 3 times the sum
 * with one factor left out in turn, where the terms are like random ones. Any s is correct.
 *
 * Cost on processors: 0.7 to 0.8 of the sum, complex 0.3. On devices (perm/perturbation/gpu.h) the
 * instructions of single precision run beside the others. */
#ifndef PERM_DENSE_CERTIFY_H
#define PERM_DENSE_CERTIFY_H

#include "perm/dense/dense.h"

/* Has the chunks of `dense`, which perm_dense_init has made, find such a bound, and adds their time, where
 * the matrix has negative or imaginary entries and that promises to be better than the bound of step 2. */
base_status perm_dense_certify(base_context *context, perm_dense *dense);

#endif
