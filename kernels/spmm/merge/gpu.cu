/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels merge_… for SpMM: merge_half_4_8 has 4 lanes and 8 loads under way (body.h).
#include "shim.h"

#include "spmm/common/row.h"
#include "spmm/merge/contract.h"
#include "spmm/reduction/reduction.h"

#define SPMM_EACH "spmm/merge/body.h"
#include "spmm/merge/variants.h"
