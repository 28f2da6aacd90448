/* SPDX-License-Identifier: BSD-3-Clause */
/* The 22 matrices on which SpMM is measured: power-law graphs (R-MAT with the parameters of Graph500),
 * uniform graphs, communities, bands, stencils, blocks, and matrices as pruning leaves them in deep learning.
 * The same on every machine. */
#ifndef BENCH_SPMM_MATRICES_H
#define BENCH_SPMM_MATRICES_H

#include "spmm/common/kernel.h"

enum { BENCH_SPMM_MATRICES = 22, BENCH_SPMM_SMALL = 13 };
extern const char *const bench_spmm_names[BENCH_SPMM_MATRICES + BENCH_SPMM_SMALL];

/* The names that follow the 22, most of them with an s behind it, are those of smaller matrices, on which
 * nothing was measured but what fits prices. */

/* Values are floats. Ends the program when there is no memory. */
void bench_spmm_matrix(int number, spmm_csr *a);
void bench_spmm_matrix_free(spmm_csr *a);

#endif
