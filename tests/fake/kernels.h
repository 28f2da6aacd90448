/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that the fake driver finds in any fatbin. */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include <stdbool.h>

bool fake_has_kernel(const char *name);
void fake_run_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                     void **arguments);

/* What the two ask for kernels for permanents, … */
bool fake_has_perm_kernel(const char *name);
void fake_run_perm_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                          void **arguments);

/* … for SpMM, … */
bool fake_has_spmm_kernel(const char *name);
void fake_run_spmm_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                          void **arguments);

/* … for H2 matrices … */
bool fake_has_h2_kernel(const char *name);
void fake_run_h2_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                        void **arguments);

bool fake_has_h2_product(const char *name);
void fake_run_h2_product(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                         void **arguments);

/* … and on flip graphs. */
bool fake_has_flip_kernel(const char *name);
void fake_run_flip_kernel(const char *name, const unsigned grid[3], unsigned block, unsigned shared_bytes,
                          void **arguments);

#endif
