/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels pack_… for SpMM: A into the formats of the others (pack.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/row.h"

#include "spmm/common/matrix.h"
#include "spmm/pack/pack.h"
#include "spmm/pack/place.h"
#include "spmm/tca/tca.h"

#include "spmm/pack/common.h"
#include "spmm/pack/marks.h"
#include "spmm/pack/rowpairs.h"
#include "spmm/pack/rows.h"
#include "spmm/pack/rowwindows.h"
#include "spmm/pack/tca.h"
#include "spmm/pack/tiles.h"
