/* SPDX-License-Identifier: BSD-3-Clause */
/* What a random sample of a sum's terms says of the error of the whole (solve/error_sampler.h takes it).
 *
 * The sum of |product| of all subsets, which the methods compute, tells how well the sample stands for the
 * whole. Where it is r > 1 times the one that the sample promises, the estimate is multiplied by r; what it
 * has beyond twice that one counts with the certain bound of its roundings, four times. */
#ifndef PERM_VALUE_ERROR_SAMPLE_H
#define PERM_VALUE_ERROR_SAMPLE_H

#include "perm/value/value.h"

typedef struct perm_error_sample {
    perm_bound error;      /* estimated, of the permanent; 0: there is no estimate */
    perm_bound other;      /* what is added to it for another kernel with the same magnitude */
    perm_bound magnitude;  /* the sum of |product|, in the permanent's units, that the sample promises */
    double relative_error; /* certain bound of the roundings of a sampled term, over |product| */
    bool is_other;         /* the sum is one of another kernel than the sample */
} perm_error_sample;

/* The estimate for a sum with that bound of the roundings of a term, over |product|, and that sum of
 * |product|; 0 when there is none. */
perm_bound perm_error_sample_estimate(const perm_error_sample *sample, double relative_error,
                                      perm_bound magnitude);

#endif
