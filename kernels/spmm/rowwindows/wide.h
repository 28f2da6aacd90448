/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for float and double.
#define ROWWINDOWS_TALL 1
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 20
#include "spmm/rowwindows/variant.h"
#define ROWWINDOWS_TALL 1
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_GROUPS 2
#define ROWWINDOWS_RESIDENT 12
#include "spmm/rowwindows/variant.h"
#define ROWWINDOWS_TALL 2
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 12
#include "spmm/rowwindows/variant.h"

#include "spmm/rowwindows/end.h"
