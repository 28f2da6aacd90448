/* The names that --kernel takes. */
#include "perm/doubledouble/doubledouble.h"
#include "perm/exact/exact.h"
#include "perm/minors/minors.h"
#include "perm/plan/price.h"
#include "perm/sparse/sparse.h"
#include <string.h>

#define IS_IN(table, type, name)                                                                             \
    for (const type *const *kernel = table(); *kernel; kernel++)                                             \
        if (strcmp(name, (*kernel)->name) == 0)                                                              \
    return true

/* Families, and methods that have no table of kernels. */
static const char *const others[] = {"dense", "sparse", "sparse-gray", "exact",          "sparse-exact",
                                     "dd",    "mpfr",   "repeated",    "repeated-double"};

static bool is_kernel(const char *name) {
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(name, others[k]) == 0)
            return true;
    IS_IN(perm_exact_kernels, perm_exact_kernel, name);
    IS_IN(perm_dense_kernels, perm_dense_kernel, name);
    IS_IN(perm_twofold_kernels, perm_twofold_kernel, name);
    IS_IN(perm_sparse_kernels, perm_sparse_kernel, name);
    IS_IN(perm_sparse_exact_kernels, perm_sparse_kernel, name);
    return perm_plan_is_frontier(name) || perm_plan_is_device(name);
}

static bool is_of_minors(const char *name) {
    IS_IN(perm_minors_kernels, perm_minors_kernel, name);
    return strcmp(name, "minors") == 0;
}

base_status perm_plan_check_kernel(base_context *context, const char *name, bool minors) {
    if (!name || is_kernel(name) || (minors && is_of_minors(name)))
        return BASE_OK;
    if (is_of_minors(name))
        return base_fail(context, BASE_USAGE, "--kernel %s is for --minors", name);
    return base_fail(context, BASE_USAGE, "there is no kernel '%s'; --kernel list prints their names", name);
}
