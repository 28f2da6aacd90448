/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers: the published answers of Philox4x32-10, and ranges. */
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <string.h>

/* From the known-answer tests of Random123 (Salmon et al.). Counter and key are little-endian words. */
static void test_known_answers(void) {
    static const struct {
        uint64_t counter, stream, seed;
        uint32_t block[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x85a308d3243f6a88,
         0x0370734413198a2e,
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t block[4];
        base_random_block(known[i].seed, known[i].stream, known[i].counter, block);
        tap_ok(memcmp(block, known[i].block, sizeof block) == 0, "published block %d", i);
    }
}

static void test_ranges(void) {
    base_random random;
    base_random_init(&random, 7, 3);
    bool inside = true;
    double sum = 0;
    int counts[6] = {0};
    enum { DRAWS = 60000 };
    for (int i = 0; i < DRAWS; i++) {
        double uniform = base_random_uniform(&random);
        uint64_t die = base_random_below(&random, 6);
        inside = inside && uniform >= 0 && uniform < 1 && die < 6;
        sum += uniform;
        if (die < 6)
            counts[die]++;
    }
    tap_ok(inside, "draws stay in their range");
    tap_ok(sum / DRAWS > 0.49 && sum / DRAWS < 0.51, "the mean of uniform draws is near 1/2");
    for (int face = 0; face < 6; face++)
        tap_ok(counts[face] > DRAWS / 6 - 500 && counts[face] < DRAWS / 6 + 500,
               "face %d comes up a sixth of the time", face);
    tap_ok(base_random_below(&random, 1) == 0, "a bound of 1 leaves 0");
}

int main(void) {
    test_known_answers();
    test_ranges();
    return tap_done();
}
