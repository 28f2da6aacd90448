/* The contract between lib/perm/dense/device.c and the device code for the bound of kernel.h, which runs in
 * the kernels of perm/dense/gpu.cu: the same sum of roots in single precision, with five inner columns, 0 to
 * 4, and 16 pairs p_k = a_4 ± a_3 ± a_2 ± a_1 ± a_0. The other columns are gone through as in dense/gpu.h.
 *
 * The matrix is a table of floats: its split, then start, up and pairs of kernel.h, start being without
 * column 4, too, and pairs as [row][k / 4][1 + part][k % 4]; there is no down. */
#ifndef PERM_PERTURBATION_GPU_H
#define PERM_PERTURBATION_GPU_H

enum { BOUND_GPU_INNER = 5, BOUND_GPU_PAIRS = 16 };

/* Where they begin in the table of a matrix of order n, and how many floats there are. */
#define BOUND_GPU_START 1
#define BOUND_GPU_UP(n, parts) (BOUND_GPU_START + (parts) * (n))
#define BOUND_GPU_TABLE_PAIRS(n, parts) (BOUND_GPU_UP(n, parts) + (n) * (parts) * (n))
#define BOUND_GPU_FLOATS(n, parts) (BOUND_GPU_TABLE_PAIRS(n, parts) + (n) * (1 + (parts)) * BOUND_GPU_PAIRS)

#endif
