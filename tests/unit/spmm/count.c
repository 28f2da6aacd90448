/* SPDX-License-Identifier: BSD-3-Clause */
/* What families count of a product in common: numbers worked out by hand. */
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "tests/support/h200.h"
#include "tests/support/tap.h"

#include <math.h>

static bool is_near(double x, double wanted) {
    return fabs(x - wanted) <= 1e-9 * fabs(wanted);
}

/* Of 1000 entries 800, 640, 500, 400 and 300 have columns that windows of 8 to 128 rows do not share. */
static void check_together(void) {
    const spmm_problem problem = {.a = {.nnz = 1000}, .profile = {.vectors = {800, 640, 500, 400, 300}}};
    static const struct {
        double rows, columns;
    } line[] = {{1, 1000}, {8, 800}, {16, 640}, {128, 300}, {500, 300}};
    int wrong = 0;
    for (size_t k = 0; k < sizeof line / sizeof *line; k++)
        wrong += !is_near(spmm_count_together(&problem, line[k].rows), line[k].columns);
    wrong += !is_near(spmm_count_together(&problem, sqrt(8 * 16)), 720);
    tap_ok(wrong == 0, "columns of rows side by side (%d wrong)", wrong);
}

/* Rows of 100 entries, the longest 115; the longest of four normal numbers is 1.03 on average. */
static void check_longest(void) {
    spmm_problem problem = {.a = {.nrow = 10, .nnz = 1000}, .profile = {.rows_used = 10, .longest_row = 115}};
    tap_ok(is_near(spmm_count_longest(&problem, 1, INFINITY), 100) &&
               is_near(spmm_count_longest(&problem, 4, INFINITY), 110.3) &&
               is_near(spmm_count_longest(&problem, 1024, INFINITY), 115),
           "the longest of 1, 4 and 1024 even rows");
    tap_ok(is_near(spmm_count_longest(&problem, 4, 64), 64), "... which are cut");
    problem.profile.longest_row = 900;
    tap_ok(is_near(spmm_count_longest(&problem, 4, INFINITY), 900), "the longest of uneven rows");
}

/* 128 columns of floats are four tiles of 8 lanes; those of 15625 rows of B have 2 MB each. */
static void check_spread(void) {
    const spmm_problem problem = {.precision = SPMM_FP32, .n = 128, .profile = {.columns_used = 15625}};
    spmm_device_variant variant = {.code = &spmm_code_rows, .lanes = 8, .tiles_first = true};
    tap_ok(is_near(spmm_count_spread(&problem, &variant, INFINITY), 1) &&
               is_near(spmm_count_spread(&problem, &variant, 4), 1),
           "a tile at a time");
    tap_ok(is_near(spmm_count_spread(&problem, &variant, 2), 1.13), "two at a time");
    const double together = spmm_count_spread(&problem, &variant, 0.5);
    variant.tiles_first = false;
    tap_ok(is_near(together, 1.26) && is_near(spmm_count_spread(&problem, &variant, INFINITY), 1.26),
           "all four: in one round, and side by side");
}

/* A of 10^6 floats in 10^5 rows has 8.8 MB, which three of four tiles read again. */
static void check_rereads(void) {
    spmm_problem problem = {.precision = SPMM_FP32,
                            .n = 128,
                            .a = {.nrow = 100000, .ncol = 100000, .nnz = 1000000},
                            .profile = {.columns_used = 100000}};
    spmm_device_variant variant = {.code = &spmm_code_rows, .lanes = 8, .tiles_first = true};
    double count[SPMM_TERMS] = {0};
    spmm_count_rereads(&h200, &problem, &variant, count);
    /* With 25.6 MB of B and C there are 34.4; 0.6 of 60 MiB stay in the cache. */
    tap_ok(is_near(count[SPMM_TERM_WARM], 3 * 8.8e6) && count[SPMM_TERM_COLD] == 0,
           "A again, from the cache");
    problem.a.nnz = 10000000;
    count[SPMM_TERM_WARM] = 0;
    spmm_count_rereads(&h200, &problem, &variant, count);
    const double once = 80.8e6 + 25.6e6, kept = 0.6 * (60 << 20) / once;
    tap_ok(is_near(count[SPMM_TERM_WARM], 3 * 80.8e6 * kept) &&
               is_near(count[SPMM_TERM_COLD], 3 * 80.8e6 * (1 - kept)),
           "A of 80.8 MB again, most of it from memory");
    variant.tiles_first = false;
    count[SPMM_TERM_WARM] = count[SPMM_TERM_COLD] = 0;
    spmm_count_rereads(&h200, &problem, &variant, count);
    tap_ok(count[SPMM_TERM_WARM] == 0 && count[SPMM_TERM_COLD] == 0, "side by side: once");
}

/* A grid of 64 x 64 x 64 points wants two planes of B at a time. */
static void check_fits(void) {
    spmm_problem problem = {
        .precision = SPMM_FP64,
        .narrow_c = true,
        .n = 256,
        .a = {.nrow = 262144, .ncol = 262144, .nnz = 1810432},
        .profile = {.rows_used = 262144, .longest_row = 7, .columns_used = 262144, .span = 8193}};
    tap_ok(spmm_count_fits(&h200, &problem), "256 columns of doubles, 34 MB of B and C, fit");
    problem.n = 512;
    tap_ok(!spmm_count_fits(&h200, &problem), "512 do not");
    problem.n = 16;
    problem.profile.longest_row = 1000;
    tap_ok(!spmm_count_fits(&h200, &problem), "uneven rows are taken not to");
}

/* Rows of 10 entries in 10000 columns: by chance 128 of them have 10000 (1 - exp(-0.128)) distinct ones. */
static void check_kinds(void) {
    spmm_problem problem = {.a = {.nrow = 12800, .ncol = 10000, .nnz = 128000},
                            .profile = {.rows_used = 12800, .longest_row = 20}};
    const double by_chance = 100 * 10000 * (1 - exp(-0.128)); /* of 100 windows */
    double *highest = &problem.profile.vectors[SPMM_HEIGHTS - 1];
    *highest = by_chance;
    tap_ok(spmm_count_kind(&problem, NULL) == SPMM_ROWS_UNIFORM, "columns by chance: uniform");
    *highest = 0.5 * by_chance;
    tap_ok(spmm_count_kind(&problem, NULL) == SPMM_ROWS_EVEN, "half of them: even");
    problem.profile.longest_row = 100;
    tap_ok(spmm_count_kind(&problem, NULL) == SPMM_ROWS_UNEVEN, "a row ten times as long: uneven");
}

int main(void) {
    check_together();
    check_longest();
    check_spread();
    check_rereads();
    check_fits();
    check_kinds();
    return tap_done();
}
