/* What this processor can do, for the choice of kernels at run time. */
#ifndef BASE_CORE_CPU_H
#define BASE_CORE_CPU_H

#include <stdbool.h>
#include <stdint.h>

typedef enum base_cpu_feature {
    BASE_CPU_PORTABLE = 0,
    BASE_CPU_AVX2,  /* AVX2 and FMA */
    BASE_CPU_AVX512 /* AVX-512 F, BW, DQ, VL */
} base_cpu_feature;

/* The environment variable MMPIPE_CPU=portable|avx2|avx512 lowers the answer, for tests. */
bool base_cpu_has(base_cpu_feature feature);

/* The last of the features that there is. */
base_cpu_feature base_cpu_level(void);

/* Processors this process may run on (its affinity mask), at least 1. */
int base_cpu_count(void);

/* Bytes of physical memory, or the smaller limit of the process (RLIMIT_AS) or its control group. */
int64_t base_memory_size_bytes(void);

/* The least limit of memory that control groups (version 2) set on the way from a process' own group up, as
 * containers and batch systems do; INT64_MAX: none. `groups` is the file that names its group
 * (/proc/self/cgroup), `root` the folder of them all (/sys/fs/cgroup). */
int64_t base_memory_group_bytes(const char *groups, const char *root);

#endif
