/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type and shape: windows with zeros stored (dense), and compressed ones of 16
// rows; taller compressed ones were the fastest for none of 1913 products of 202 real matrices on an H200.
#if ROWWINDOWS_TALL == 1
#define ROWWINDOWS_DENSE 0
#include SPMM_EACH
#endif
#define ROWWINDOWS_DENSE 1
#include SPMM_EACH
#undef ROWWINDOWS_WIDTH
#undef ROWWINDOWS_TALL
#undef ROWWINDOWS_GROUPS
#undef ROWWINDOWS_RESIDENT
