/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels panels_… for SpMM: panels_half_64_4_2 takes 64 columns of A at a time, 4 words of B in a
// read, 2 groups of columns (body.h).
#include "shim.h"

#include "spmm/common/matrix.h"
#include "spmm/common/row.h"
#include "spmm/panels/contract.h"
#include "spmm/reduction/reduction.h"

#define SPMM_EACH "spmm/panels/body.h"
#include "spmm/panels/variants.h"
