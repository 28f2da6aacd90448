/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods, a row for each (method/method.h says what a method is). To add one: a folder or files of its
 * own that define perm_NAME_method, the files in the folder's local.mk, and a row here. */
#include "perm/plan/plan.h"

#include <string.h>

/* In the order in which they are priced and listed: by their stages (perm_stage). */
#define METHODS(ROW)                                                                                         \
    ROW(frontier)                                                                                            \
    ROW(frontier_exact)                                                                                      \
    ROW(frontier_double)                                                                                     \
    ROW(frontier_quad)                                                                                       \
    ROW(multiplicities_double)                                                                               \
    ROW(multiplicities)                                                                                      \
    ROW(exact)                                                                                               \
    ROW(dense)                                                                                               \
    ROW(dd)                                                                                                  \
    ROW(mpfr)                                                                                                \
    ROW(frontier_cuda)                                                                                       \
    ROW(dense_cuda)                                                                                          \
    ROW(dense_pairs_cuda)                                                                                    \
    ROW(dense_tensor_cuda)                                                                                   \
    ROW(sparse_cuda)                                                                                         \
    ROW(exact_cuda)                                                                                          \
    ROW(sieve_cuda)                                                                                          \
    ROW(dd_cuda)                                                                                             \
    ROW(register_cuda)                                                                                       \
    ROW(hybrid_cuda)                                                                                         \
    ROW(superman)                                                                                            \
    ROW(sparse)                                                                                              \
    ROW(sparse_exact)

#define DECLARE(name) extern const perm_method perm_##name##_method;
#define POINT_TO(name) &perm_##name##_method,

METHODS(DECLARE)

const perm_method *const *perm_methods(void) {
    static const perm_method *const methods[] = {METHODS(POINT_TO) NULL};
    return methods;
}

const perm_method *perm_method_find(const char *name) {
    for (const perm_method *const *method = perm_methods(); *method != NULL; method++)
        if (strcmp((*method)->name, name) == 0)
            return *method;
    return NULL;
}
