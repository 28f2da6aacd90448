/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over multiplicities in doubles: each chunk is within its bound of what exact numbers give. */
#include "base/core/random.h"
#include "perm/multiplicities/double.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static base_context context;
static base_random numbers;

static int64_t below(int64_t bound) {
    return (int64_t)base_random_below(&numbers, (uint64_t)bound);
}

static double draw_number(int kind) {
    switch (kind) {
    case 0: return base_random_uniform(&numbers);
    case 1: return 2 * base_random_uniform(&numbers) - 1;
    case 2: return (double)(below(3) - 1);
    default: return ldexp(2 * base_random_uniform(&numbers) - 1, (int)below(60) - 30);
    }
}

static perm_distinct draw(int kind, bool is_complex, int64_t most) {
    const int64_t nrow = 1 + below(6), ncol = 1 + below(6);
    mm_sparse empty = {.nrow = nrow, .ncol = ncol, .field = MM_PATTERN};
    perm_distinct distinct;
    empty.start = calloc((size_t)ncol + 1, sizeof *empty.start);
    if (perm_distinct_from_sparse(&context, &empty, &distinct) != BASE_OK)
        abort();
    free(empty.start);
    for (int64_t at = 0; at < nrow * ncol; at++)
        perm_value_set_complex(&distinct.entry[at], draw_number(kind), is_complex ? draw_number(kind) : 0);
    for (int64_t i = 0; i < nrow; i++)
        distinct.row_count[i] = 1 + below(most);
    for (int64_t j = 0; j < ncol; j++)
        distinct.column_count[j] = 1 + below(most);
    return distinct;
}

/* Whether a chunk is right, and log2 of how many times larger than its error the bound is. */
static bool is_within(const perm_multiplicities_double *multiplicities, int64_t chunk, int64_t *word,
                      double *slack) {
    perm_multiplicities_partial partial;
    perm_value value, exact, error;
    perm_value_init(&value);
    perm_value_init(&exact);
    perm_value_init(&error);
    bool within = perm_multiplicities_run(&context, &multiplicities->exact, chunk, 1, word) == BASE_OK &&
                  perm_multiplicities_double_run(&context, multiplicities, chunk, &partial) == BASE_OK;
    perm_multiplicities_double_chunk(multiplicities, &partial, &value, &error);
    perm_multiplicities_chunk(&multiplicities->exact, word, &exact);
    mpz_neg(exact.re, exact.re);
    mpz_neg(exact.im, exact.im);
    perm_value_add(&value, &exact);
    const perm_bound off = perm_bound_of(&value), bound = perm_bound_of(&error);
    within = within && perm_bound_at_most(off, bound);
    *slack = off.mantissa == 0 ? INFINITY : perm_bound_log2(bound) - perm_bound_log2(off);
    perm_value_free(&value);
    perm_value_free(&exact);
    perm_value_free(&error);
    return within;
}

static void test_bounds(const char *name, int kind, bool is_complex, int64_t most, int trials) {
    int64_t chunks = 0, wrong = 0;
    double least = INFINITY;
    for (int trial = 0; trial < trials; trial++) {
        perm_distinct distinct = draw(kind, is_complex, most);
        perm_multiplicities_double multiplicities;
        if (perm_multiplicities_double_init(&context, &distinct, &multiplicities) != BASE_OK)
            abort();
        int64_t *word = malloc((size_t)multiplicities.exact.word_count * sizeof *word);
        for (int64_t chunk = 0; chunk < multiplicities.exact.chunk_count && chunk < 3; chunk++, chunks++) {
            double slack;
            wrong += !is_within(&multiplicities, chunk, word, &slack);
            least = fmin(least, slack);
        }
        free(word);
        perm_multiplicities_double_free(&multiplicities);
        perm_distinct_free(&distinct);
    }
    tap_ok(wrong == 0, "%s: %" PRId64 " chunks within their bounds, by %.3g times at least", name, chunks,
           exp2(least));
}

static void test_limit(void) {
    perm_distinct distinct = draw(0, false, 1);
    perm_multiplicities_double multiplicities;
    distinct.row_count[0] = PERM_MULTIPLICITIES_DOUBLE_LARGEST + 1;
    tap_ok(perm_multiplicities_double_init(&context, &distinct, &multiplicities) == BASE_FAILED, "%s",
           context.error.cause);
    perm_distinct_free(&distinct);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    test_bounds("uniform [0, 1)", 0, false, 4, 600);
    test_bounds("uniform (-1, 1)", 1, false, 4, 600);
    test_bounds("uniform (-1, 1), complex", 1, true, 4, 600);
    test_bounds("0 and plus or minus 1", 2, false, 4, 400);
    test_bounds("Gaussian", 2, true, 3, 400);
    test_bounds("numbers of many sizes", 3, false, 5, 400);
    test_bounds("numbers of many sizes, complex", 3, true, 5, 400);
    test_bounds("many copies", 1, false, 60, 40);
    test_bounds("many copies, complex", 1, true, 30, 40);
    test_limit();
    return tap_done();
}
