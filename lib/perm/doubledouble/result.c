/* SPDX-License-Identifier: BSD-3-Clause */
/* What the chunks of a double-double sum come to, with the bound of its error (doubledouble.h). */
#include "base/core/memory.h"
#include "perm/doubledouble/doubledouble.h"

#include <math.h>
#include <stdlib.h>

static void add_pair(perm_value *value, const double pair[2], double sign) {
    perm_value term;
    perm_value_init(&term);
    perm_value_set_complex(&term, sign * pair[0], sign * pair[1]);
    perm_value_add(value, &term);
    perm_value_free(&term);
}

void perm_dd_chunk(const perm_dd *dd, const perm_dd_partial *partial, perm_value *value,
                   perm_value *magnitude) {
    const double sign = dd->problem.n % 2 == 0 ? -1 : 1;
    perm_value_set_integer(value, 0);
    add_pair(value, partial->high, sign);
    add_pair(value, partial->middle, sign);
    add_pair(value, partial->low, sign);
    perm_value_scale(value, dd->exponent);
    perm_value_set_complex(magnitude, partial->magnitude, 0);
    perm_value_scale(magnitude, dd->exponent);
}

double perm_dd_relative_error(int64_t n, bool is_complex) {
    return (double)(is_complex ? 34 * n + 64 : 6 * n + 32) * 0x1p-106 * (1 + 1e-6);
}

void perm_dd_error(const perm_dd *dd, double *relative_error, perm_bound *absolute_error) {
    const double n = (double)dd->problem.n;
    *relative_error = 0;
    *absolute_error = (perm_bound){0, 0};
    if (dd->chunk_count == 0)
        return;
    const bool is_complex = dd->problem.is_complex;
    *relative_error = perm_dd_relative_error(dd->problem.n, is_complex);
    /* What underflows in a product is at most 16 times the least subnormal a row, complex 64 times. */
    *absolute_error =
        perm_bound_from_double(ldexp((is_complex ? 64 : 16) * n, (int)n - 1 - 1074) + dd->perturbation);
    absolute_error->exponent += dd->exponent;
}

/* Adds up the partials of all chunks, without an error. */
static void fold(const perm_dd *dd, const perm_dd_partial *partial, perm_value *value) {
    double relative_error;
    perm_bound absolute_error;
    perm_value term, magnitude, sum;
    perm_value_init(&term);
    perm_value_init(&magnitude);
    perm_value_init(&sum);
    perm_value_set_integer(value, 0);
    for (int64_t chunk = 0; chunk < dd->chunk_count; chunk++) {
        perm_dd_chunk(dd, &partial[chunk], &term, &magnitude);
        perm_value_add(value, &term);
        perm_value_add(&sum, &magnitude);
    }
    perm_dd_error(dd, &relative_error, &absolute_error);
    value->error = perm_bound_add(
        perm_bound_multiply(perm_bound_from_double(relative_error), perm_bound_of(&sum)), absolute_error);
    perm_value_round(value);
    perm_value_free(&term);
    perm_value_free(&magnitude);
    perm_value_free(&sum);
}

base_status perm_dd_permanent(base_context *context, const perm_matrix *matrix, const char *kernel,
                              perm_value *value) {
    base_status status;
    perm_dd dd = {0};
    perm_dd_partial *partial = NULL;
    BASE_TRY(perm_dd_init(context, matrix, kernel, &dd));
    partial = base_alloc(context, dd.chunk_count, sizeof *partial);
    if (partial == NULL)
        BASE_TRY(BASE_MACHINE);
    perm_dd_run(context, &dd, 0, dd.chunk_count, partial);
    fold(&dd, partial, value);
done:
    free(partial);
    perm_dd_free(&dd);
    return status;
}
