/* The contract between lib/spmm/families and the device kernels rowstaged_… (see common/gpu.h). */
#ifndef SPMM_ROWSTAGED_CONTRACT_H
#define SPMM_ROWSTAGED_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rows/contract.h"

/* kernels rowstaged_… take spmm_gpu_rows too, without long segments; threads of a block by those side by
 * side, and entries for which a thread has B under way. */
#define SPMM_GPU_ROWSTAGED_THREADS(lanes) ((lanes) == 32 ? 512 : 128)
enum { SPMM_GPU_ROWSTAGED_DEPTH = 2 };

#endif
