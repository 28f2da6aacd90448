/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/superman.c and the device kernels of table 4 of Elbek, Tasyaran, Ucar
 * and Kaya, "SUperman: efficient permanent computation on GPUs": the sum of common/problem.h, real, one
 * subset at a time. They exist to repeat that table; perm/dense/gpu.h is faster.
 *
 * The row sums x are in shared memory or in registers, an array of SUPERMAN_GPU_ROWS that is unrolled (the
 * paper's n_max); the matrix is in shared or in global memory, by columns. code.h prints the kernel that is
 * compiled for one n, which the paper calls rebuilt.
 *
 * The order. A block has the 128 2^S subsets that begin with that of its number, in Gray code order, and each
 * of its threads a run of them. With CEG (the paper's section 3.1.1) runs are 2^S long, so that the threads
 * of a warp change the same column; without it they are one longer, so that threads change columns as they
 * come, and the last ones are shorter. A product is taken over the rows from 0 to n-1; the products of a
 * thread are added by TwoSum, and so are the threads of a block, in a tree. What a block gives depends on n,
 * the kernel and the number of the block only. */
#ifndef PERM_SUPERMAN_GPU_H
#define PERM_SUPERMAN_GPU_H

enum {
    SUPERMAN_GPU_THREADS = 128, /* of a block */
    SUPERMAN_GPU_ROWS = 63,
    SUPERMAN_GPU_MOST_STEPS = 24 /* S */
};

/* The kernels of gpu.cu, superman_gpu_NAME: name, whether x is in shared memory, whether the matrix is. Each
 * has a second form with CEG, superman_gpu_NAME_ceg. */
#define SUPERMAN_GPU_KERNELS(KERNEL)                                                                         \
    KERNEL(shared_shared, 1, 1)                                                                              \
    KERNEL(shared_global, 1, 0)                                                                              \
    KERNEL(registers_global, 0, 0)                                                                           \
    KERNEL(registers_shared, 0, 1)

#endif
