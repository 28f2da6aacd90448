/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rows_… for SpMM: rows_half_4_8_4 has 4 lanes, 8 subwarps and 4 loads under way
// (body.h).
#include "shim.h"

#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"
#include "spmm/rows/contract.h"

#define SPMM_EACH "spmm/rows/body.h"
#include "spmm/rows/variants.h"
