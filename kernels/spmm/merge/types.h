/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type: tiles of 64, 128, 256 and 512 bytes.
#define MERGE_LANES 4
#define MERGE_DEPTH 4
#include SPMM_EACH
#define MERGE_DEPTH 8
#include SPMM_EACH
#undef MERGE_LANES
#define MERGE_LANES 8
#define MERGE_DEPTH 4
#include SPMM_EACH
#define MERGE_DEPTH 8
#include SPMM_EACH
#undef MERGE_LANES
#define MERGE_LANES 16
#define MERGE_DEPTH 4
#include SPMM_EACH
#define MERGE_DEPTH 8
#include SPMM_EACH
#undef MERGE_LANES
#define MERGE_LANES 32
#define MERGE_DEPTH 4
#include SPMM_EACH
#define MERGE_DEPTH 8
#include SPMM_EACH
#undef MERGE_LANES
#undef MERGE_TYPE
#undef MERGE_VALUE
#undef MERGE_SUM
#undef MERGE_COUNT
