/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels for flip graphs on the CPU: every scheme that a walker holds is right, searches get to
 * known ranks. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "flip/lane_gpu.cu"
#include "flip/warp_gpu.cu"

#include "flip/kernel.h"
#include "flip/scheme/cyclic.h"
#include "flip/scheme/verify.h"
#include "tests/support/flip_standard.h"
#include "tests/support/tap.h"

#include <limits.h>

enum { ROWS = 128, TERMS = 256, ISLANDS = 2, WARPS = 2 };

static base_context context;

/* ---- a device made of the shim ---- */

typedef struct variant {
    const char *name;
    void (*kernel)(flip_gpu_rules, flip_gpu_state);
    int rows, bits;
    flip_symmetry symmetry;
    bool is_warps;
} variant;

/* All that there are, by kernels/flip/lane_variants.h and warp_variants.h. */
#define LANE_ENTRY(name, bits, rows, cyclic, reversed, resident) LANE_ROW(name, bits, rows, cyclic, reversed)
#define LANE_ROW(name, bits, rows, cyclic, reversed)                                                         \
    {#name, flip_gpu_##name, rows, bits, reversed ? FLIP_REVERSED : cyclic ? FLIP_CYCLIC : FLIP_PLAIN, false},
#define WARP_ENTRY(name, factor, slots, resident) WARP_ROW(name, factor, slots)
#define WARP_ROW(name, factor, slots)                                                                        \
    {#name, flip_gpu_##name, 32 * slots, 8 * (int)sizeof(factor), FLIP_PLAIN, true},
static const variant variants[] = {
#define LANE_EACH "flip/lane_entry.h"
#include "flip/lane_variants.h"
#define WARP_EACH "flip/warp_entry.h"
#include "flip/warp_variants.h"
};

static const variant *find_variant(const char *name) {
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        if (strcmp(variants[k].name, name) == 0)
            return &variants[k];
    abort();
}

typedef struct launch {
    const variant *variant;
    flip_gpu_rules rules;
    flip_gpu_state state;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    it->variant->kernel(it->rules, it->state);
}

/* A scheme as a kernel stores it, `stride` words between factors, is right and has that rank; -1: any. */
static bool is_right(const int64_t size[3], flip_symmetry symmetry, const unsigned long long *scheme,
                     int stride, int64_t rank) {
    uint64_t rows[6 * ROWS], masks[18 * ROWS];
    int64_t count = 0, found;
    for (int r = 0; r < ROWS; r++) {
        int zeros = 0;
        for (int k = 0; k < 3; k++) {
            rows[3 * count + k] = scheme[(k * ROWS + r) * stride];
            zeros += rows[3 * count + k] == 0;
        }
        if (zeros != 0 && zeros != 3)
            return false;
        count += zeros == 0;
    }
    if (symmetry == FLIP_REVERSED)
        count = flip_cyclic_double(size[0], count, rows);
    if (symmetry != FLIP_PLAIN)
        found = flip_cyclic_unfold(size, count, rows, masks);
    else
        memcpy(masks, rows, (size_t)(3 * (found = count)) * sizeof *rows);
    return (rank < 0 || found == rank) && flip_verify_masks(size, found, masks);
}

/* The scheme to start from: the standard algorithm, its fixed terms merged in twos for cyclic searches. */
static int64_t make_start(const int64_t size[3], flip_symmetry symmetry, unsigned long long *stored) {
    uint64_t masks[3 * TERMS], merged_masks[6 * TERMS], rows[6 * TERMS];
    int64_t rank = make_standard(size, masks), count = rank;
    memcpy(rows, masks, sizeof masks);
    if (symmetry != FLIP_PLAIN) {
        flip_scheme standard = {0}, merged = {0};
        if (flip_scheme_from_masks(&context, size, rank, masks, &standard) == BASE_OK &&
            flip_cyclic_merge(&context, &standard, NULL, 0, &merged) == BASE_OK)
            rank = flip_scheme_get_masks(&merged, merged_masks);
        count = flip_cyclic_fold(size, rank, merged_masks, rows);
        if (symmetry == FLIP_REVERSED && flip_cyclic_pair(size[0], count, rows))
            count = flip_cyclic_halve(size[0], count, rows);
        flip_scheme_free(&standard);
        flip_scheme_free(&merged);
    }
    for (int64_t r = 0; r < count; r++)
        for (int k = 0; k < 3; k++)
            stored[k * ROWS + r] = rows[3 * r + k];
    return rank;
}

/* Draws in a step of those that match; flips of the search before, and whether it has to come to its target.
 */
static int match_rounds = 1;
static long long flips_before;
static bool is_open_ended;

static void check_search(const char *name, const int64_t size[3], int target, int launches, int chunks,
                         int list_rank, const char *what) {
    const variant *variant = find_variant(name);
    const size_t scheme = 3 * ROWS;
    const int walkers = variant->is_warps ? WARPS : FLIP_GPU_LANES; /* of an island */
    unsigned long long *first = calloc(scheme, sizeof *first);
    const int start = (int)make_start(size, variant->symmetry, first);
    const size_t saved = (size_t)(start - target + 1) * scheme;
    launch it = {.variant = variant};
    it.rules = (flip_gpu_rules){.rows = ROWS,
                                .start = start,
                                .bits = (int)(size[0] * size[1]),
                                .lowest = target,
                                .target = target,
                                .low_rank = target + 3,
                                .plus_after = {512, 256},
                                .reduce_after = {256, 128},
                                .plus_limit = 3 * (int)flip_orbit(variant->symmetry),
                                .step_back = variant->symmetry ? 6 : 4,
                                .most_steps = variant->symmetry ? 2 : INT_MAX,
                                .most = variant->symmetry ? start : variant->rows,
                                .chunks = chunks,
                                .list_rank = list_rank,
                                .match_rounds = match_rounds,
                                .budget = {100000, 200000},
                                .walk = 70000,
                                .sink_rank = target + 1,
                                .sink_back = 8,
                                .sink_budget = 300000};
    it.state.islands = calloc(ISLANDS, sizeof *it.state.islands);
    it.state.factors = calloc((size_t)(ISLANDS * walkers) * scheme, sizeof *it.state.factors);
    it.state.random = calloc((size_t)(ISLANDS * walkers), sizeof *it.state.random);
    it.state.since = calloc((size_t)(ISLANDS * walkers), sizeof *it.state.since);
    it.state.saved = calloc(ISLANDS * saved, sizeof *it.state.saved);
    it.state.first = first;
    it.state.first_count = 1;
    for (int w = 0; w < ISLANDS * walkers; w++)
        it.state.random[w] = 1234567 * (unsigned)w + 89;
    bool right = true;
    int best = start;
    long long flips = 0;
    for (int l = 0; l < launches && best > target; l++) {
        shim_launch(thread, &it, (shim_index){ISLANDS, 1, 1},
                    (shim_index){variant->is_warps ? 32 * WARPS : 32, 1, 1},
                    3 * (size_t)(variant->rows * FLIP_GPU_LANE_BYTES(variant->bits)) * 32 + 1024);
        for (int w = 0; w < ISLANDS * walkers; w++)
            right &= is_right(size, variant->symmetry,
                              it.state.factors + (size_t)(w / walkers * walkers) * scheme + w % walkers,
                              walkers, -1);
        flips = 0;
        for (int k = 0; k < ISLANDS; k++) {
            const flip_gpu_island *island = &it.state.islands[k];
            const int place = island->best > target ? island->best : target;
            right &= is_right(size, variant->symmetry,
                              it.state.saved + (size_t)k * saved + (size_t)(start - place) * scheme, 1,
                              island->best);
            best = island->best < best ? island->best : best;
            flips += island->flips;
        }
    }
    tap_ok(right, "%s, %s: the tensor stays in every walker and every saved scheme", variant->name, what);
    flips_before = flips;
    if (!is_open_ended)
        tap_ok(best <= target, "... rank %d after %lld flips", best, flips);
    free(first);
    free(it.state.islands);
    free(it.state.factors);
    free(it.state.random);
    free(it.state.since);
    free(it.state.saved);
}

/* More rounds of a step find more of the pairs that match: at rank 125 those of 32 in 160 rows. */
static void check_rounds(void) {
    is_open_ended = true;
    check_search("long_5", (int64_t[]){5, 5, 5}, 100, 1, 16, 0, "5x5x5 by one round");
    const long long once = flips_before;
    match_rounds = 4;
    check_search("long_5", (int64_t[]){5, 5, 5}, 100, 1, 16, 0, "5x5x5 by four rounds");
    tap_ok(flips_before > 2 * once, "... %lld flips in as many steps, %lld by one", flips_before, once);
    is_open_ended = false;
    check_search("short_2", (int64_t[]){3, 3, 3}, 26, 8, 128, 0, "3x3x3 to 26 by four rounds");
    match_rounds = 1;
}

static void check_cyclic(void) {
    const int64_t size[3] = {4, 4, 4}, three_and_one[2] = {3, 1}, wrong[2] = {2, 1};
    uint64_t masks[9 * 64], rows[9 * 64], back[9 * 64], again[9 * 64];
    flip_scheme standard = {0}, merged = {0};
    const int64_t rank = make_standard(size, masks), count = flip_cyclic_fold(size, rank, masks, rows);
    tap_ok(count == 4 + (64 - 4) / 3, "the standard algorithm has n fixed terms, the others in threes");
    tap_ok(flip_cyclic_unfold(size, count, rows, back) == rank && flip_verify_masks(size, rank, back),
           "... which unfold to it");
    tap_ok(flip_cyclic_fold(size, rank, back, again) == count &&
               memcmp(rows, again, (size_t)(3 * count) * sizeof *rows) == 0,
           "... and fold to the same rows");
    flip_scheme_from_masks(&context, size, rank, masks, &standard);
    tap_ok(flip_cyclic_merge(&context, &standard, three_and_one, 2, &merged) == BASE_OK &&
               flip_scheme_get_masks(&merged, back) == rank + 10 && flip_verify_masks(size, rank + 10, back),
           "fixed terms merge");
    tap_ok(flip_cyclic_merge(&context, &standard, wrong, 2, &merged) == BASE_USAGE, "... all of them");
    masks[0] ^= 2;
    tap_ok(flip_cyclic_fold(size, rank, masks, rows) < 0, "a scheme that is not cyclic");
    tap_ok(flip_cyclic_fold((int64_t[]){2, 2, 3}, 0, masks, rows) < 0, "a format that is not square");
    flip_scheme_free(&standard);
    flip_scheme_free(&merged);
}

int main(void) {
    base_context_init(&context);
    check_cyclic();
    check_search("half_32", (int64_t[]){2, 2, 2}, 7, 4, 32, 0, "2x2x2 to 7");
    check_search("half_32", (int64_t[]){3, 3, 3}, 23, 20, 512, 0, "3x3x3 to 23");
    check_search("half_56", (int64_t[]){3, 4, 4}, 44, 3, 512, 0, "3x4x4 to 44");
    check_search("half_64", (int64_t[]){4, 4, 4}, 62, 3, 512, 0, "4x4x4 to 62");
    check_search("full_64", (int64_t[]){3, 4, 5}, 59, 3, 256, 0, "3x4x5 to 59");
    check_search("full_104", (int64_t[]){4, 5, 5}, 99, 4, 512, 0, "4x5x5 to 99");
    check_search("cyclic_24", (int64_t[]){2, 2, 2}, 7, 8, 128, 0, "2x2x2 to 7");
    check_search("cyclic_24", (int64_t[]){3, 3, 3}, 24, 20, 512, 0, "3x3x3 to 24");
    check_search("cyclic_56", (int64_t[]){5, 5, 5}, 127, 4, 256, 0, "5x5x5 to 127");
    check_search("cyclic_long_88", (int64_t[]){6, 6, 6}, 228, 2, 128, 0, "6x6x6 to 228");
    check_search("cyclic_marked_88", (int64_t[]){6, 6, 6}, 228, 2, 128, 0, "6x6x6 to 228");
    check_search("reversed_marked_32", (int64_t[]){2, 2, 2}, 7, 8, 128, 0, "2x2x2 to 7");
    check_search("reversed_marked_32", (int64_t[]){4, 4, 4}, 52, 20, 256, 0, "4x4x4 to 52");
    check_search("reversed_marked_40", (int64_t[]){6, 6, 6}, 219, 8, 128, 0, "6x6x6 to 219");
    check_search("reversed_marked_48", (int64_t[]){6, 6, 6}, 219, 8, 128, 0, "6x6x6 to 219");
    check_search("reversed_32", (int64_t[]){2, 2, 2}, 7, 8, 128, 0, "2x2x2 to 7");
    check_search("reversed_32", (int64_t[]){4, 4, 4}, 52, 20, 256, 0, "4x4x4 to 52");
    check_search("reversed_48", (int64_t[]){6, 6, 6}, 219, 8, 128, 0, "6x6x6 to 219");
    check_search("short_2", (int64_t[]){2, 2, 2}, 7, 8, 64, 0, "2x2x2 to 7 by matches");
    check_search("short_2", (int64_t[]){2, 2, 2}, 7, 8, 64, 8, "2x2x2 to 7 from the list");
    check_search("short_2", (int64_t[]){3, 3, 3}, 26, 8, 128, 0, "3x3x3 to 26 by matches");
    check_search("long_5", (int64_t[]){2, 2, 3}, 11, 16, 32, 11, "2x2x3 to 11 by both");
    check_rounds();
    return tap_done();
}
