/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents by frontier dynamic programming against sequences from outside and against expansion by minors.
 */
#include "tests/support/frontier_matrix.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(base_context *context, const square *a, const char *want, const char *what) {
    perm_value value;
    char *got;
    perm_value_init(&value);
    permanent(context, a, PERM_EXACT, &value);
    perm_value_print(context, &value, MM_INTEGER, &got);
    tap_ok(strcmp(got, want) == 0, "%s: %s, got %s", what, want, got);
    free(got);
    /* Doubles must hold the answer within their bound. */
    perm_value exact, error;
    perm_value_init(&exact);
    perm_value_init(&error);
    perm_value_copy(&exact, &value);
    for (perm_arithmetic arithmetic = PERM_DOUBLE; arithmetic <= PERM_QUAD; arithmetic++) {
        permanent(context, a, arithmetic, &value);
        perm_value_set_integer(&error, -1);
        perm_value_multiply(&error, &exact);
        perm_value_add(&error, &value);
        perm_bound stated = value.error;
        error.error = (perm_bound){0, 0};
        tap_ok(perm_bound_at_most(perm_bound_of(&error), stated) &&
                   perm_bound_log2(stated) - perm_value_log2(&exact) < (arithmetic == PERM_QUAD ? -95 : -35),
               "%s: arithmetic %d within its bound", what, (int)arithmetic);
    }
    perm_value_free(&value);
    perm_value_free(&exact);
    perm_value_free(&error);
}

static void tridiagonal(base_context *context, int64_t n, const char *fibonacci) {
    char what[60];
    clear(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
            a.re[i][j] = 1;
    snprintf(what, sizeof what, "tridiagonal of order %lld (A000045)", (long long)n);
    check(context, &a, fibonacci, what);
}

static void filled(base_context *context, int64_t n, double with, int without, const char *want,
                   const char *what) {
    clear(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            a.re[i][j] = with;
    /* without: 1 the diagonal, 2 the cyclic superdiagonal too */
    for (int64_t i = 0; i < n; i++) {
        if (without > 0)
            a.re[i][i] = 0;
        if (without > 1)
            a.re[i][(i + 1) % n] = 0;
    }
    check(context, &a, want, what);
}

/* I + P + P^2 with P the cyclic shift: L(n) + 2 (A000032 counts the rest of the ways round the circle; n ≥
 * 3). */
static void circulant(base_context *context, int64_t n, const char *want) {
    char what[60];
    clear(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < 3; k++)
            a.re[i][(i + k) % n] = 1;
    snprintf(what, sizeof what, "I + P + P^2 of order %lld (Lucas number + 2)", (long long)n);
    check(context, &a, want, what);
}

/* Ones in the first row, the first column and on the diagonal: n. Taken in the matrix's order, all columns
 * are open at once. */
static void test_wide(base_context *context) {
    for (perm_arithmetic arithmetic = PERM_EXACT; arithmetic <= PERM_QUAD; arithmetic++) {
        perm_matrix matrix;
        perm_schedule schedule;
        perm_frontier_stats stats;
        perm_value value;
        int64_t order[LARGEST];
        char *text;
        clear(LARGEST);
        for (int64_t i = 0; i < a.n; i++) {
            a.re[0][i] = a.re[i][0] = a.re[i][i] = 1;
            order[i] = i;
        }
        perm_value_init(&value);
        make(context, &a, &matrix);
        perm_schedule_make(context, &matrix, order, arithmetic == PERM_DOUBLE, &schedule);
        base_status status = perm_frontier_run(context, &matrix, &schedule, arithmetic, NULL, &value, &stats);
        perm_value_print(context, &value, MM_REAL, &text);
        tap_ok(schedule.width == LARGEST && status == BASE_OK && strcmp(text, "100") == 0,
               "100 columns open: the arrow matrix has the permanent 100, got %s", text);
        free(text);
        perm_value_free(&value);
        perm_schedule_free(&schedule);
        perm_matrix_free(&matrix);
    }
}

static bool is_permutation(const int64_t *order, int64_t n) {
    bool seen[LARGEST] = {false};
    for (int64_t k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || seen[order[k]])
            return false;
        seen[order[k]] = true;
    }
    return true;
}

/* Orders are permutations, whatever the limit of steps; the same seed gives the same order. */
static void test_orders(base_context *context, base_random *random) {
    int wrong = 0, differ = 0;
    for (int round = 0; round < 60; round++) {
        perm_matrix matrix;
        order_frontier order[2];
        order_frontier_options options = {(uint64_t)round, 1 + round % 5, round % 3 ? 50000 : round};
        fill_random(random, 1 + (int64_t)base_random_below(random, 40), 0.1, false);
        make(context, &a, &matrix);
        mm_sparse pattern = perm_matrix_pattern(&matrix);
        for (int k = 0; k < 2; k++) {
            if (order_frontier_search(context, &pattern, MM_BY_ROWS, &options, &order[k]) != BASE_OK)
                wrong++;
            wrong += !is_permutation(order[k].row, a.n) || !is_permutation(order[k].col, a.n);
        }
        size_t bytes = (size_t)a.n * sizeof(int64_t);
        differ +=
            memcmp(order[0].row, order[1].row, bytes) != 0 || memcmp(order[0].col, order[1].col, bytes) != 0;
        order_frontier_free(&order[0]);
        order_frontier_free(&order[1]);
        perm_matrix_free(&matrix);
    }
    tap_ok(wrong == 0, "60 orders are permutations, %d are not", wrong);
    tap_ok(differ == 0, "the same seed gives the same order");
}

/* The bits of a result do not depend on the number of threads. */
static void test_threads(base_context *context, base_random *random) {
    int differ = 0;
    double most = 0;
    for (int round = 0; round < 6; round++) {
        perm_matrix matrix;
        perm_schedule schedule;
        order_frontier order;
        perm_frontier_stats stats[2];
        perm_value value[2];
        order_frontier_options options = {1, 1, 20000};
        fill_random(random, 24, 0.25, round % 2);
        make(context, &a, &matrix);
        mm_sparse pattern = perm_matrix_pattern(&matrix);
        order_frontier_search(context, &pattern, MM_BY_ROWS, &options, &order);
        perm_schedule_make(context, &matrix, order.by_columns ? order.col : order.row, order.by_columns,
                           &schedule);
        for (int k = 0; k < 2; k++) {
            context->threads = k == 0 ? 1 : 4;
            perm_value_init(&value[k]);
            if (perm_frontier_run(context, &matrix, &schedule, round < 4 ? PERM_DOUBLE : PERM_EXACT, NULL,
                                  &value[k], &stats[k]) != BASE_OK)
                differ++;
        }
        most = stats[0].transitions > most ? stats[0].transitions : most;
        differ += mpz_cmp(value[0].re, value[1].re) != 0 || value[0].exponent != value[1].exponent ||
                  stats[0].transitions != stats[1].transitions || stats[0].states != stats[1].states;
        perm_value_free(&value[0]);
        perm_value_free(&value[1]);
        order_frontier_free(&order);
        perm_schedule_free(&schedule);
        perm_matrix_free(&matrix);
    }
    context->threads = 1;
    tap_ok(differ == 0 && most > 1e6, "one thread and four: the same bits (%.3g transitions)", most);
}

/* A symmetric pattern without a diagonal reaches few of the sets that its numbers of open columns allow. */
static void make_symmetric(void) {
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j <= i; j++)
            a.re[j][i] = i == j ? 0 : a.re[i][j];
}

