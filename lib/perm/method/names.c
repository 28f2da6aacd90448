/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of kernels that were changed; the old ones are understood for one version more (method.h). */
#include "perm/method/method.h"

#include <string.h>

const char *perm_kernel_name(const char *name) {
    static const struct {
        const char *old, *name;
    } changed[] = {{"repeated", "multiplicities"}, {"repeated-double", "multiplicities-double"}};
    for (size_t k = 0; name != NULL && k < sizeof changed / sizeof *changed; k++)
        if (strcmp(name, changed[k].old) == 0)
            return changed[k].name;
    return name;
}
