/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type: tiles of 64, 128, 256 and 512 bytes, each with one subwarp of threads
// for a segment, and with as many as a warp has; of 64 bytes also with two and four, of 128 with two. For
// numbers of 16 bits there are tiles of 32 bytes, too, with one, four and sixteen.
#if ROWS_COUNT == 8
#define ROWS_LANES 2
#define ROWS_SUBWARPS 1
#include "spmm/rows/depths.h"
#define ROWS_LANES 2
#define ROWS_SUBWARPS 4
#include "spmm/rows/depths.h"
#define ROWS_LANES 2
#define ROWS_SUBWARPS 16
#include "spmm/rows/depths.h"
#endif
#define ROWS_LANES 4
#define ROWS_SUBWARPS 1
#include "spmm/rows/depths.h"
#define ROWS_LANES 4
#define ROWS_SUBWARPS 8
#include "spmm/rows/depths.h"
#define ROWS_LANES 4
#define ROWS_SUBWARPS 2
#include "spmm/rows/depths.h"
#define ROWS_LANES 4
#define ROWS_SUBWARPS 4
#include "spmm/rows/depths.h"
#define ROWS_LANES 8
#define ROWS_SUBWARPS 1
#include "spmm/rows/depths.h"
#define ROWS_LANES 8
#define ROWS_SUBWARPS 2
#include "spmm/rows/depths.h"
#define ROWS_LANES 8
#define ROWS_SUBWARPS 4
#include "spmm/rows/depths.h"
#define ROWS_LANES 16
#define ROWS_SUBWARPS 1
#include "spmm/rows/depths.h"
#define ROWS_LANES 16
#define ROWS_SUBWARPS 2
#include "spmm/rows/depths.h"
#define ROWS_LANES 32
#define ROWS_SUBWARPS 1
#include "spmm/rows/depths.h"
#undef ROWS_TYPE
#undef ROWS_VALUE
#undef ROWS_SUM
#undef ROWS_COUNT
