/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks keep the tensor; every kernel does the steps of the reference; plus and reduction are what they say.
 */
#include "flip/search/walk.h"
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "flip/scheme/cyclic.h"
#include "flip/scheme/verify.h"
#include "flip/search/settings.h"
#include "tests/support/flip_standard.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static base_random draws;

static bool is_right(const int64_t size[3], const flip_walker *walker) {
    static uint64_t masks[9 * FLIP_LARGEST_RANK], rows[3 * FLIP_LARGEST_RANK];
    if (walker->symmetry == FLIP_PLAIN)
        return flip_verify_masks(size, flip_walker_store(walker, masks), masks);
    const int64_t count = flip_walker_store(walker, rows),
                  rank = flip_cyclic_unfold(size, count, rows, masks);
    return rank == 3 * walker->rank + walker->fixed_count && flip_verify_masks(size, rank, masks) &&
           (walker->symmetry == FLIP_CYCLIC || flip_cyclic_pair(size[0], count, rows));
}

static bool are_equal(const flip_walker *a, const flip_walker *b) {
    bool equal = a->rank == b->rank && a->fixed_count == b->fixed_count &&
                 memcmp(a->fixed, b->fixed, (size_t)a->fixed_count * 8) == 0 && a->flips == b->flips &&
                 a->random == b->random && memcmp(a->rows, b->rows, sizeof a->rows) == 0 &&
                 memcmp(a->partnered, b->partnered, sizeof a->partnered) == 0;
    for (int k = 0; k < flip_walker_positions(a) && equal; k++)
        equal = memcmp(a->factor[k], b->factor[k], (size_t)flip_walker_entries(a) * 8) == 0 &&
                memcmp(a->mark[k], b->mark[k], (size_t)flip_walker_entries(a) * 2) == 0;
    return equal;
}

static flip_walker *new_walker(void) {
    flip_walker *walker = aligned_alloc(64, sizeof *walker);
    memset(walker, 0, sizeof *walker);
    return walker;
}

/* Walkers of several ranks in one call, against the reference one by one. */
static void check_kernel(const flip_kernel *kernel, const int64_t size[3], int64_t steps,
                         flip_symmetry symmetry) {
    enum { COUNT = 3 };
    static uint64_t masks[3 * FLIP_LARGEST_RANK], rows[3 * FLIP_LARGEST_RANK];
    flip_walker *tested[COUNT], *wanted[COUNT];
    int64_t rank = make_standard(size, masks);
    bool right = true, same = true;
    if (symmetry != FLIP_PLAIN) {
        rank = flip_cyclic_fold(size, rank, masks, rows);
        right = symmetry == FLIP_CYCLIC || flip_cyclic_pair(size[0], rank, rows);
        memcpy(masks, rows, sizeof masks);
    }
    for (int w = 0; w < COUNT; w++) {
        tested[w] = new_walker();
        tested[w]->symmetry = symmetry;
        tested[w]->random = base_random_bits(&draws);
        flip_walker_load(kernel, tested[w], rank, masks);
        wanted[w] = new_walker();
        wanted[w]->symmetry = symmetry;
        wanted[w]->random = tested[w]->random;
        flip_walker_load(&flip_ref, wanted[w], rank, masks);
    }
    for (int round = 0; round < 5; round++) {
        for (int w = 0; w < COUNT; w++) {
            if (w > 0 || round % 2 == 1)
                same &= flip_walker_plus(kernel, tested[w]) == flip_walker_plus(&flip_ref, wanted[w]);
            if (w == 2 && round == 3)
                same &= flip_walker_reduce(kernel, tested[w]) == flip_walker_reduce(&flip_ref, wanted[w]);
            right &= is_right(size, tested[w]);
        }
        kernel->run(tested, COUNT, steps);
        flip_ref.run(wanted, COUNT, steps);
        for (int w = 0; w < COUNT; w++) {
            right &= is_right(size, tested[w]);
            same &= are_equal(tested[w], wanted[w]);
        }
    }
    tap_ok(right, "%s %dx%dx%d%s: the tensor stays", kernel->name, (int)size[0], (int)size[1], (int)size[2],
           symmetry == FLIP_PLAIN    ? ""
           : symmetry == FLIP_CYCLIC ? ", cyclic"
                                     : ", reversed");
    tap_ok(same, "... the steps of the reference");
    for (int w = 0; w < COUNT; w++) {
        free(tested[w]);
        free(wanted[w]);
    }
}

