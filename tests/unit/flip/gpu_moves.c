/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves of one walker of the device kernels, on the CPU: sets miss no partner, reductions and pluses are what
 * they say, equal marks of different factors make no flip, islands step back and begin anew. */
#include "shim.h"

#include "flip/lane_gpu.cu"

#include "base/core/random.h"
#include "flip/scheme/verify.h"
#include "tests/support/flip_standard.h"
#include "tests/support/tap.h"

enum { ROWS = 128 };

/* Of one walker; other lanes' columns lie between. */
static unsigned column[32 * 3 * ROWS];

/* Rows that have a partner, by comparison of all pairs, and are not in the sets. */
static int count_missing(const walker_half_56 *walker) {
    int missing = 0;
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 56; i++)
            for (int j = 0; j < 56; j++) {
                const int row = row_half_56(i), other = row_half_56(j);
                const unsigned value = get_half_56(column, p, row);
                if (i != j && value != 0 && value == get_half_56(column, p, other))
                    missing += (walker->set[p][row / 32] >> row % 32 & 1) == 0;
            }
    return missing;
}

static void check_sets(void) {
    const int64_t size[3] = {3, 4, 4};
    uint64_t masks[3 * ROWS];
    unsigned long long scheme[3 * 56] = {0};
    walker_half_56 walker = {.column = column, .random = 5};
    int missing = 0, pluses = 0, wrong = 0;
    const int64_t rank = make_standard(size, masks);
    for (int64_t r = 0; r < rank; r++)
        for (int k = 0; k < 3; k++)
            scheme[k * 56 + r] = masks[3 * r + k];
    load_half_56(&walker, 56, scheme, 1);
    for (int step = 0; step < 3000; step++) {
        step_half_56(&walker);
        if (step % 50 == 49) {
            const int before = rank_half_56(&walker);
            plus_half_56(&walker);
            pluses += rank_half_56(&walker) == before + 1;
        }
        missing += count_missing(&walker);
        if (step % 70 == 69)
            while (reduce_half_56(&walker))
                missing += count_missing(&walker);
        uint64_t now[3 * 56];
        int64_t count = 0;
        for (int at = 0; at < 56; at++) {
            for (int k = 0; k < 3; k++)
                now[3 * count + k] = get_half_56(column, k, row_half_56(at));
            count += now[3 * count] != 0;
        }
        wrong += count != rank_half_56(&walker) || !flip_verify_masks(size, count, now);
    }
    tap_ok(missing == 0, "no partner is missed");
    tap_ok(wrong == 0, "flips, pluses and reductions keep the tensor");
    tap_ok(pluses > 0 && walker.flips > 2000, "%d pluses, %u flips", pluses, walker.flips);
}

/* a ⊗ (the sum over a set of at most five of b_i ⊗ c_i) with one dependency among the b_i. */
static void check_reduction(void) {
    int wrong = 0;
    base_random numbers;
    base_random_init(&numbers, 11, 0);
    for (int turn = 0; turn < 600; turn++) {
        const int at[3] = {turn % 3, (turn + 1 + turn / 3 % 2) % 3, (turn + 2 - turn / 3 % 2) % 3};
        const int count = 3 + turn % 3;
        unsigned long long scheme[3 * 64] = {0};
        unsigned b[5], c[5], sum = 0, before[16] = {0}, after[16] = {0};
        walker_full_64 walker = {.column = column};
        for (int k = 0; k < count; k++) {
            b[k] = k + 1 < count ? 1u << k | (unsigned)base_random_below(&numbers, 256) << 8 : sum;
            c[k] = 1u + (unsigned)base_random_below(&numbers, 1 << 16);
            sum ^= k < 2 || base_random_below(&numbers, 2) ? b[k] : 0;
            scheme[at[0] * 64 + 7 * k] = 0x80000001;
            scheme[at[1] * 64 + 7 * k] = b[k];
            scheme[at[2] * 64 + 7 * k] = c[k];
            for (int bit = 0; bit < 16; bit++)
                before[bit] ^= b[k] >> bit & 1 ? c[k] : 0;
        }
        load_full_64(&walker, 64, scheme, 1);
        const bool dropped = reduce_full_64(&walker);
        for (int row = 0; row < 64; row++)
            for (int bit = 0; bit < 16; bit++)
                if (get_full_64(column, at[1], row) >> bit & 1)
                    after[bit] ^= get_full_64(column, at[2], row);
        wrong += !dropped || rank_full_64(&walker) > count - 1 || memcmp(before, after, sizeof before) != 0;
    }
    tap_ok(wrong == 0, "dependent second factors: a term less, the same sum");
}

