/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/tensor.c and the device kernel for dense real permanents on FP64
 * tensor cores: the sum of common/problem.h with its rows in pairs. Of two rows, x = h + l and x' = h' + l'
 * with h from the high columns of a set and l from the low ones, and
 *
 *     x x' = (h, h', h h', 1) · (l', l, 1, l l'),
 *
 * a product of a 16 x 4 matrix of high sets and a 4 x 8 one of low sets for every 128 subsets. An odd row has
 * a partner of ones.
 *
 * The order. Columns 0 to 6 are low: three inside a fragment, one between a warp's, three between warps; the
 * next 6 + log2(D) are high: four inside a fragment, two between a warp's, the rest between warps, 8 D of
 * which a block has; the next S make the steps of a block, and the columns from there to n-2 have the signs
 * of the Gray code of the block's number.
 *
 * Errors, u = 2^-53. No row exceeds 1, so a product of two is off by at most 6 u =: e: h h' and l l' round, u
 * together, and the four terms are added with four roundings more. Where the least |product| of two rows of a
 * subset is at least 2^-38, its whole product is off by (6.2 pairs + pairs - 1) u |product| / least; where it
 * is less, by at most the product over the pairs of |product| + 2 e. `magnitude` is the sum of |product| /
 * least, with 2^48 times the latter. */
#ifndef PERM_DENSE_TENSOR_GPU_H
#define PERM_DENSE_TENSOR_GPU_H

enum {
    TENSOR_GPU_TALL = 4,   /* fragments of 16 high sets … */
    TENSOR_GPU_WIDE = 2,   /* … and of 8 low ones that a warp multiplies */
    TENSOR_GPU_ACROSS = 8, /* warps with different low sets */
    TENSOR_GPU_DOWN = 2,   /* D, for more than TENSOR_GPU_MANY pairs 1, as they fill the shared memory */
    TENSOR_GPU_MANY = 28,
    TENSOR_GPU_INNER = 5, /* log2 of a thread's products */
    TENSOR_GPU_LOW = 7,
    TENSOR_GPU_HIGH = 6,
    TENSOR_GPU_LEAST_LOG2 = -37, /* a little more than the bound above */
    TENSOR_GPU_MOST_STEPS = 10
};

#endif
