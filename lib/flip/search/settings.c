/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/settings.h"
#include "flip/scheme/known.h"

#include <stddef.h>
#include <string.h>

/* 4x4x4, to rank 47. Islands that come to 49, Strassen's square, stay there: of 4,837 that did, 3 left it
 * downwards. Those that come to 50 leave it for 47 in time. So budgets are large, and 49 is a sink: in 1.5e11
 * flips of 2,112 islands on an H200, 45 of them came to 47 with budgets of 1e7 flips and no sink, 102 with
 * budgets of 1e8, 106 with both, 20 with budgets of 1e7 and pluses of up to three ranks. On two cores it
 * takes 4e8 to 1.5e9 flips (12 of 12 searches); it took more than 2e9 with small budgets and no sink (6 of
 * 10). Of pluses after 300 steps at low ranks, 1000, 3000 and 10000, the first do best.
 * On the H200, where many islands have to come down at once, the way there counts: with pluses after 1000
 * steps above the low ranks 16 of 16 searches took at most 1.2 s, 0.63 s in the middle, with 500 2.3 s
 * and 1.2 s, with 3000 3.1 s and 1.0 s. Fewer islands than fill the device are 5 % slower in all, but each
 * gets down sooner: 0.46 s in the middle of 62 searches with 1,584, 0.53 s of 64 with 2,112, 0.47 s of 32
 * with 1,056.
 *
 * 3x4x5, to rank 47 from 3x4x4: islands that come to 48 mostly stay there, those that do not are at 47 soon.
 *
 * Other formats have the defaults of search.c, with which schemes for 4x4x4 of rank 47, extended, come to
 * rank 60 for 4x4x5 in 1e10 flips on an H200 (of 2,112 islands 13 in 4.5e10; 6 with pluses after 300 steps, 2
 * with pluses after 50000 of up to four ranks), a published one of rank 60 to 73 for 4x5x5 in 5e10, and some
 * of rank 75 for 4x5x5 to 97 for 5x5x5 in 2e10. */
static const flip_settings known[] = {
    {{3, 4, 5}, .plus_after = 10000, .plus_limit = 2, .sink_rank = 48},
    {{4, 4, 4}, 3000, 300, 2, 2000000, 100000000, 49, 1000, 1584},
};

const flip_settings *flip_find_settings(const int64_t size[3]) {
    static const flip_settings none = {0};
    int64_t sorted[3];
    flip_sort_size(size, sorted);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (memcmp(known[k].size, sorted, sizeof sorted) == 0)
            return &known[k];
    return &none;
}
