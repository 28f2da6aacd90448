/* SPDX-License-Identifier: BSD-3-Clause */
/* Hensel lifting (Kauers and Moosbauer, Flip graphs for matrix multiplication, 2022, section 4): from a
 * scheme right modulo 2^k to one right modulo 2^(k+1), k = 1, 2, …, and from there to rational coefficients
 * with odd denominators.
 *
 * A scheme modulo 2^k plus 2^k times changes (du, dv, dw) is right modulo 2^(k+1) just if
 *
 *     sum of du ⊗ v ⊗ w + u ⊗ dv ⊗ w + u ⊗ v ⊗ dw = (tensor - sum of u ⊗ v ⊗ w) / 2^k   modulo 2,
 *
 * linear equations whose matrix depends on the scheme modulo 2 alone. Where equations leave a choice, even
 * coefficients stay 0 and odd ones become 1, or 1 and -1 at random in later attempts. The others converge to
 * fixed 2-adic numbers then, which are rational as a rule. */
#ifndef FLIP_DERIVE_LIFT_H
#define FLIP_DERIVE_LIFT_H

#include "flip/scheme/scheme.h"

#include <stddef.h>

/* Lifts a scheme that is right over F2 (else BASE_FAILED) to Z, or Q with an odd denominator. Where that does
 * not succeed, *found is false and `reason` says why: without a lift modulo 4 there is none at all.
 * Memory: entries of the tensor times (nm + mp + np) · rank bits, twice. Cost: flip_linear_eliminate of that.
 */
base_status flip_lift(base_context *context, const flip_scheme *scheme, flip_scheme *lifted, bool *found,
                      char *reason, size_t size);

/* The fraction n/d with d odd and positive, |n| and d at most sqrt(2^(bits-1)), that is `value` modulo
 * 2^bits; false if there is none. bits ≤ 62. (Wang's algorithm: the extended Euclidean one, stopped
 * half-way.) */
bool flip_reconstruct(uint64_t value, int bits, int64_t *numerator, int64_t *denominator);

#endif
