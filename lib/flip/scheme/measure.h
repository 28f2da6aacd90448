/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scheme costs beyond its products. */
#ifndef FLIP_SCHEME_MEASURE_H
#define FLIP_SCHEME_MEASURE_H

#include "flip/scheme/scheme.h"

typedef struct flip_measures {
    int64_t nonzeros;
    int64_t additions;        /* when every linear form is added up by itself */
    int64_t shared_additions; /* when common sums are formed once (forms.h) */
    int64_t distinct[3];      /* factors at each position, up to their sign */
    int64_t largest;          /* |coefficient| */
    bool cyclic;     /* n = m = p and the terms stay the same, up to signs of factors, under the cyclic shift
                        u ⊗ v ⊗ w -> v ⊗ w' ⊗ u' (' transposes); only looked for with denominator 1 */
    bool transposed; /* the same for n = p and u ⊗ v ⊗ w -> v' ⊗ u' ⊗ w' */
} flip_measures;

/* O(entries · log rank), and what flip_forms_share takes. */
base_status flip_measure(base_context *context, const flip_scheme *scheme, flip_measures *measures);

#endif
