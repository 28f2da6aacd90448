/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all kernels (problem/spmm.h), in the order in which --kernel list prints them, and names of
 * before. */
#include "spmm/cpu/cpu.h"
#include "spmm/dispatch/kernel.h"

#include <string.h>

#define ADDRESS(name) &spmm_device_##name##_kernel,

const spmm_kernel *const *spmm_kernels(void) {
    static const spmm_kernel *const kernels[] = {
        &spmm_cpu_ref,
        &spmm_cpu_portable,
#if defined(__x86_64__)
        &spmm_cpu_avx2,
        &spmm_cpu_avx512,
#endif
        SPMM_FAMILIES(ADDRESS) SPMM_COMPARED_FAMILIES(ADDRESS) NULL,
    };
    return kernels;
}

const char *spmm_kernel_publication(const spmm_kernel *kernel) {
    return kernel->publication != NULL ? kernel->publication(kernel) : NULL;
}

int spmm_kernel_shares(const spmm_kernel *kernel, const spmm_machine *machine) {
    const bool can_share = strcmp(kernel->device, "cuda") == 0 && machine->devices != NULL &&
                           (kernel->is_whole == NULL || !kernel->is_whole(kernel));
    return can_share ? base_devices_count(machine->devices) : 1;
}

bool spmm_kernel_makes_records(const spmm_kernel *kernel, const spmm_problem *problem, int64_t power) {
    return kernel->store_columns != NULL && problem->n > 0 && (power <= 1 || kernel->advance != NULL);
}

const char *spmm_kernel_name(const char *name) {
    static const char *const names[][2] = {{"runs", "merge"},           {"stages", "rowstaged"},
                                           {"strips", "rowpairs"},      {"slabs", "bstationary"},
                                           {"windows8", "rowwindows8"}, {"windows16", "rowwindows16"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k][0]) == 0)
            return names[k][1];
    return name;
}
