/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/kernels.h"

#include <stddef.h>

static const struct {
    bool (*has)(const char *name);
    void (*run)(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                void **arguments);
} lists[] = {{fake_has_perm_kernel, fake_run_perm_kernel},
             {fake_has_spmm_kernel, fake_run_spmm_kernel},
             {fake_has_h2_kernel, fake_run_h2_kernel},
             {fake_has_h2_product, fake_run_h2_product},
             {fake_has_flip_kernel, fake_run_flip_kernel}};

enum { LISTS = sizeof lists / sizeof *lists };

/* The list that has the kernel, or LISTS. */
static size_t find(const char *name) {
    size_t k = 0;
    while (k < LISTS && !lists[k].has(name))
        k++;
    return k;
}

bool fake_has_kernel(const char *name) {
    return find(name) < LISTS;
}

void fake_run_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                     void **arguments) {
    lists[find(name)].run(name, grid, block, shared_bytes, arguments);
}
