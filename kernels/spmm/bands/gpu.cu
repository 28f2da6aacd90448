/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels bands_half_…, bands_bfloat_…, bands_tf32_… and bands_float_… for SpMM: bands_half_128
// has 128 columns of C in a tile (body.h). For compute capability 9.0a alone.
#include "shim.h"

#include "spmm/bands/contract.h"
#include "spmm/common/group.h"
#include "spmm/common/matrix.h"
#include "spmm/common/row.h"
#include "spmm/reduction/reduction.h"

#define SPMM_EACH "spmm/bands/body.h"
#define SPMM_EACH_SHORT "spmm/bands/short_body.h"
#include "spmm/bands/variants.h"
