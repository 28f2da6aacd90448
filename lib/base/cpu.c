#include "base/cpu.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static base_cpu_feature allowed_feature(void) {
    const char *text = getenv("MMPIPE_CPU");
    if (text != NULL && strcmp(text, "portable") == 0)
        return BASE_CPU_PORTABLE;
    if (text != NULL && strcmp(text, "avx2") == 0)
        return BASE_CPU_AVX2;
    return BASE_CPU_AVX512;
}

bool base_cpu_has(base_cpu_feature feature) {
    if (feature > allowed_feature())
        return false;
    switch (feature) {
    case BASE_CPU_PORTABLE: return true;
#if defined(__x86_64__)
    case BASE_CPU_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case BASE_CPU_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    default: return false;
    }
}

int base_cpu_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int64_t base_memory_size_bytes(void) {
    int64_t physical = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < (rlim_t)physical)
        return (int64_t)limit.rlim_cur;
    return physical;
}
