/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing among the kernels for processors of one contract: the one that is named, or the fastest. */
#ifndef PERM_SUBSETS_KERNEL_CHOICE_H
#define PERM_SUBSETS_KERNEL_CHOICE_H

#include "base/core/context.h"

typedef struct perm_kernel_choice {
    const char *wanted; /* NULL: the fastest */
    const void *kernel; /* the best so far; NULL: none */
    double seconds;     /* of it */
    bool is_known;      /* a kernel has the wanted name */
} perm_kernel_choice;

/* Looks at another kernel. `seconds`: of the work with it; 0: this processor cannot run it. */
void perm_kernel_choice_weigh(perm_kernel_choice *choice, const void *kernel, const char *name,
                              double seconds);

/* Fails with BASE_USAGE where none was found. `kind`: "dense". */
base_status perm_kernel_choice_check(base_context *context, const perm_kernel_choice *choice,
                                     const char *kind);

#endif
