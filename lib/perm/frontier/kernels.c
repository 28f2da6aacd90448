/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a frontier, one for each kind of numbers and width of masks, from one source (body.h). */
#include "base/run/progress.h"
#include "perm/frontier/layer.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Windows have sums for 2^6 to 2^12 sets. */
enum { LEAST_WINDOW = 6, MOST_WINDOW = 12 };

int64_t perm_frontier_sums_bytes(int64_t value_bytes, int open) {
    const int64_t cache = 64 * 1024, least = value_bytes << LEAST_WINDOW,
                  most = least > cache ? least : cache;
    if (open >= MOST_WINDOW)
        return most;
    const int64_t all = value_bytes << (open > LEAST_WINDOW ? open : LEAST_WINDOW);
    return all < most ? all : most;
}

/* frexp's exponent; INT_MIN for 0. */
static inline int exponent_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    if (biased > 0)
        return biased - 1022;
    int exponent = INT_MIN;
    if (x != 0)
        frexp(x, &exponent);
    return exponent;
}

static inline int exponent_of_quad(perm_quad x) {
    if (x == 0)
        return INT_MIN;
#ifdef __SIZEOF_FLOAT128__
    uint64_t bits[2];
    memcpy(bits, &x, sizeof bits);
    return (int)(bits[1] >> 48 & 0x7fff) - 16382; /* of a subnormal a little too small: harmless */
#else
    int exponent;
    frexpl(x, &exponent);
    return exponent;
#endif
}

/* sum + factor·value modulo 2^61 - 1, all three below that. */
static inline uint64_t add_residue(uint64_t sum, uint64_t factor, uint64_t value) {
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    const perm_wide whole = (perm_wide)factor * value + sum;
    const uint64_t folded = ((uint64_t)whole & prime) + (uint64_t)(whole >> 61);
    return folded >= prime ? folded - prime : folded;
}

/* sum ± value·limb·2^(64·shift) modulo 2^(64·size). */
static void add_limbs(mp_limb_t *sum, const perm_limbs *factor, const mp_limb_t *value, int64_t size,
                      bool negate) {
    bool negative = factor->negative != negate;
    for (int64_t i = 0; i < factor->count && i < size; i++) {
        mp_size_t rest = (mp_size_t)(size - i);
        if (negative)
            mpn_submul_1(sum + i, value, rest, factor->limb[i]);
        else
            mpn_addmul_1(sum + i, value, rest, factor->limb[i]);
    }
}

/* Most entries of exact matrices are 1. */
static inline void add_integer(mp_limb_t *sum, const perm_limbs *factor, const mp_limb_t *value,
                               int64_t size) {
    if (factor->count == 1 && factor->limb[0] == 1 && !factor->negative)
        mpn_add_n(sum, sum, value, (mp_size_t)size);
    else
        add_limbs(sum, factor, value, size, false);
}

static void add_gaussian(mp_limb_t *sum, const perm_limbs *factor, const mp_limb_t *value, int64_t stride) {
    int64_t size = stride / 2;
    add_limbs(sum, &factor[0], value, size, false);
    add_limbs(sum, &factor[1], value + size, size, true);
    add_limbs(sum + size, &factor[0], value + size, size, false);
    add_limbs(sum + size, &factor[1], value, size, false);
}

#define ADD_NOTHING(s, f, v) ((void)(s), (void)(f), (void)(v))
#define ADD_RESIDUE(s, f, v) (*(s) = add_residue(*(s), *(f), *(v)))
#define ADD_REAL(s, f, v) (*(s) += *(f) * *(v))
#define ADD_SIGNED(s, f, v) ((s)[0] += (f)[0] * (v)[0], (s)[1] += (f)[1] * (v)[1])
#define ADD_COMPLEX(s, f, v)                                                                                 \
    ((s)[0] += (f)[0] * (v)[0] - (f)[1] * (v)[1], (s)[1] += (f)[0] * (v)[1] + (f)[1] * (v)[0],               \
     (s)[2] += (f)[2] * (v)[2])
#define ADD_INTEGER(s, f, v) add_integer(s, f, v, step->stride)
#define ADD_GAUSSIAN(s, f, v) add_gaussian(s, f, v, step->stride)

#define NO_TRACK(max, v) ((void)(v))
#define RAISE(max, exponent)                                                                                 \
    do {                                                                                                     \
        int raised_ = (exponent);                                                                            \
        (max) = raised_ > (max) ? raised_ : (max);                                                           \
    } while (0)

/* Each file of an instance names its masks' type MASK_TYPE and its names' ending. */
#define MASK_TYPE uint64_t
#define MASK_NAME(x) x##_narrow
#include "perm/frontier/kinds.h"
#undef MASK_TYPE
#undef MASK_NAME
#define MASK_TYPE perm_wide
#define MASK_NAME(x) x##_wide
#include "perm/frontier/kinds.h"

#define RUN_KIND(NAME, name) [PERM_FRONTIER_##NAME] = {run_##name##_narrow, run_##name##_wide},
const perm_frontier_kernel perm_frontier_kernels[PERM_FRONTIER_KINDS][2] = {
    PERM_FRONTIER_EACH_KIND(RUN_KIND)};
