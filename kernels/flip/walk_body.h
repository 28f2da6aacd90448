/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a walk; included by each kernel, which defines
 *
 *     FLIP_TARGET                       attribute of its functions
 *     FLIP_MATCH(marks, mark)           bits of the 64 marks that equal `mark`
 *     FLIP_SELECT(mask, k)              index of the set bit that k others precede
 *
 * A step is a chain of loads and comparisons that each wait for the one before, and it loads whole vectors of
 * marks where a step before stored a few bytes, which takes long. So the walkers of a call take their steps
 * in turn: the chains of several overlap. Nothing in a step branches on what was drawn. */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* a twentieth faster than by -O2 */
#endif

#define FLIP_INLINE static inline __attribute__((always_inline)) FLIP_TARGET

/* The row of the set bit that k others precede, 64 · word + bit. */
FLIP_INLINE int select_row(const uint64_t *set, int words, uint32_t k) {
    int word = 0;
    uint32_t before = 0, sum = 0;
    for (int w = 0; w + 1 < words; w++) {
        sum += (uint32_t)__builtin_popcountll(set[w]);
        word += k >= sum;
        before = k >= sum ? sum : before;
    }
    return 64 * word + FLIP_SELECT(set[word], k - before);
}

FLIP_INLINE uint64_t bit_of(int row, int word) {
    return (uint64_t)(row >> 6 == word) << (row & 63);
}

/* Gives a row another mark and factor. Its old partner may have none any more, and it may find new ones. */
FLIP_INLINE void change(flip_walker *walker, int words, int position, int row, uint64_t factor,
                        uint16_t mark) {
    uint16_t *marks = walker->mark[position];
    uint64_t *partnered = walker->partnered[position];
    uint16_t old = marks[row];
    uint64_t left[FLIP_WORDS], found[FLIP_WORDS], any = 0;
    int count = 0;
    for (int w = 0; w < words; w++) {
        left[w] = FLIP_MATCH(marks + 64 * w, old) & partnered[w] & ~bit_of(row, w);
        found[w] = FLIP_MATCH(marks + 64 * w, mark) & walker->rows[w] & ~bit_of(row, w);
        count += __builtin_popcountll(left[w]);
        any |= found[w];
    }
    for (int w = 0; w < words; w++) {
        /* Of the rows with the old mark, a single one has no partner any more. */
        uint64_t rest = partnered[w] & ~(count == 1 ? left[w] : 0) & ~bit_of(row, w);
        partnered[w] = rest | found[w] | (any != 0 ? bit_of(row, w) : 0);
    }
    marks[row] = mark;
    walker->factor[position][row] = factor;
}

/* The `index` of the kernel. Rows behind the last term are in no set. */
FLIP_TARGET static void build_index(flip_walker *walker) {
    flip_walker_simplify(walker);
    int entries = flip_walker_entries(walker), words = (entries + 63) / 64;
    for (int w = 0; w < FLIP_WORDS; w++)
        walker->rows[w] = w + 1 < words ? UINT64_MAX : 0;
    if (words > 0)
        walker->rows[words - 1] = UINT64_MAX >> (64 * words - entries);
    for (int k = 0; k < flip_walker_positions(walker); k++) {
        uint16_t *marks = walker->mark[k];
        for (int r = 0; r < entries; r++)
            marks[r] = flip_mark(walker->factor[k][r]);
        for (int w = 0; w < FLIP_WORDS; w++)
            walker->partnered[k][w] = 0;
        for (int r = 0; r < entries; r++) {
            uint64_t any = 0;
            for (int w = 0; w < words; w++)
                any |= FLIP_MATCH(marks + 64 * w, marks[r]) & walker->rows[w] & ~bit_of(r, w);
            walker->partnered[k][r >> 6] |= (uint64_t)(any != 0) << (r & 63);
        }
    }
}

FLIP_INLINE void step(flip_walker *walker, int words) {
    uint64_t draw = flip_draw(&walker->random);
    uint32_t sums[3 * FLIP_WORDS], count = 0, before = 0;
    for (int s = 0; s < 3 * words; s++)
        sums[s] = count += (uint32_t)__builtin_popcountll(walker->partnered[s / words][s % words]);
    if (count == 0)
        return;
    /* The word of the k-th bit: as many sums as are at most k. Counting does not branch. */
    uint32_t k = (uint32_t)((draw >> 32) * count >> 32);
    int set = 0;
    for (int s = 0; s + 1 < 3 * words; s++) {
        set += k >= sums[s];
        before = k >= sums[s] ? sums[s] : before;
    }
    int first = words == 1 ? set : set / words, word = set - first * words;
    int i = 64 * word + FLIP_SELECT(walker->partnered[first][word], k - before);

    uint64_t partners[FLIP_WORDS];
    uint16_t mark = walker->mark[first][i];
    count = 0;
    for (int w = 0; w < words; w++) {
        partners[w] =
            FLIP_MATCH(walker->mark[first] + 64 * w, mark) & walker->partnered[first][w] & ~bit_of(i, w);
        count += (uint32_t)__builtin_popcountll(partners[w]);
    }
    int j = select_row(partners, words, (uint32_t)((draw & UINT32_MAX) * count >> 32));
    if (walker->factor[first][i] != walker->factor[first][j])
        return; /* Only the marks are equal (kernel.h). */
    int second = first == 2 ? 0 : first + 1, third = first == 0 ? 2 : first - 1;
    uint64_t b = walker->factor[second][i] ^ walker->factor[second][j];
    uint64_t c = walker->factor[third][i] ^ walker->factor[third][j];
    uint16_t b_mark = walker->mark[second][i] ^ walker->mark[second][j];
    uint16_t c_mark = walker->mark[third][i] ^ walker->mark[third][j];
    walker->flips++;
    if (__builtin_expect(b == 0 || c == 0, 0)) {
        walker->factor[second][j] = b;
        walker->factor[third][i] = c;
        build_index(walker);
        return;
    }
    change(walker, words, second, j, b, b_mark);
    change(walker, words, third, i, c, c_mark);
}

