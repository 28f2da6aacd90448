/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels reduction_… for SpMM: the sums of parts of rows (body.h).
#include "shim.h"

#include "spmm/common/row.h"
#include "spmm/reduction/contract.h"
#include "spmm/reduction/reduction.h"

#define REDUCTION_TYPE half
#define REDUCTION_SUM float
#define REDUCTION_COUNT 8
#include "spmm/reduction/body.h"

#define REDUCTION_TYPE bfloat
#define REDUCTION_SUM float
#define REDUCTION_COUNT 8
#include "spmm/reduction/body.h"

#define REDUCTION_TYPE float
#define REDUCTION_SUM float
#define REDUCTION_COUNT 4
#include "spmm/reduction/body.h"

#define REDUCTION_TYPE double
#define REDUCTION_SUM double
#define REDUCTION_COUNT 2
#include "spmm/reduction/body.h"
