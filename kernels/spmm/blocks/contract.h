/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/blocks.c and the device kernels blocks_…: dense row windows
 * (rowwindows/contract.h) by several warps side by side, for matrices made of dense blocks.
 *
 * A block of threads reads A once for all columns that its warps have, and copies A and B to a ring in
 * shared memory (common/ring.h) while it multiplies. body.h has the kernel, variants.h lists all of them.
 * common/gpu.h has what all families share. */
#ifndef SPMM_BLOCKS_CONTRACT_H
#define SPMM_BLOCKS_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rowwindows/contract.h"

/* kernels blocks_… take dense rowwindows_… too; so many chunks are in shared memory. */
enum { SPMM_GPU_BLOCK_STAGES = 4 };

#endif
