/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the user leaves of all there may be. */
static unsigned allowed_features(void) {
    static const struct {
        const char *name;
        unsigned features;
    } known[] = {{"portable", 0}, {"avx2", CPU_AVX2}, {"avx512", CPU_AVX2 | CPU_AVX512}, {"neon", CPU_NEON}};
    const char *text = getenv("MMPIPE_CPU");
    for (size_t i = 0; text != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0)
            return known[i].features;
    return ~0u;
}

#if defined(__x86_64__)
/* clang's __builtin_cpu_supports does not know it before version 17. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

static unsigned present_features(void) {
    unsigned features = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
        features |= CPU_AVX2;
    if (features != 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        features |= CPU_AVX512;
#elif defined(__aarch64__)
    features |= CPU_NEON; /* part of the architecture */
#endif
    return features;
}

unsigned base_cpu_features(void) {
    return present_features() & allowed_features();
}

int base_cpu_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static int64_t read_limit(const char *root, const char *group) {
    char path[8192], text[32] = "";
    char *end = text;
    int64_t bytes = INT64_MAX;
    snprintf(path, sizeof path, "%s/%s/memory.max", root, group);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return INT64_MAX;
    if (fgets(text, sizeof text, file) != NULL)
        bytes = strtoll(text, &end, 10);
    fclose(file);
    return end != text ? bytes : INT64_MAX; /* "max" */
}

int64_t base_memory_group_bytes(const char *groups, const char *root) {
    char line[4096];
    int64_t least = INT64_MAX;
    FILE *file = fopen(groups, "r");
    if (file == NULL)
        return least;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "0::", 3) != 0)
            continue;
        char *group = line + 3;
        group[strcspn(group, "\n")] = '\0';
        for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
            *end = '\0';
            const int64_t bytes = read_limit(root, group);
            least = bytes < least ? bytes : least;
        }
    }
    fclose(file);
    return least;
}

int64_t base_memory_size_bytes(void) {
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const int64_t group = base_memory_group_bytes("/proc/self/cgroup", "/sys/fs/cgroup");
    struct rlimit limit;
    bytes = group < bytes ? group : bytes;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < (rlim_t)bytes)
        bytes = (int64_t)limit.rlim_cur;
    return bytes;
}
