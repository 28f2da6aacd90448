/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels on processors and the search share of a walker: the marks of factors, and how terms that have
 * become zero, fixed or equal are removed. */
#include "flip/kernel.h"

/* t^k modulo the polynomial. */
static const uint16_t power[64] = {
    0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080, 0x0100, 0x0200, 0x0400, 0x0800, 0x1000,
    0x2000, 0x4000, 0x8000, 0x3d65, 0x7aca, 0xf594, 0xd64d, 0x91ff, 0x1e9b, 0x3d36, 0x7a6c, 0xf4d8, 0xd4d5,
    0x94cf, 0x14fb, 0x29f6, 0x53ec, 0xa7d8, 0x72d5, 0xe5aa, 0xf631, 0xd107, 0x9f6b, 0x03b3, 0x0766, 0x0ecc,
    0x1d98, 0x3b30, 0x7660, 0xecc0, 0xe4e5, 0xf4af, 0xd43b, 0x9513, 0x1743, 0x2e86, 0x5d0c, 0xba18, 0x4955,
    0x92aa, 0x1831, 0x3062, 0x60c4, 0xc188, 0xbe75, 0x418f, 0x831e, 0x3b59, 0x76b2, 0xed64, 0xe7ad};

uint16_t flip_mark(uint64_t factor) {
    uint16_t mark = (uint16_t)factor;
    for (uint64_t rest = factor >> 16 << 16; rest != 0; rest &= rest - 1)
        mark ^= power[__builtin_ctzll(rest)];
    return mark;
}

/* The factors of a term, wherever they stand. */
static uint64_t *factor_of(flip_walker *walker, int32_t r, int k) {
    return walker->symmetry == FLIP_PLAIN ? &walker->factor[k][r] : &walker->factor[0][3 * r + k];
}

void flip_walker_toggle_fixed(flip_walker *walker, uint64_t a) {
    int32_t f = 0;
    while (f < walker->fixed_count && walker->fixed[f] != a)
        f++;
    if (f < walker->fixed_count)
        walker->fixed[f] = walker->fixed[--walker->fixed_count];
    else
        walker->fixed[walker->fixed_count++] = a;
}

/* Whether term r (and its copy) has to go: it is zero, equal to its reversal, or has become a fixed term. */
static bool is_gone(flip_walker *walker, int32_t r, int32_t copies) {
    const uint64_t a = *factor_of(walker, r, 0), b = *factor_of(walker, r, 1), c = *factor_of(walker, r, 2);
    if (a == 0 || b == 0 || c == 0)
        return true;
    if (copies == 2 && a == *factor_of(walker, r + 1, 0) && b == *factor_of(walker, r + 1, 1) &&
        c == *factor_of(walker, r + 1, 2))
        return true;
    if (walker->symmetry == FLIP_PLAIN || a != b || b != c || walker->fixed_count + copies > FLIP_MOST_FIXED)
        return false;
    for (int32_t copy = 0; copy < copies; copy++)
        flip_walker_toggle_fixed(walker, *factor_of(walker, r + copy, 0));
    return true;
}

void flip_walker_simplify(flip_walker *walker) {
    const int32_t copies = flip_walker_copies(walker);
    for (int32_t r = 0; r < walker->rank;) {
        if (!is_gone(walker, r, copies)) {
            r += copies;
            continue;
        }
        walker->rank -= copies;
        for (int32_t copy = 0; copy < copies; copy++)
            for (int k = 0; k < 3; k++)
                *factor_of(walker, r + copy, k) = *factor_of(walker, walker->rank + copy, k);
    }
}
