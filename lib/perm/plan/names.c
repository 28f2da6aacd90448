/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that --kernel takes. */
#include "perm/minors/minors.h"
#include "perm/plan/plan.h"

#include <string.h>

static bool is_kernel(const char *any_name) {
    const char *name = perm_kernel_name(any_name);
    for (const perm_method *const *method = perm_methods(); *method != NULL; method++)
        if (perm_method_is_called(*method, name))
            return true;
    return false;
}

static bool is_of_minors(const char *name) {
    for (const perm_minors_kernel *const *kernel = perm_minors_kernels(); *kernel != NULL; kernel++)
        if (strcmp(name, (*kernel)->name) == 0)
            return true;
    return strcmp(name, "minors") == 0;
}

base_status perm_plan_check_kernel(base_context *context, const char *name, bool minors) {
    if (name == NULL || is_kernel(name) || (minors && is_of_minors(name)))
        return BASE_OK;
    if (is_of_minors(name))
        return base_fail(context, BASE_USAGE, "--kernel %s is for --minors", name);
    return base_fail(context, BASE_USAGE, "there is no kernel '%s'; --kernel list prints their names", name);
}
