/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type.
#define BSTREAMED_LANES 8
#define BSTREAMED_ROWS 2
#include SPMM_EACH
#define BSTREAMED_LANES 16
#define BSTREAMED_ROWS 2
#include SPMM_EACH
#undef BSTREAMED_TYPE
#undef BSTREAMED_VALUE
#undef BSTREAMED_SUM
#undef BSTREAMED_COUNT
