/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/device.c and the device kernels for dense permanents: the sum of
 * common/problem.h, whose chunks they add up in an order of their own.
 *
 * The order. Columns 0 to B-1 are the inner ones, a thread's products in registers, B to B+S-1 make the steps
 * of a thread, and the columns from there to n-2 have the signs of the Gray code of the thread's number
 * (bit k set: d[B+S+k] = 1). A product is taken over the rows from 0 to n-1; the 2^B of a step are added
 * pairwise with their signs, the steps by TwoSum, the threads of a block in a tree, without an error but
 * that of the low parts. What a block gives depends on n, the kernel and the number of the block only. */
#ifndef PERM_DENSE_GPU_H
#define PERM_DENSE_GPU_H

#include "perm/common/sums.h"

enum {
    DENSE_GPU_INNER_REAL = 6, /* B */
    DENSE_GPU_INNER_COMPLEX = 5,
    DENSE_GPU_MOST_STEPS = 10 /* S */
};

/* Rows stand in pairs, one after the other; where n is odd, the first pair has a second row only. In shared
 * memory a pair has, for each part, 2 a of the inner columns of its rows and, behind them, what the x of both
 * gain in a step. */
enum { DENSE_GPU_SECOND = 6, DENSE_GPU_GAIN = 12, DENSE_GPU_COLUMNS = 14 };

#endif
