/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/merge.c and the device kernels reduction_…, which add the parts of
 * rows that merge_… has cut; and in reduction.h what the other families do with theirs.
 *
 * The other families need no second kernel: the worker that arrives last adds the parts. Both add them in
 * an order that depends on the number of parts alone, so that the same input gives the same bits.
 * common/gpu.h has what all families share. */
#ifndef SPMM_REDUCTION_CONTRACT_H
#define SPMM_REDUCTION_CONTRACT_H

#include "spmm/common/gpu.h"

/* kernels reduction_…: after merge_…, a warp for `each` parts. */
typedef struct spmm_gpu_reduction {
    const spmm_gpu_part *parts;
    long long part_count;
    int each, unused;
    spmm_gpu_operands operands; /* partial as of rows_… */
} spmm_gpu_reduction;

#endif
