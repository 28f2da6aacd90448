/* The contract between lib/spmm/families and the device kernels blocks_… (see common/gpu.h). */
#ifndef SPMM_BLOCKS_CONTRACT_H
#define SPMM_BLOCKS_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rowwindows/contract.h"

/* kernels blocks_… take dense rowwindows_… too; so many chunks are in shared memory. */
enum { SPMM_GPU_BLOCK_STAGES = 4 };

#endif
