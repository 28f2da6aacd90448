/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels blocks_… for SpMM: blocks_double_2_4_2 has windows of 2 x 16 rows, four warps side by
// side with two groups of columns each (body.h).
#include "shim.h"

#include "spmm/blocks/contract.h"
#include "spmm/common/group.h"
#include "spmm/common/matrix.h"
#include "spmm/common/ring.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"
#include "spmm/rowwindows/walk.h"

#define BLOCKS_STAGES SPMM_GPU_BLOCK_STAGES
#define SPMM_EACH "spmm/blocks/body.h"
#include "spmm/blocks/variants.h"