/* Over F2, u ⊗ (v1 ⊗ w1 + v2 ⊗ w2 + (v1 + v2) ⊗ w3) = u ⊗ (v1 ⊗ (w1 + w3) + v2 ⊗ (w2 + w3)). */
static void check_reduction(void) {
    for (int turn = 0; turn < 6; turn++) {
        int at[3] = {turn % 3, (turn + 1 + turn / 3) % 3, (turn + 2 - turn / 3) % 3};
        uint64_t term[3][3] = {{5, 1, 4}, {5, 2, 8}, {5, 3, 16}};
        flip_walker *walker = new_walker();
        uint64_t masks[9], sum[2][2] = {{0}};
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++)
                masks[3 * r + at[k]] = term[r][k];
        flip_walker_load(&flip_ref, walker, 3, masks);
        bool dropped = flip_walker_reduce(&flip_ref, walker);
        for (int r = 0; r < walker->rank; r++)
            for (int bit = 0; bit < 2; bit++)
                if (walker->factor[at[1]][r] >> bit & 1)
                    sum[0][bit] ^= walker->factor[at[2]][r];
        tap_ok(dropped && walker->rank == 2, "three dependent terms become two (%d)", turn);
        tap_ok(sum[0][0] == (4 ^ 16) && sum[0][1] == (8 ^ 16), "... with the same sum");
        tap_ok(!flip_walker_reduce(&flip_ref, walker), "... and no further");
        free(walker);
    }
}

