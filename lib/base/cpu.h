/* What this processor can do, for the choice of kernels at run time. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

typedef enum base_cpu_feature {
    BASE_CPU_PORTABLE = 0,
    BASE_CPU_AVX2,  /* AVX2 and FMA */
    BASE_CPU_AVX512 /* AVX-512 F, BW, DQ, VL */
} base_cpu_feature;

/* The environment variable MMPIPE_CPU=portable|avx2|avx512 lowers the answer, for tests. */
bool base_cpu_has(base_cpu_feature feature);

/* Processors this process may run on (its affinity mask), at least 1. */
int base_cpu_count(void);

/* Bytes of physical memory, or the smaller limit of the process (RLIMIT_AS). */
int64_t base_memory_size_bytes(void);

#endif
