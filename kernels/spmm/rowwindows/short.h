/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for half and bfloat.
#define ROWWINDOWS_DENSE 0
#define ROWWINDOWS_TALL 0
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 24
#include SPMM_EACH
#undef ROWWINDOWS_GROUPS
#undef ROWWINDOWS_RESIDENT
#define ROWWINDOWS_DENSE 0
#define ROWWINDOWS_GROUPS 2
#define ROWWINDOWS_RESIDENT 16
#include SPMM_EACH
#undef ROWWINDOWS_WIDTH
#undef ROWWINDOWS_TALL
#undef ROWWINDOWS_GROUPS
#undef ROWWINDOWS_RESIDENT
#define ROWWINDOWS_TALL 1
#define ROWWINDOWS_WIDTH 2
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 24
#include "spmm/rowwindows/variant.h"
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
#define ROWWINDOWS_WIDTH 2
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 20
#include "spmm/rowwindows/variant.h"
#define ROWWINDOWS_TALL 2
#define ROWWINDOWS_WIDTH 4
#define ROWWINDOWS_GROUPS 1
#define ROWWINDOWS_RESIDENT 16
#include "spmm/rowwindows/variant.h"

#include "spmm/rowwindows/end.h"
