/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels bstationary_… for SpMM: bstationary_float_1_2_4 has one thread with twice 16 bytes, and
// four subwarps (body.h).
#include "shim.h"

#include "spmm/bstationary/contract.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"

#define SPMM_EACH "spmm/bstationary/body.h"
#include "spmm/bstationary/variants.h"
