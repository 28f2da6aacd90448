/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels bstreamed_… for SpMM: bstreamed_float_16_2 has 16 lanes, which have two rows (body.h).
#include "shim.h"

#include "spmm/bstreamed/contract.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"

#define SPMM_EACH "spmm/bstreamed/body.h"
#include "spmm/bstreamed/variants.h"
