/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents of random matrices by every method, in every arithmetic, against exact ones by FLINT. In the
 * environment: ORACLE=N draws N matrices instead of 2000, from a seed of the clock; ORACLE_SEED=N is the
 * seed, to repeat a run; ORACLE_DRAW=K computes draw number K alone, by the library. */
#include "tests/oracle/run.h"
#include "tests/support/tap.h"
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
    DRAWS = 2000,
    SHOWN = 20,
    PROGRAM_SHARE = 4,   /* one in so many draws goes through programs, too, … */
    PROGRAM_MOST = 20000 /* … but only so many */
};

const char *oracle_name(int64_t k, char name[24]) {
    snprintf(name, 24, "draw-%" PRId64, k);
    return name;
}

void oracle_tell(const oracle_matrix *matrix, const char *name, const char *how, const char *wrong,
                 const char *result) {
    static int shown;
    if (shown++ >= SHOWN)
        return;
    tap_note("%s (%s, %s), %s: %s", name, matrix->structure, matrix->numbers, how, wrong);
    tap_note("result: %s", result);
    oracle_write(stdout, matrix, name, "#   ");
}

/* The reference itself: the permanent of n x n ones is n!. */
static void check_reference(void) {
    static oracle_matrix ones;
    char text[32];
    long long factorial = 1;
    oracle_number *permanent = oracle_number_new();
    ones = (oracle_matrix){.field = MM_PATTERN};
    for (int n = 0; n <= 12; n++) {
        factorial *= n > 0 ? n : 1;
        ones.nrow = ones.ncol = n;
        ones.count = n * n;
        for (int k = 0; k < n; k++)
            ones.row_count[k] = ones.col_count[k] = 1;
        for (int k = 0; k < n * n; k++)
            ones.entry[k] = (oracle_entry){.row = k / n, .col = k % n};
        oracle_permanent(&ones, false, permanent);
        snprintf(text, sizeof text, "%lld", factorial);
        tap_ok(oracle_check_text(permanent, text, "0", "0", PERM_DIGITS_ALL) == NULL,
               "the reference gives %d! = %s", n, text);
        snprintf(text, sizeof text, "%lld", factorial + 1);
        tap_ok(oracle_check_text(permanent, text, "0", "0", PERM_DIGITS_ALL) != NULL,
               "... and no other number");
    }
    oracle_number_free(permanent);
}

int main(void) {
    base_context context;
    const char *count_text = getenv("ORACLE"), *seed_text = getenv("ORACLE_SEED");
    const int64_t count = count_text ? strtoll(count_text, NULL, 10) : DRAWS;
    const uint64_t seed = seed_text    ? strtoull(seed_text, NULL, 10)
                          : count_text ? (uint64_t)time(NULL)
                                       : 20261122;
    base_context_init(&context);
    tap_note("ORACLE=%" PRId64 " ORACLE_SEED=%" PRIu64, count, seed);
    check_reference();
    const char *one = getenv("ORACLE_DRAW");
    const int64_t first = one ? strtoll(one, NULL, 10) : 0,
                  share = (count + PROGRAM_SHARE - 1) / PROGRAM_SHARE;
    oracle_run_library(&context, seed, first, one ? first + 1 : count);
    if (!one) {
        oracle_run_minors(&context, seed, share);
        oracle_run_programs(seed, share < PROGRAM_MOST ? share : PROGRAM_MOST);
    }
    return tap_done();
}
