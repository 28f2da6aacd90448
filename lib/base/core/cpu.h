/* SPDX-License-Identifier: BSD-3-Clause */
/* What this processor can do, for the choice of kernels at run time. */
#ifndef BASE_CORE_CPU_H
#define BASE_CORE_CPU_H

#include "processor.h"

#include <stdint.h>

/* The set of what this processor has. The environment variable MMPIPE_CPU=portable|avx2|avx512|neon takes
 * away what is beyond that, for tests. */
unsigned base_cpu_features(void);

/* Processors this process may run on (its affinity mask), at least 1. */
int base_cpu_count(void);

/* Bytes of physical memory, or the smaller limit of the process (RLIMIT_AS) or its control group. */
int64_t base_memory_size_bytes(void);

/* The least limit of memory that control groups (version 2) set on the way from a process' own group up, as
 * containers and batch systems do; INT64_MAX: none. `groups` is the file that names its group
 * (/proc/self/cgroup), `root` the folder of them all (/sys/fs/cgroup). */
int64_t base_memory_group_bytes(const char *groups, const char *root);

#endif
