/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rowwindows_half_… and rowwindows_bfloat_… for SpMM: rowwindows_half_2_4_1_0 has windows
// of 2 x 16 rows, 4 words of B in a read, 1 group, and takes compressed windows (body.h).
#include "shim.h"

#include "spmm/common/matrix.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"
#include "spmm/rowwindows/contract.h"

#define SPMM_EACH "spmm/rowwindows/body.h"
#include "spmm/rowwindows/short_variants.h"
