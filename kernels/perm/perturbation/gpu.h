/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/device.c and the device code for the bounds of certify.h, which runs in
 * the kernels of perm/dense/gpu.cu. A matrix has a table behind its columns.
 *
 * Real: the sum over the subsets of |P(d)| weight(d), P(d) = prod_i x_i(d), beside the sum itself. Rows go in
 * groups of four, of which the first are a pair or two of dense/gpu.h, so that fours are left. With q_g(d)
 * the product of group g and X_i at least the largest |x_i| of the 2^B subsets of a step,
 *
 *     sum over i in g of 1 / |x_i(d)| = |q_g(d)|^-1 sum over i in g of prod over k in g, k != i, of |x_k(d)|
 *                                    <= W_g / |q_g(d)|,    W_g = sum over i of prod over k != i of X_k,
 *
 *     R(d) = sum over the groups of an upper bound of W_g / |q_g(d)|,
 *
 * and weight = R, but where R is above `limit`: of these subsets the 1 / |x_i| are added up one by one, and
 * where that sum R' is above `limit`, too, weight = (1 + spread R')^64 / slope. The table has three doubles.
 * R is in numbers of 16 bits, the highest of a float, times 2^-BOUND_GPU_SCALE.
 *
 *   - For q = 2^e (1 + f), 0 <= f < 1, and t the highest 16 bits of the double q, C - 8 t modulo 2^16, C =
 *     (126 - BOUND_GPU_SCALE) 2^7, are the bits of 2^(-e-1-BOUND_GPU_SCALE) (2 - f'), f' <= f being what t
 * has of f: the chord of 2^-BOUND_GPU_SCALE / |q| over this power of two, or more. -216 <= e <= 0, as |x_i|
 * is 2^-54 to 1, and so the exponent stays in its 8 bits. The sign falls out. For q = 0 it is 2^-91.
 *   - Two of them in a word, t and t': of C + 6 - 8 t' come off the highest 3 bits of t, which are at most 5,
 *     and a borrow.
 *   - X_i: |x + shift| + half in single precision, shift = sum a and half = sum |a| of the inner columns, and
 *     BOUND_GPU_SLACK, which is more than the roundings here and in W_g. X_i is at least BOUND_GPU_SLACK, and
 * no product underflows. What overflows is beyond `limit`.
 *   - W_g is rounded up. At most 17 multiplications and additions take (1 - 2^-9)^17 of R, which is more than
 *     1 / (1 + 2^-4).
 *
 * Complex: the sum of roots of kernel.h, with five inner columns, 0 to 4, and 16 pairs p_k = a_4 ± a_3 ± a_2
 * ± a_1 ± a_0. x is that of dense/gpu.h, which has the signs -1 there, with their sum added, in single
 * precision, and times `scale`. Products are over half of the pairs of rows, at most n / 2 + 1 rows. */
#ifndef PERM_PERTURBATION_GPU_H
#define PERM_PERTURBATION_GPU_H

/* Doubles of a real matrix. */
enum { BOUND_GPU_SPREAD, BOUND_GPU_INVERSE_SLOPE, BOUND_GPU_LIMIT, BOUND_GPU_REALS };

enum { BOUND_GPU_SCALE = 90 };
#define BOUND_GPU_SLACK 0x1p-10f

/* Of a row, behind the pairs in shared memory, where a pair takes BOUND_GPU_SPAN_DOUBLES. */
typedef struct bound_gpu_span {
    float shift, half;
} bound_gpu_span;

enum { BOUND_GPU_SPAN_DOUBLES = 2 };

enum { BOUND_GPU_PAIRS = 16, BOUND_GPU_PARTS = 2 };

/* A row of a complex matrix. A matrix of odd order has one more before its first, which is not read. */
typedef struct bound_gpu_row {
    double center[BOUND_GPU_PARTS];                           /* sum of the inner columns */
    float scale[4];                                           /* [0]: a power of two */
    float pairs[BOUND_GPU_PAIRS / 4][1 + BOUND_GPU_PARTS][4]; /* c_k, 2 Re p_k, 2 Im p_k, scaled */
} bound_gpu_row;

enum { BOUND_GPU_ROW_DOUBLES = 28 };

#endif