/* A pair of entries of cyclic terms, and what its flip changes. */
typedef struct cyclic_flip {
    int i, i_second, i_third, j, j_second, j_third;
    uint64_t b, c; /* become factors j_second and i_third */
} cyclic_flip;

FLIP_INLINE cyclic_flip make_cyclic_flip(const flip_walker *walker, int i, int j) {
    const uint64_t *factor = walker->factor[0];
    cyclic_flip f = {.i = i, .i_second = flip_next_entry(i), .j = j, .j_second = flip_next_entry(j)};
    f.i_third = flip_next_entry(f.i_second);
    f.j_third = flip_next_entry(f.j_second);
    f.b = factor[f.i_second] ^ factor[f.j_second];
    f.c = factor[f.i_third] ^ factor[f.j_third];
    return f;
}

FLIP_INLINE void apply(flip_walker *walker, int words, const cyclic_flip *f) {
    const uint16_t *marks = walker->mark[0];
    const uint16_t b_mark = marks[f->i_second] ^ marks[f->j_second],
                   c_mark = marks[f->i_third] ^ marks[f->j_third];
    change(walker, words, 0, f->j_second, f->b, b_mark);
    change(walker, words, 0, f->i_third, f->c, c_mark);
}

/* Whether a flip makes a term zero, fixed, or equal to its reversal; `other` is the flip of the reversed
 * terms, NULL where there are none. */
FLIP_INLINE bool simplifies(const flip_walker *walker, const cyclic_flip *f, const cyclic_flip *other) {
    const uint64_t *factor = walker->factor[0];
    const uint64_t a = factor[f->i], b_i = factor[f->i_second], c_j = factor[f->j_third];
    bool any = f->b == 0 || f->c == 0 || ((a ^ f->b) | (a ^ c_j)) == 0 || ((a ^ b_i) | (a ^ f->c)) == 0;
    if (other != NULL) {
        const uint64_t a_differs = a ^ factor[other->i];
        any |= (a_differs | (f->b ^ other->b) | (c_j ^ factor[other->j_third])) == 0 ||
               (a_differs | (b_i ^ factor[other->i_second]) | (f->c ^ other->c)) == 0;
    }
    return any;
}

FLIP_INLINE void step_cyclic(flip_walker *walker, int words, bool is_reversed) {
    const int orbit = is_reversed ? 6 : 3;
    uint64_t draw = flip_draw(&walker->random), partners[FLIP_WORDS];
    uint32_t count = 0;
    for (int w = 0; w < words; w++)
        count += (uint32_t)__builtin_popcountll(walker->partnered[0][w]);
    if (count == 0)
        return;
    int i = select_row(walker->partnered[0], words, (uint32_t)((draw >> 32) * count >> 32));
    uint16_t mark = walker->mark[0][i];
    count = 0;
    for (int w = 0; w < words; w++) {
        partners[w] = FLIP_MATCH(walker->mark[0] + 64 * w, mark) & walker->partnered[0][w] & ~bit_of(i, w);
        count += (uint32_t)__builtin_popcountll(partners[w]);
    }
    int j = select_row(partners, words, (uint32_t)((draw & UINT32_MAX) * count >> 32));
    uint64_t *factor = walker->factor[0];
    if (factor[i] != factor[j] || i / orbit == j / orbit)
        return;
    cyclic_flip f = make_cyclic_flip(walker, i, j), other;
    if (is_reversed)
        other = make_cyclic_flip(walker, flip_reversed_entry(i), flip_reversed_entry(j));
    walker->flips++;
    if (__builtin_expect(simplifies(walker, &f, is_reversed ? &other : NULL), 0)) {
        factor[f.j_second] = f.b;
        factor[f.i_third] = f.c;
        if (is_reversed) {
            factor[other.j_second] = other.b;
            factor[other.i_third] = other.c;
        }
        build_index(walker);
        return;
    }
    apply(walker, words, &f);
    if (is_reversed)
        apply(walker, words, &other);
}

FLIP_INLINE void walk(flip_walker *const *walkers, int count, int64_t steps, int words) {
    const flip_symmetry symmetry = walkers[0]->symmetry;
    for (int64_t s = 0; s < steps && symmetry == FLIP_PLAIN; s++)
        for (int w = 0; w < count; w++)
            step(walkers[w], words);
    for (int64_t s = 0; s < steps && symmetry == FLIP_CYCLIC; s++)
        for (int w = 0; w < count; w++)
            step_cyclic(walkers[w], words, false);
    for (int64_t s = 0; s < steps && symmetry == FLIP_REVERSED; s++)
        for (int w = 0; w < count; w++)
            step_cyclic(walkers[w], words, true);
}

/* A constant number of words lets the compiler unroll and keep sets in registers. */
FLIP_TARGET static void run(flip_walker *const *walkers, int count, int64_t steps) {
    int32_t entries = 0;
    for (int w = 0; w < count; w++)
        entries = flip_walker_entries(walkers[w]) > entries ? flip_walker_entries(walkers[w]) : entries;
    if (entries <= 64)
        walk(walkers, count, steps, 1);
    else if (entries <= 128)
        walk(walkers, count, steps, 2);
    else if (entries <= 192)
        walk(walkers, count, steps, 3);
    else if (entries <= 256)
        walk(walkers, count, steps, 4);
    else
        walk(walkers, count, steps, FLIP_WORDS);
}