static int compare_terms(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* How many schemes generalised flips come to from `count` terms with a common factor and independent others,
 * and whether the sum stays in all of them. */
static int count_schemes(int count, int position, bool *right) {
    enum { MOST = 512, TERMS = 3 };
    static uint64_t seen[MOST][3 * TERMS];
    uint64_t masks[3 * TERMS] = {0};
    int found = 0;
    flip_walker *walker = new_walker();
    walker->random = base_random_bits(&draws);
    for (int r = 0; r < count; r++) {
        masks[3 * r + position] = 5;
        masks[3 * r + (position + 1) % 3] = UINT64_C(1) << r;
        masks[3 * r + (position + 2) % 3] = UINT64_C(16) << r;
    }
    flip_walker_load(&flip_ref, walker, count, masks);
    for (int k = 0; k < 6000; k++) {
        uint64_t sum[TERMS] = {0};
        int at = 0;
        flip_walker_generalize(&flip_ref, walker);
        memset(masks, 0, sizeof masks);
        *right &= flip_walker_store(walker, masks) == count;
        for (int r = 0; r < count; r++)
            for (int bit = 0; bit < count; bit++)
                if (masks[3 * r + (position + 1) % 3] >> bit & 1)
                    sum[bit] ^= masks[3 * r + (position + 2) % 3];
        for (int bit = 0; bit < count; bit++)
            *right &= sum[bit] == UINT64_C(16) << bit;
        qsort(masks, (size_t)count, 3 * sizeof *masks, compare_terms);
        while (at < found && memcmp(seen[at], masks, sizeof masks) != 0)
            at++;
        if (at == found && found < MOST)
            memcpy(seen[found++], masks, sizeof masks);
    }
    free(walker);
    return found;
}

/* Invertible matrices over F2 of order 2 and 3, up to the order of their columns: 6 / 2 and 168 / 6. */
static void check_generalized(void) {
    static const int64_t sizes[][3] = {{3, 3, 3}, {2, 3, 4}, {4, 4, 4}};
    bool right = true;
    for (int position = 0; position < 3; position++) {
        tap_ok(count_schemes(2, position, &right) == 3, "two terms become 3 schemes (position %d)", position);
        tap_ok(count_schemes(3, position, &right) == 28, "three terms become 28");
    }
    tap_ok(right, "... with the same sum");
    for (int f = 0; f < 3; f++) {
        uint64_t masks[192];
        flip_walker *walker = new_walker();
        walker->random = base_random_bits(&draws);
        flip_walker_load(&flip_ref, walker, make_standard(sizes[f], masks), masks);
        int made = 0;
        for (int k = 0; k < 200; k++) {
            made += flip_walker_generalize(&flip_ref, walker);
            right &= is_right(sizes[f], walker);
            flip_ref.run(&walker, 1, 5);
        }
        tap_ok(right && made > 50, "%dx%dx%d: the tensor stays", (int)sizes[f][0], (int)sizes[f][1],
               (int)sizes[f][2]);
        free(walker);
    }
    /* b_3 = b_1 + b_2: some G makes one of them zero. */
    const uint64_t dependent[9] = {5, 1, 4, 5, 2, 8, 5, 3, 16};
    int dropped = 0;
    for (int k = 0; k < 100; k++) {
        flip_walker *walker = new_walker();
        walker->random = base_random_bits(&draws);
        flip_walker_load(&flip_ref, walker, 3, dependent);
        for (int move = 0; move < 20 && walker->rank == 3; move++)
            flip_walker_generalize(&flip_ref, walker);
        dropped += walker->rank == 2;
        free(walker);
    }
    tap_ok(dropped > 50, "three dependent terms become two");
}

static void check_plus(void) {
    const int64_t size[3] = {2, 2, 2};
    uint64_t masks[24];
    flip_walker *walker = new_walker();
    flip_walker_load(&flip_ref, walker, make_standard(size, masks), masks);
    for (int k = 0; k < 20; k++) {
        int32_t rank = walker->rank;
        tap_ok(flip_walker_plus(&flip_ref, walker) && walker->rank >= rank && walker->rank <= rank + 1 &&
                   is_right(size, walker),
               "plus keeps the tensor");
    }
    uint64_t one[3] = {1, 1, 1};
    flip_walker_load(&flip_ref, walker, 1, one);
    tap_ok(!flip_walker_plus(&flip_ref, walker), "one term has no plus");
    flip_walker_load(&flip_ref, walker, 0, one);
    flip_ref.run(&walker, 1, 10);
    tap_ok(walker->rank == 0 && walker->flips == 0, "nothing walks nowhere");
    free(walker);
}

static void check_marks(void) {
    bool short_ones = true, linear = true, distant = true;
    for (uint64_t x = 0; x < 65536; x++)
        short_ones &= flip_mark(x) == x;
    for (int k = 0; k < 1000; k++) {
        uint64_t x = base_random_bits(&draws), y = base_random_bits(&draws);
        linear &= flip_mark(x ^ y) == (flip_mark(x) ^ flip_mark(y));
    }
    for (int a = 0; a < 64; a++)
        for (int b = 0; b < 64; b++)
            for (int c = 0; c < 64; c++)
                for (int d = 0; d < 64; d++) {
                    uint64_t x = UINT64_C(1) << a ^ UINT64_C(1) << b ^ UINT64_C(1) << c ^ UINT64_C(1) << d;
                    distant &= x == 0 || flip_mark(x) != 0;
                }
    tap_ok(short_ones, "factors of 16 bits are their marks");
    tap_ok(linear, "marks are linear");
    tap_ok(distant, "no mark is zero for up to four bits");
}

/* Each kernel asks for what its name says, and no more. */
static void check_needs(void) {
    int wrong = 0;
    for (int k = 0; flip_kernels[k] != NULL; k++) {
        const char *name = flip_kernels[k]->name;
        const unsigned needs = strstr(name, "avx512") != NULL ? CPU_AVX2 | CPU_AVX512
                               : strstr(name, "avx2") != NULL ? CPU_AVX2
                                                              : 0;
        wrong += flip_kernels[k]->fits(0) != (needs == 0);
#if defined(__x86_64__)
        wrong += !flip_kernels[k]->fits(needs);
#endif
    }
    tap_ok(wrong == 0, "kernels run where the processor has what they need (%d wrong)", wrong);
}

/* The ranks from which on islands begin anew, as flipwalk(1) has them: a format's in any order of its sizes.
 */
static void check_settings(void) {
    static const int64_t sizes[][3] = {{3, 4, 5}, {5, 3, 4}, {4, 5, 3}, {4, 4, 4}, {3, 3, 3}};
    static const int64_t ranks[] = {48, 48, 48, 49, 0};
    int wrong = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        wrong += flip_find_settings(sizes[k])->sink_rank != ranks[k];
    tap_ok(wrong == 0, "the settings of formats (%d wrong)", wrong);
}

int main(void) {
    static const int64_t formats[][3] = {{1, 1, 1}, {1, 1, 3}, {2, 2, 2}, {2, 3, 4}, {3, 3, 3}, {4, 4, 4},
                                         {4, 4, 5}, {5, 5, 5}, {5, 6, 7}, {2, 8, 8}, {8, 8, 8}};
    const unsigned features = base_cpu_features();
    base_random_init(&draws, tap_seed(), 0);
    for (int k = 0; flip_kernels[k] != NULL; k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            int64_t rank = formats[f][0] * formats[f][1] * formats[f][2];
            const int64_t steps = rank > 100 ? 20 : rank > 30 ? 200 : 1000;
            if (!flip_kernels[k]->fits(features)) {
                tap_skip(2, flip_kernels[k]->name);
                continue;
            }
            check_kernel(flip_kernels[k], formats[f], steps, FLIP_PLAIN);
            if (formats[f][0] != formats[f][1] || formats[f][1] != formats[f][2])
                continue;
            check_kernel(flip_kernels[k], formats[f], steps, FLIP_CYCLIC);
            check_kernel(flip_kernels[k], formats[f], steps, FLIP_REVERSED);
        }
    check_plus();
    check_reduction();
    check_generalized();
    check_marks();
    check_needs();
    check_settings();
    return tap_done();
}
