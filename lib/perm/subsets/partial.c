/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/partial.h"

#include <math.h>
#include <string.h>

/* Where all terms have one sign, `low` gathers a rounding of the whole for each of them. */
void perm_dense_add(double *high, double *low, double more_high, double more_low) {
    const double sum = *high + more_high, rest = sum - *high;
    const double error = (*high - (sum - rest)) + (more_high - rest) + (*low + more_low);
    *high = sum + error;
    *low = error - (*high - sum);
}

void perm_dense_add_partials(const perm_dense_partial *partial, int64_t count, int64_t n,
                             double relative_error, double absolute_error, perm_dense_result *result) {
    const double sign = n % 2 == 0 ? -1 : 1;
    double magnitude = 0;
    memset(result, 0, sizeof *result);
    for (int64_t chunk = 0; chunk < count; chunk++) {
        for (int part = 0; part < 2; part++)
            perm_dense_add(&result->high[part], &result->low[part], sign * partial[chunk].high[part],
                           sign * partial[chunk].low[part]);
        magnitude += partial[chunk].magnitude;
    }
    result->error = relative_error * magnitude + absolute_error;
}

bool perm_partial_is_possible(const perm_dense_partial *partial, double subsets) {
    const double most = partial->magnitude * (1 + 1e-6) + 0x1p-1000, most_low = most * subsets * 0x1p-52;
    return partial->magnitude >= 0 && partial->magnitude <= ldexp(subsets, 63) &&
           fabs(partial->high[0]) <= most && fabs(partial->high[1]) <= most &&
           fabs(partial->low[0]) <= most_low && fabs(partial->low[1]) <= most_low;
}

bool perm_partial_agree(const perm_dense_partial *a, const perm_dense_partial *b, double relative_error) {
    const double most = fmax(a->magnitude, b->magnitude), bound = 2 * relative_error * most + 0x1p-900;
    return fabs(a->magnitude - b->magnitude) <= 1e-6 * most &&
           fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <= bound &&
           fabs(a->high[1] - b->high[1] + (a->low[1] - b->low[1])) <= bound;
}

void perm_partial_prepare(double relative_error, double absolute_error, int64_t exponent, perm_sum *sum) {
    sum->relative_error = relative_error;
    sum->absolute_error = perm_bound_from_double(absolute_error);
    if (absolute_error != 0)
        sum->absolute_error.exponent += exponent;
}

void perm_partial_add(const perm_dense_partial *partial, int64_t n, int64_t exponent, int64_t chunk,
                      perm_sum *sum) {
    const double sign = n % 2 == 0 ? -1 : 1;
    perm_value value, low, magnitude;
    perm_value_init(&value);
    perm_value_init(&low);
    perm_value_init(&magnitude);
    perm_value_set_complex(&value, sign * partial->high[0], sign * partial->high[1]);
    perm_value_set_complex(&low, sign * partial->low[0], sign * partial->low[1]);
    perm_value_add(&value, &low);
    perm_value_scale(&value, exponent);
    perm_value_set_complex(&magnitude, partial->magnitude, 0);
    perm_value_scale(&magnitude, exponent);
    perm_sum_add(sum, chunk, &value, &magnitude);
    perm_value_free(&value);
    perm_value_free(&low);
    perm_value_free(&magnitude);
}
