/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/rings.c and the device kernels rings_…: row windows
 * (rowwindows/contract.h) by blocks whose warps have different tasks, for compute capability 9.0.
 *
 * One warp copies rows of B and entries of A to a ring in shared memory (common/ring.h), the others
 * multiply. body.h has the kernel, short.h its variants for half and bfloat and variants.h all of them.
 * lib/spmm/families/blocks.c chooses them. common/gpu.h has what all families share. */
#ifndef SPMM_RINGS_CONTRACT_H
#define SPMM_RINGS_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rowwindows/contract.h"

/* kernels rings_… take rowwindows_… too, with partial: [part][tile][accumulators]; so many chunks are in
 * shared memory, with so many bytes for their barriers. */
enum { SPMM_GPU_RING_STAGES = 6, SPMM_GPU_RING_BYTES = 24 };

#endif
