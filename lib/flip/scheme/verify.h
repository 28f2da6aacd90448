/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact verification: the terms of a scheme are multiplied out and compared with the tensor of matrix
 * multiplication, coefficient by coefficient. */
#ifndef FLIP_SCHEME_VERIFY_H
#define FLIP_SCHEME_VERIFY_H

#include "flip/scheme/scheme.h"

#include <stddef.h>

/* The first coefficient that is wrong, as that of a_ij b_kl c_mn (from 1), and what it is and should be times
 * the denominator; modulo the modulus if there is one. */
typedef struct flip_fault {
    int64_t place[3][2];
    double found, expected;
} flip_fault;

/* Whether the scheme is right over Z (over Q with its denominator), or modulo `modulus` ≥ 2 if that is not 0;
 * a denominator that has no inverse there makes it wrong. `fault` may be NULL. Fails with BASE_FAILED when
 * the coefficients are so large that sums might exceed 127 bits. Memory: 16 · mp · np bytes. Cost: the sum
 * over the terms of the products of their numbers of nonzeros. */
base_status flip_verify(base_context *context, const flip_scheme *scheme, int64_t modulus, bool *valid,
                        flip_fault *fault);

/* The same over F2 for masks (scheme.h), which must fit; needs no memory. */
bool flip_verify_masks(const int64_t size[3], int64_t rank, const uint64_t *masks);

/* "a12 b21 c11 has the coefficient 2 instead of 1" */
void flip_fault_print(const flip_fault *fault, char *text, size_t size);

#endif
