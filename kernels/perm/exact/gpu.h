/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/exact/device.c and the device kernels for exact permanents: the sum of
 * kernel.h modulo up to four primes at a time, exact_gpu_1 … exact_gpu_4. */
#ifndef PERM_EXACT_GPU_H
#define PERM_EXACT_GPU_H

enum { EXACT_GPU_PRIMES = 4, EXACT_GPU_INNER = 3 /* B of common/gray_gpu.h */ };

/* A problem as a kernel takes it; its columns stand behind, n doubles each: [0] start, [1 + column] up. */
typedef struct exact_gpu_tables {
    int group_count, reduce; /* as in kernel.h */
    int group_end[64];
    double prime[EXACT_GPU_PRIMES];
} exact_gpu_tables;

/* A block leaves its residue for each prime, between -prime and prime, as long long. */

#endif
