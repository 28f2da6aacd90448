/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/device.c and the device code for the bounds of certify.h, which runs in
 * the kernels of perm/dense/gpu.cu. A matrix has a table behind its columns.
 *
 * Real: the sum over the subsets of |P(d)| weight(d), P(d) = prod_i x_i(d), beside the sum itself. Rows go in
 * the pairs of dense/gpu.h, the first of which has a second row only where n is odd. In single precision
 *
 *     R(d) = sum over the pairs {i, i'} of an upper bound of 1 / min(|x_i(d)|, |x_i'(d)|),
 *
 * and weight = R, but where R is above `limit`: R + (1 + spread R)^64 / slope. The table has three doubles.
 *
 *   - The high word of a double orders as its size does, and so does the same word taken for a float.
 *   - For m = 2^e (1 + f), 0 <= f < 1, e <= -1, the float whose bits are 0x3f000000 - 8 h, modulo 2^32, h
 *     being the high word of m, is 2^(-e-1) (2 - f): the chord of 1 / m over this power of two, at most 9/8
 * of it. What h leaves out of m makes it larger. For m = 0 it is 1/2.
 *   - At most 32 additions take (1 - 2^-24)^31 of R; the conversion to double rounds up.
 *
 * Complex: the sum of roots of kernel.h, with five inner columns, 0 to 4, and 16 pairs p_k = a_4 ± a_3 ± a_2
 * ± a_1 ± a_0. The other columns are gone through as in dense/gpu.h. The table is one of floats: its split,
 * then start, up and pairs of kernel.h, start being without column 4, too, and pairs as [row][k / 4][1 +
 * part][k % 4]; there is no down. */
#ifndef PERM_PERTURBATION_GPU_H
#define PERM_PERTURBATION_GPU_H

/* Doubles of a real matrix. */
enum { BOUND_GPU_SPREAD, BOUND_GPU_INVERSE_SLOPE, BOUND_GPU_LIMIT, BOUND_GPU_REALS };

enum { BOUND_GPU_INNER = 5, BOUND_GPU_PAIRS = 16, BOUND_GPU_PARTS = 2 };

/* Where they begin in the table of a complex matrix of order n, and how many floats there are. */
#define BOUND_GPU_START 1
#define BOUND_GPU_UP(n) (BOUND_GPU_START + BOUND_GPU_PARTS * (n))
#define BOUND_GPU_TABLE_PAIRS(n) (BOUND_GPU_UP(n) + (n)*BOUND_GPU_PARTS * (n))
#define BOUND_GPU_FLOATS(n) (BOUND_GPU_TABLE_PAIRS(n) + (n) * (1 + BOUND_GPU_PARTS) * BOUND_GPU_PAIRS)

#endif
