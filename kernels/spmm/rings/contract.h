/* The contract between lib/spmm/families and the device kernels rings_… (see common/gpu.h). */
#ifndef SPMM_RINGS_CONTRACT_H
#define SPMM_RINGS_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rowwindows/contract.h"

/* kernels rings_… take rowwindows_… too, with partial: [part][tile][accumulators]; so many chunks are in
 * shared memory, with so many bytes for their barriers. */
enum { SPMM_GPU_RING_STAGES = 6, SPMM_GPU_RING_BYTES = 32 };

#endif
