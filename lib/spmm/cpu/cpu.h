/* The table's entries for processors; see kernels/spmm. */
#ifndef SPMM_CPU_CPU_H
#define SPMM_CPU_CPU_H

#include "spmm/problem/spmm.h"

extern const spmm_kernel spmm_cpu_ref, spmm_cpu_portable;
#if defined(__x86_64__)
extern const spmm_kernel spmm_cpu_avx2, spmm_cpu_avx512;
#endif

#endif
