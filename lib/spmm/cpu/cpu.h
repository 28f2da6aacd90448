/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's entries for processors: one for each instruction set of kernels/spmm/cpu, and `ref`, which is
 * slow and keeps sums in double precision.
 *
 * A product goes one of three ways, by its shape alone: rows of A in pieces of about equal work, which
 * threads take in turn (cpu.c); the same for a panel of B's columns at a time, copied together, where rows of
 * B are met in no order and B exceeds the caches; or blocks of B's rows by slices of A, where a panel exceeds
 * the second-level cache, too (sell.h). The order in which a sum is added is the same for all. */
#ifndef SPMM_CPU_CPU_H
#define SPMM_CPU_CPU_H

#include "spmm/problem/spmm.h"

extern const spmm_kernel spmm_cpu_ref, spmm_cpu_portable;
#if defined(__x86_64__)
extern const spmm_kernel spmm_cpu_avx2, spmm_cpu_avx512;
#endif

#endif
