/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels rowwindows_tf32_…, rowwindows_float_… and rowwindows_double_… for SpMM (short_gpu.cu).
#include "shim.h"

#include "spmm/common/matrix.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"
#include "spmm/rowwindows/contract.h"

#define SPMM_EACH "spmm/rowwindows/body.h"
#include "spmm/rowwindows/wide_variants.h"
