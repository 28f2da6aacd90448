/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/kernel_choice.h"

#include <string.h>

void perm_kernel_choice_weigh(perm_kernel_choice *choice, const void *kernel, const char *name,
                              double seconds) {
    if (choice->wanted != NULL && strcmp(choice->wanted, name) != 0)
        return;
    choice->is_known = true;
    if (seconds > 0 && (choice->kernel == NULL || seconds < choice->seconds)) {
        choice->kernel = kernel;
        choice->seconds = seconds;
    }
}

base_status perm_kernel_choice_check(base_context *context, const perm_kernel_choice *choice,
                                     const char *kind) {
    if (!choice->is_known)
        return base_fail(context, BASE_USAGE, "no %s kernel is named %s", kind, choice->wanted);
    return choice->kernel != NULL
               ? BASE_OK
               : base_fail(context, BASE_USAGE, "this processor cannot run the kernel %s", choice->wanted);
}
