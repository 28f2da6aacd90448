/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rowstaged_… for SpMM: rowstaged_double_16_4 has 16 lanes and 4 groups (body.h).
#include "shim.h"

#include "spmm/common/row.h"
#include "spmm/rowstaged/contract.h"

#define SPMM_EACH "spmm/rowstaged/body.h"
#include "spmm/rowstaged/variants.h"
