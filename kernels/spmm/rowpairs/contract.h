/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/rowpairs.c and the device kernels rowpairs_…: plain arithmetic for
 * two rows at a time, for which a row of B that both need is read once. It serves stencils and communities,
 * whose neighbouring rows have columns in common.
 *
 * body.h has the kernel, types.h its variants for a type and variants.h all of them; pack/rowpairs.h brings
 * A into the format. common/gpu.h has what all families share. */
#ifndef SPMM_ROWPAIRS_CONTRACT_H
#define SPMM_ROWPAIRS_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels rowpairs_…: two rows together, each column that one of them has once, four columns a step. A step
 * is the four columns and then the numbers of the rows in the first column, in the second, …, zeros among
 * them, in the format of B. The last step of a row pair repeats a column. */
typedef struct spmm_gpu_rowpairs {
    const int *start; /* [row pair], and the end: steps */
    const int *row;   /* [row pair]: the first */
    const void *step;
    long long rowpair_count;
    int nrow, unused;           /* of A */
    spmm_gpu_operands operands; /* without partial and arrived */
} spmm_gpu_rowpairs;

enum { SPMM_GPU_ROWPAIR_ROWS = 2 };

#endif
