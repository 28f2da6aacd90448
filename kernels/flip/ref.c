/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of kernel.h as they are defined, with the bit sets made anew after every move. */
#include "flip/kernel.h"

#include <string.h>

static bool is_partner(const flip_walker *walker, int position, int32_t r, int32_t other) {
    return other != r && walker->mark[position][other] == walker->mark[position][r];
}

static void build_index(flip_walker *walker) {
    flip_walker_simplify(walker);
    memset(walker->rows, 0, sizeof walker->rows);
    memset(walker->partnered, 0, sizeof walker->partnered);
    memset(walker->mark, 0, sizeof walker->mark);
    const int32_t entries = flip_walker_entries(walker);
    const int positions = flip_walker_positions(walker);
    for (int32_t r = 0; r < entries; r++) {
        walker->rows[r / 64] |= UINT64_C(1) << (r & 63);
        for (int k = 0; k < positions; k++)
            walker->mark[k][r] = flip_mark(walker->factor[k][r]);
    }
    for (int k = 0; k < positions; k++)
        for (int32_t r = 0; r < entries; r++)
            for (int32_t other = 0; other < entries; other++)
                if (is_partner(walker, k, r, other))
                    walker->partnered[k][r / 64] |= UINT64_C(1) << (r & 63);
}

static bool has_partner(const flip_walker *walker, int position, int32_t r) {
    return walker->partnered[position][r / 64] >> (r & 63) & 1;
}

static void flip_cyclic(flip_walker *walker, int32_t i, int32_t j) {
    uint64_t *factor = walker->factor[0];
    const int32_t i_second = flip_next_entry(i), j_second = flip_next_entry(j);
    factor[j_second] ^= factor[i_second];
    factor[flip_next_entry(i_second)] ^= factor[flip_next_entry(j_second)];
}

/* The flip of entries i and j of a position, which have the same factor there. */
static void flip(flip_walker *walker, int first, int32_t i, int32_t j) {
    const int32_t orbit = 3 * flip_walker_copies(walker);
    if (walker->symmetry == FLIP_PLAIN) {
        const int second = (first + 1) % 3, third = (first + 2) % 3;
        walker->factor[second][j] ^= walker->factor[second][i];
        walker->factor[third][i] ^= walker->factor[third][j];
    } else {
        if (i / orbit == j / orbit)
            return;
        flip_cyclic(walker, i, j);
        if (walker->symmetry == FLIP_REVERSED)
            flip_cyclic(walker, flip_reversed_entry(i), flip_reversed_entry(j));
    }
    walker->flips++;
    build_index(walker);
}

static void step(flip_walker *walker) {
    const int32_t entries = flip_walker_entries(walker);
    const int positions = flip_walker_positions(walker);
    uint64_t draw = flip_draw(&walker->random);
    uint64_t count = 0;
    int first = 0;
    int32_t i = 0, j = 0;
    for (int k = 0; k < positions; k++)
        for (int32_t r = 0; r < entries; r++)
            count += has_partner(walker, k, r);
    if (count == 0)
        return;
    int64_t left = (int64_t)((draw >> 32) * count >> 32) + 1;
    for (int k = 0; k < positions && left > 0; k++)
        for (int32_t r = 0; r < entries && left > 0; r++)
            if (has_partner(walker, k, r)) {
                left--;
                first = k;
                i = r;
            }
    count = 0;
    for (int32_t r = 0; r < entries; r++)
        count += is_partner(walker, first, i, r);
    left = (int64_t)((draw & UINT32_MAX) * count >> 32) + 1;
    for (int32_t r = 0; r < entries && left > 0; r++)
        if (is_partner(walker, first, i, r)) {
            left--;
            j = r;
        }
    if (walker->factor[first][i] == walker->factor[first][j])
        flip(walker, first, i, j);
}

static void run(flip_walker *const *walkers, int count, int64_t steps) {
    for (int w = 0; w < count; w++)
        for (int64_t s = 0; s < steps; s++)
            step(walkers[w]);
}

static bool fits(unsigned features) {
    return (void)features, true;
}

const flip_kernel flip_ref = {"flip-ref", "cpu", fits, run, build_index};