static int compare_sets(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The sets without those of the columns that close, and how many of them differ. */
static int64_t close_columns(const perm_schedule *schedule, int64_t step, uint64_t *set, int64_t count) {
    int64_t kept = 0, different = 0;
    for (int64_t k = 0; k < count; k++) {
        bool good = true;
        for (int64_t c = schedule->close_start[step]; c < schedule->close_start[step + 1]; c++) {
            const uint64_t below = (UINT64_C(1) << schedule->close[c]) - 1;
            good = good && set[k] >> schedule->close[c] & 1;
            set[k] = (set[k] >> 1 & ~below) | (set[k] & below);
        }
        if (good)
            set[kept++] = set[k];
    }
    qsort(set, (size_t)kept, sizeof *set, compare_sets);
    for (int64_t k = 0; k < kept; k++)
        if (k == 0 || set[k] != set[different - 1])
            set[different++] = set[k];
    return different;
}

/* With more states, these take long to count one by one. */
enum { MOST_COUNTED = 50000 };

/* Visits and groups of states as they are, one set of columns after another. */
static void count_all(const perm_schedule *schedule, order_frontier_cost *counted) {
    int64_t states = 1;
    uint64_t *set = calloc(1, sizeof *set);
    *counted = (order_frontier_cost){.groups = 1};
    for (int64_t k = 0; k < schedule->n; k++) {
        const int64_t first = schedule->entry_start[k], last = schedule->entry_start[k + 1];
        uint64_t *next = malloc((size_t)(states * (last - first) + 1) * sizeof *next);
        int64_t count = 0;
        for (int64_t i = 0; i < states; i++)
            for (int64_t e = first; e < last; e++)
                if (!(set[i] >> schedule->bit[e] & 1))
                    next[count++] = set[i] | UINT64_C(1) << schedule->bit[e];
        counted->visits += (double)(states * (last - first));
        states = close_columns(schedule, k, next, count);
        free(set);
        set = next;
        for (int64_t i = 0; i < states; i++)
            counted->groups += i == 0 || set[i] >> 6 != set[i - 1] >> 6;
    }
    free(set);
}

static void expect(base_context *context, order_frontier_cost *expected, perm_frontier_stats *stats,
                   order_frontier_cost *counted) {
    perm_matrix matrix;
    perm_schedule schedule;
    order_frontier order;
    order_frontier_options options = {1, 1, 20000};
    make(context, &a, &matrix);
    mm_sparse pattern = perm_matrix_pattern(&matrix);
    if (order_frontier_search(context, &pattern, MM_BY_ROWS, &options, &order) != BASE_OK)
        abort();
    const int64_t *processed = order.by_columns ? order.col : order.row;
    if (perm_schedule_make(context, &matrix, processed, order.by_columns, &schedule) != BASE_OK ||
        perm_schedule_expect(context, &matrix, processed, order.by_columns, &schedule) != BASE_OK ||
        perm_frontier_run(context, &matrix, &schedule, PERM_COUNT, NULL, NULL, stats) != BASE_OK)
        abort();
    *expected = schedule.expected;
    *counted = (order_frontier_cost){.groups = 0};
    if (stats->states < MOST_COUNTED)
        count_all(&schedule, counted);
    if (expected->states > schedule.bound.states || expected->transitions > schedule.bound.transitions ||
        counted->visits > schedule.bound.visits || counted->groups > schedule.bound.groups)
        tap_ok(false, "no more is expected than can be");
    order_frontier_free(&order);
    perm_schedule_free(&schedule);
    perm_matrix_free(&matrix);
}

static double factor_between(double x, double y) {
    return x > y ? x / y : y / x;
}

/* What is expected beside what is counted. */
static void test_expectation(base_context *context, base_random *random) {
    double worst = 1, worst_visits = 1, worst_groups = 1, worst_peak = 1, most = 0;
    int rounds = 0;
    order_frontier_cost expected, counted;
    perm_frontier_stats stats;
    for (int round = 0; round < 40; round++) {
        fill_random(random, 16 + (int64_t)base_random_below(random, 16), 0.1 + 0.02 * (round % 8), false);
        if (round % 2)
            make_symmetric();
        expect(context, &expected, &stats, &counted);
        if (stats.states < 1000)
            continue;
        most = stats.states > most ? stats.states : most;
        worst = fmax(worst, factor_between(expected.states, stats.states));
        worst = fmax(worst, factor_between(expected.transitions, stats.transitions));
        if (stats.states < MOST_COUNTED) {
            worst_visits = fmax(worst_visits, factor_between(expected.visits, counted.visits));
            worst_groups = fmax(worst_groups, factor_between(expected.groups, counted.groups));
            rounds++;
        }
        worst_peak = fmax(worst_peak, stats.peak_states / (2 * expected.peak_states));
    }
    tap_ok(worst < 1.5 && most > 1e5, "states and transitions as expected, but for a factor %.2f", worst);
    tap_ok(worst_visits < 1.5, "... pairs of a state and an entry of the next row, for %.2f", worst_visits);
    tap_ok(worst_groups < 2 && rounds > 10, "... groups of states, for %.2f", worst_groups);
    tap_ok(worst_peak < 1.1, "two layers are at most %.2f times as large as expected", worst_peak);
    clear(20); /* two rows with the same one entry: no states in the end */
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j < a.n; j++)
            a.re[i][j] = i < 2 ? j == 0 : 1;
    expect(context, &expected, &stats, &counted);
    tap_ok(expected.transitions <= 64 * 20, "no perfect matching: %.3g transitions", expected.transitions);
    clear(0);
    expect(context, &expected, &stats, &counted);
    tap_ok(expected.transitions == 0, "no rows");
}

int main(void) {
    base_context context;
    base_random random;
    base_context_init(&context);
    base_random_init(&random, 5, 0);
    tap_note("seed 5");
    tridiagonal(&context, 1, "1");
    tridiagonal(&context, 2, "2");
    tridiagonal(&context, 30, "1346269");
    tridiagonal(&context, 90, "4660046610375530309");
    filled(&context, 0, 1, 0, "1", "0x0");
    filled(&context, 12, 1, 0, "479001600", "12!");
    filled(&context, 14, 3, 0, "416971064282572800", "14! 3^14");
    filled(&context, 12, -7, 0, "6629998715338521600", "12! 7^12");
    filled(&context, 13, 1, 1, "2290792932", "derangements of 13 (A000166)");
    filled(&context, 11, 1, 2, "4890741", "menage number of 11 (A000179)");
    circulant(&context, 5, "13");
    circulant(&context, 20, "15129");
    circulant(&context, 60, "3461452808004");
    test_wide(&context);
    test_orders(&context, &random);
    test_threads(&context, &random);
    test_expectation(&context, &random);
    return tap_done();
}