/* Two factors with the same mark that are not each other's reversal have no flip; a factor and its reversal
 * have. */
static void check_marks(void) {
    const unsigned long long b[2] = {1, 1ull << 20}, c[2] = {1ull << 7, 1ull << 34};
    unsigned long long *with_mark = calloc(1 << 16, sizeof *with_mark), x = 0, y = 0;
    walker_reversed_marked_32 walker = {.column = column, .unused = 64 - 36, .random = 3};
    base_random numbers;
    base_random_init(&numbers, 5, 0);
    while (y == 0) {
        const unsigned long long v = base_random_bits(&numbers) >> 28;
        const unsigned long long reversal = reverse_reversed_marked_32(&walker, v);
        const unsigned mark = mark_reversed_marked_32(v, reversal);
        if (with_mark[mark] != 0 && with_mark[mark] != v && with_mark[mark] != reversal) {
            x = with_mark[mark];
            y = v;
        }
        with_mark[mark] = v;
    }
    free(with_mark);
    for (int turn = 0; turn < 2; turn++) {
        const unsigned long long second = turn == 0 ? y : reverse_reversed_marked_32(&walker, x);
        unsigned long long scheme[3 * 32] = {x, second};
        unsigned found[1][1], same[3][1];
        for (int r = 0; r < 2; r++) {
            scheme[32 + r] = b[r];
            scheme[64 + r] = c[r];
        }
        load_reversed_marked_32(&walker, 32, scheme, 1);
        partners_reversed_marked_32(&walker, 0, 0, x, same);
        find_reversed_marked_32(&walker, 0, x, reverse_reversed_marked_32(&walker, x), found[0]);
        walker.flips = 0;
        for (int step = 0; step < 100; step++)
            step_reversed_marked_32(&walker);
        if (turn == 0)
            tap_ok(same[0][0] == 2 && found[0][0] == 1 && walker.flips == 0 &&
                       get_reversed_marked_32(column, 0, 1) == y &&
                       get_reversed_marked_32(column, 1, 1) == b[1],
                   "%llx and %llx have the same mark, and no flip", x, y);
        else
            tap_ok(same[0][0] == 2 && found[0][0] == 3 && walker.flips > 0, "a factor and its reversal have");
    }
}

/* An island whose budget is spent steps back by two ranks, or one more where none is saved there; the third
 * time in which it came no lower it begins anew. */
static void check_steps_back(void) {
    enum { START = 12, LOWEST = 4 };
    const flip_gpu_rules rules = {.rows = 1,
                                  .start = START,
                                  .lowest = LOWEST,
                                  .most = START,
                                  .step_back = 2,
                                  .most_steps = 2,
                                  .budget = {5, 5},
                                  .walk = 1000,
                                  .sink_rank = LOWEST,
                                  .sink_back = 3,
                                  .sink_budget = 2};
    unsigned long long saved[3 * (START - LOWEST + 1)];
    flip_gpu_island island = {.rank = 0};
    for (int rank = LOWEST; rank <= START; rank++)
        for (int k = 0; k < 3; k++)
            saved[3 * (START - rank) + k] = rank != 8;
    flip_gpu_set_rank(&island, 6);
    int rank[5], steps = 0;
    for (int turn = 0; turn < 5; turn++) {
        if (turn == 3) /* lower than ever */
            flip_gpu_set_rank(&island, 5);
        island.spent = 4;
        steps += flip_gpu_go_back(&rules, &island, 3, saved);
        island.spent = 5;
        steps += flip_gpu_go_back(&rules, &island, 4, saved);
        rank[turn] = island.rank;
        flip_gpu_set_rank(&island, turn < 3 ? 6 : 5);
    }
    flip_gpu_set_rank(&island, LOWEST);
    island.spent = 2;
    tap_ok(flip_gpu_go_back(&rules, &island, 1, saved) && island.rank == LOWEST + 3 && island.steps == 0,
           "by three ranks out of a sink");
    tap_ok(steps == 5 && rank[0] == 9 && rank[1] == 9 && rank[2] == START && rank[3] == 7 && rank[4] == 7,
           "back to 9, 9, the start, and from a lower rank to 7, 7: %d, %d, %d, %d, %d", rank[0], rank[1],
           rank[2], rank[3], rank[4]);
    flip_gpu_rules held = rules;
    held.hold = 1;
    flip_gpu_set_rank(&island, 6);
    island.spent = 2000;
    tap_ok(!flip_gpu_go_back(&held, &island, 0, saved) && island.rank == 6 && island.spent == 2000,
           "one that is to stay at its rank stays, and so do its walkers");
}

int main(void) {
    check_sets();
    check_steps_back();
    check_reduction();
    check_marks();
    return tap_done();
}
