/* The contract between lib/spmm/families and the device kernels reduction_… (see common/gpu.h). */
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
