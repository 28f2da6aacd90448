/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of 113 bits with 15-bit exponents (binary128), or the widest that the compiler has. */
#ifndef PERM_FRONTIER_QUAD_H
#define PERM_FRONTIER_QUAD_H

#include <gmp.h>
#include <stdint.h>

#ifdef __SIZEOF_FLOAT128__
typedef __float128 perm_quad;
#else
typedef long double perm_quad;
#endif

extern const double perm_quad_unit;       /* half a unit in the last place of 1 */
extern const double perm_quad_least_log2; /* log2 of the smallest subnormal */
extern const int perm_quad_max_exponent;  /* all numbers are below 2^this */

/* 2^exponent; 0 below the range. */
perm_quad perm_quad_power(int64_t exponent);

/* Multiplies *x by the power of two that takes it to at least 2^-500, exactly, and returns the exponent that
 * takes it back. The doubles that such a number is the sum of do not underflow. */
int64_t perm_quad_lift(perm_quad *x);

/* integer·2^exponent from its leading 3·53 bits, rounded once or a little worse than once; in the range of
 * subnormal numbers, within 3/2 of the smallest one. */
perm_quad perm_quad_of(mpz_srcptr integer, int64_t exponent);

/* |re + i·im| with the accuracy of doubles and the range of perm_quad. */
perm_quad perm_quad_size(perm_quad re, perm_quad im);

#endif
