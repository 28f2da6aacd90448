/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code for dense permanents of one order, printed by kernels/gen/superman.c. */
#ifndef PERM_SUPERMAN_CODE_H
#define PERM_SUPERMAN_CODE_H

#include <stdbool.h>

/* CUDA C, and C behind kernels/shim.h, as text that the caller frees; NULL without memory. Its kernel
 * superman_gpu_code, superman_gpu_code_ceg, does what those of gpu.h do with x in registers and the matrix in
 * shared memory, but for one n only: every row sum is a variable, and no row is asked whether it is there.
 * Same arguments, same bits; a block takes max(n^2, 384) doubles of dynamic shared memory. To be compiled
 * without fusing. */
char *perm_superman_print_code(int n, bool is_ceg);

#endif
