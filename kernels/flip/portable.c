/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks in plain C, for processors without the others. */
#include "flip/kernel.h"

#define FLIP_TARGET
#define FLIP_MATCH(marks, mark) match(marks, mark)
#define FLIP_SELECT(mask, k) select_bit(mask, k)

static inline uint64_t match(const uint16_t *marks, uint16_t mark) {
    uint64_t found = 0;
    for (int e = 0; e < 64; e++)
        found |= (uint64_t)(marks[e] == mark) << e;
    return found;
}

static inline int select_bit(uint64_t mask, uint32_t k) {
    for (; k > 0; k--)
        mask &= mask - 1;
    return __builtin_ctzll(mask);
}

#include "flip/walk_body.h"

static bool fits(unsigned features) {
    return (void)features, true;
}

const flip_kernel flip_portable = {"flip-portable", "cpu", fits, run, build_index};
