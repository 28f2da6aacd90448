/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rings_half_… and rings_bfloat_… for SpMM: rings_half_2_4_0 has windows of 32 rows, 256
// columns of C in a tile and compressed windows (body.h). For compute capability 9.0a alone.
#include "shim.h"

#include "spmm/common/group.h"
#include "spmm/common/matrix.h"
#include "spmm/common/ring.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"
#include "spmm/rings/contract.h"
#include "spmm/rowwindows/walk.h"

#define SPMM_EACH "spmm/rings/body.h"
#include "spmm/rings/variants.h"
