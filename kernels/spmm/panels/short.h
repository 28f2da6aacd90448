/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for half and bfloat: tiles of 32, 64, 128 columns.
#define PANELS_DEPTH 64
#define PANELS_WIDTH 2
#define PANELS_GROUPS 1
#define PANELS_SIDE 1
#include SPMM_EACH
#define PANELS_DEPTH 64
#define PANELS_WIDTH 4
#define PANELS_GROUPS 1
#define PANELS_SIDE 1
#include SPMM_EACH
#define PANELS_DEPTH 64
#define PANELS_WIDTH 4
#define PANELS_GROUPS 2
#define PANELS_SIDE 2
#include SPMM_EACH
#define PANELS_DEPTH 32
#define PANELS_WIDTH 4
#define PANELS_GROUPS 2
#define PANELS_SIDE 2
#include SPMM_EACH
#include "spmm/panels/end.h"
