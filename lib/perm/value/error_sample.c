/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/error_sample.h"

#include <math.h>

perm_bound perm_error_sample_estimate(const perm_error_sample *sample, double relative_error,
                                      perm_bound magnitude) {
    if (sample->error.mantissa == 0 || magnitude.mantissa == 0)
        return (perm_bound){0, 0};
    const double ratio = exp2(perm_bound_log2(magnitude) - perm_bound_log2(sample->magnitude)),
                 roundings = fmax(1, relative_error / sample->relative_error),
                 factor = roundings * fmax(1, ratio);
    if (!(factor < 0x1p900))
        return (perm_bound){0, 0};
    const perm_bound drawn = perm_bound_multiply(sample->error, perm_bound_from_double(factor)),
                     other = perm_bound_multiply(
                         sample->other, perm_bound_from_double(sample->is_other ? roundings * ratio : 0)),
                     beyond = perm_bound_multiply(
                         sample->magnitude, perm_bound_from_double(4 * relative_error * fmax(0, ratio - 2)));
    return perm_bound_add(perm_bound_add(drawn, other), beyond);
}
