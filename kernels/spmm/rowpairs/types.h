/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type: tiles of 128, 256 and 512 bytes, and of 1024 but for 16 bits.
#if ROWPAIRS_SIZE == 2
#define ROWPAIRS_LANES 8
#define ROWPAIRS_GROUPS 1
#define ROWPAIRS_RESIDENT 8
#include SPMM_EACH
#define ROWPAIRS_LANES 16
#define ROWPAIRS_GROUPS 1
#define ROWPAIRS_RESIDENT 8
#include SPMM_EACH
#define ROWPAIRS_LANES 32
#define ROWPAIRS_GROUPS 1
#define ROWPAIRS_RESIDENT 8
#include SPMM_EACH
#else
#if ROWPAIRS_SIZE == 4
#define ROWPAIRS_LANES 8
#define ROWPAIRS_GROUPS 1
#define ROWPAIRS_RESIDENT 12
#include SPMM_EACH
#endif
#define ROWPAIRS_LANES 8
#define ROWPAIRS_GROUPS 2
#define ROWPAIRS_RESIDENT 8
#include SPMM_EACH
#define ROWPAIRS_LANES 8
#define ROWPAIRS_GROUPS 4
#define ROWPAIRS_RESIDENT 4
#include SPMM_EACH
#define ROWPAIRS_LANES 16
#define ROWPAIRS_GROUPS 4
#define ROWPAIRS_RESIDENT 4
#include SPMM_EACH
#endif
#undef ROWPAIRS_TYPE
#undef ROWPAIRS_SIZE
#undef ROWPAIRS_SUM
#undef ROWPAIRS_COUNT
