/* The steps of kernel.h as they are defined, with the bit sets made anew after every move. */
#include "flip/kernel.h"

#include <string.h>

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

/* Whether term r (and its copy) is none any more; it may have become a fixed one. */
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
