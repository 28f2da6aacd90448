/* SPDX-License-Identifier: BSD-3-Clause */
/* What rounding the entries of a dense sum may do to it, done at length: what bounds of it are compared with.
 */
#ifndef TESTS_SUPPORT_DENSE_CHANGES_H
#define TESTS_SUPPORT_DENSE_CHANGES_H

#include "perm/dense/certify.h"

#include <math.h>
#include <stdlib.h>

/* Makes a sum with a certificate, even where another bound is better; false: there is none. */
static bool dense_changes_certify(base_context *context, const perm_dense_matrix *matrix, perm_dense *dense) {
    if (perm_dense_init(context, matrix, NULL, dense) != BASE_OK)
        abort();
    dense->perturbation = INFINITY;
    if (perm_dense_certify(context, dense) != BASE_OK)
        abort();
    if (dense->certificate.kernel == NULL)
        perm_dense_free(dense);
    return dense->certificate.kernel != NULL;
}

/* Of row i: the sum of what the entries of the sum have been changed by, at most the root of two times less
 * than what certify.h counts. The sum has true entries times powers of two. */
static double dense_change_find(const perm_dense *dense, const double *entries, int n, bool is_complex,
                                int i) {
    const perm_dense_problem *problem = &dense->problem;
    const int parts = 1 + is_complex;
    double sum = 0;
    for (int j = 0; j < n && i < n; j++) {
        double change[2] = {0, 0}, large = 0, large_value = 0;
        for (int part = 0; part < parts; part++) {
            const double entry = entries[(j * n + i) * parts + part];
            if (fabs(entry) > large) {
                large = fabs(entry);
                large_value = fabs(problem->up[(j * parts + part) * problem->n + i] / 2);
            }
        }
        /* An entry that has become 0 is one whose scale is not seen: it counts as unchanged. */
        if (large_value == 0)
            continue;
        const int exponent = (int)rint(log2(large_value) - log2(large));
        for (int part = 0; part < parts; part++)
            change[part] = problem->up[(j * parts + part) * problem->n + i] / 2 -
                           ldexp(entries[(j * n + i) * parts + part], exponent);
        sum += hypot(change[0], change[1]);
    }
    return sum;
}

/* The sum over the subsets of prod (|x| + h) - prod |x|. */
static long double dense_changes_add(const perm_dense *dense, const double *change) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n, parts = 1 + problem->is_complex;
    long double sum = 0;
    for (uint64_t plus = 0; plus < UINT64_C(1) << (n - 1); plus++) {
        /* The difference so far, and the product: nothing cancels. */
        long double product = 1, difference = 0;
        for (int64_t i = 0; i < n; i++) {
            double x[2] = {0, 0};
            for (int64_t part = 0; part < parts; part++) {
                x[part] = problem->start[part * n + i];
                for (int64_t j = 0; j < n - 1; j++)
                    x[part] += plus >> j & 1 ? problem->up[(j * parts + part) * n + i] : 0;
            }
            const long double size = hypotl(x[0], x[1]);
            difference = difference * (size + change[i]) + product * change[i];
            product *= size;
        }
        sum += difference;
    }
    return sum;
}

#endif
