#include "perm/chunks/partial.h"

#include <math.h>

/* Where all terms have one sign, `low` gathers a rounding of the whole for each of them. */
bool perm_partial_is_possible(const perm_dense_partial *partial, double subsets) {
    const double most = partial->magnitude * (1 + 1e-6) + 0x1p-1000, most_low = most * subsets * 0x1p-52;
    return partial->magnitude >= 0 && partial->magnitude <= ldexp(subsets, 63) &&
           fabs(partial->high[0]) <= most && fabs(partial->high[1]) <= most &&
           fabs(partial->low[0]) <= most_low && fabs(partial->low[1]) <= most_low;
}

bool perm_partial_agree(const perm_dense_partial *a, const perm_dense_partial *b, double slope) {
    const double most = fmax(a->magnitude, b->magnitude), bound = 2 * slope * most + 0x1p-900;
    return fabs(a->magnitude - b->magnitude) <= 1e-6 * most &&
           fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <= bound &&
           fabs(a->high[1] - b->high[1] + (a->low[1] - b->low[1])) <= bound;
}

void perm_partial_prepare(double slope, double constant, int64_t exponent, perm_sum *sum) {
    sum->slope = slope;
    sum->constant = perm_bound_from_double(constant);
    if (constant != 0)
        sum->constant.exponent += exponent;
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
