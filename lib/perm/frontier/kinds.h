/* SPDX-License-Identifier: BSD-3-Clause */
/* The step of body.h for every kind of value, with the masks of the includer (kernels.c):
 * MASK_TYPE and MASK_NAME(x). */

#define NAME(x) MASK_NAME(x##_count)
#define MASK MASK_TYPE
#define UNIT char
#define STRIDE 0
#define FACTOR char
#define FACTOR_COUNT 0
#define ADD_PRODUCT ADD_NOTHING
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_residue)
#define MASK MASK_TYPE
#define UNIT uint64_t
#define STRIDE 1
#define FACTOR uint64_t
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_RESIDUE
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_word)
#define MASK MASK_TYPE
#define UNIT uint64_t
#define STRIDE 1
#define FACTOR uint64_t
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_REAL
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_double_word)
#define MASK MASK_TYPE
#define UNIT perm_wide
#define STRIDE 1
#define FACTOR perm_wide
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_REAL
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_limbs)
#define MASK MASK_TYPE
#define UNIT mp_limb_t
#define STRIDE step->stride
#define FACTOR perm_limbs
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_INTEGER
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_complex_limbs)
#define MASK MASK_TYPE
#define UNIT mp_limb_t
#define STRIDE step->stride
#define FACTOR perm_limbs
#define FACTOR_COUNT 2
#define ADD_PRODUCT ADD_GAUSSIAN
#define TRACK NO_TRACK
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_real)
#define MASK MASK_TYPE
#define UNIT double
#define STRIDE 1
#define FACTOR double
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_REAL
#define TRACK(max, v) RAISE(max, exponent_of_double((v)[0]))
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_signed)
#define MASK MASK_TYPE
#define UNIT double
#define STRIDE 2
#define FACTOR double
#define FACTOR_COUNT 2
#define ADD_PRODUCT ADD_SIGNED
#define TRACK(max, v) RAISE(max, exponent_of_double((v)[1]))
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_complex)
#define MASK MASK_TYPE
#define UNIT double
#define STRIDE 3
#define FACTOR double
#define FACTOR_COUNT 3
#define ADD_PRODUCT ADD_COMPLEX
#define TRACK(max, v) RAISE(max, exponent_of_double((v)[2]))
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_quad_real)
#define MASK MASK_TYPE
#define UNIT perm_quad
#define STRIDE 1
#define FACTOR perm_quad
#define FACTOR_COUNT 1
#define ADD_PRODUCT ADD_REAL
#define TRACK(max, v) RAISE(max, exponent_of_quad((v)[0]))
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_quad_signed)
#define MASK MASK_TYPE
#define UNIT perm_quad
#define STRIDE 2
#define FACTOR perm_quad
#define FACTOR_COUNT 2
#define ADD_PRODUCT ADD_SIGNED
#define TRACK(max, v) RAISE(max, exponent_of_quad((v)[1]))
#include "perm/frontier/body.h"

#define NAME(x) MASK_NAME(x##_quad_complex)
#define MASK MASK_TYPE
#define UNIT perm_quad
#define STRIDE 3
#define FACTOR perm_quad
#define FACTOR_COUNT 3
#define ADD_PRODUCT ADD_COMPLEX
#define TRACK(max, v) RAISE(max, exponent_of_quad((v)[2]))
#include "perm/frontier/body.h"
