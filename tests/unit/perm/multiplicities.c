/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents with multiplicities and of rectangular matrices: brute force, closed forms, chunks, grouping. */
#include "perm/multiplicities/multiplicities.h"
#include "base/core/random.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 40 };

static base_context context;
static base_random numbers;

static perm_distinct make_lines(int nrow, int ncol) {
    mm_sparse empty = {.nrow = nrow, .ncol = ncol, .field = MM_PATTERN};
    perm_distinct distinct;
    empty.start = calloc((size_t)ncol + 1, sizeof *empty.start);
    if (perm_distinct_from_sparse(&context, &empty, &distinct) != BASE_OK)
        abort();
    free(empty.start);
    return distinct;
}

static int below(int bound) {
    return (int)base_random_below(&numbers, (uint64_t)bound);
}

static void draw(perm_distinct *distinct, bool is_complex, int range) {
    for (int64_t at = 0; at < distinct->nrow * distinct->ncol; at++) {
        perm_value_set_complex(&distinct->entry[at], below(range) - range / 2,
                               is_complex ? below(range) - range / 2 : 0);
        perm_value_scale(&distinct->entry[at], range > 4 ? below(41) - 20 : 0);
    }
}

/* The sum over all ways from row i on, without the columns in `used`; rows and columns one by one. */
static void expand(const perm_distinct *distinct, const int *row, int nrow, const int *column, int ncol,
                   int i, unsigned used, const perm_value *product, perm_value *sum) {
    perm_value next;
    if (i == nrow) {
        perm_value_add(sum, product);
        return;
    }
    for (int j = 0; j < ncol; j++) {
        const perm_value *entry = &distinct->entry[column[j] * distinct->nrow + row[i]];
        if ((used >> j & 1) || perm_value_is_zero(entry))
            continue;
        perm_value_init(&next);
        perm_value_copy(&next, product);
        perm_value_multiply(&next, entry);
        expand(distinct, row, nrow, column, ncol, i + 1, used | 1u << j, &next, sum);
        perm_value_free(&next);
    }
}

static bool are_equal(const perm_value *a, const perm_value *b) {
    perm_value difference;
    perm_value_init(&difference);
    perm_value_set_integer(&difference, -1);
    perm_value_multiply(&difference, a);
    perm_value_add(&difference, b);
    const bool equal = perm_value_is_zero(&difference) && perm_value_is_exact(a) && perm_value_is_exact(b);
    perm_value_free(&difference);
    return equal;
}

static int repeat(const int64_t *count, int64_t length, int *line) {
    int total = 0;
    for (int64_t k = 0; k < length; k++)
        for (int64_t copy = 0; copy < count[k]; copy++)
            line[total++] = (int)k;
    return total;
}

/* The permanent by the definition, more rows than columns by the transpose. */
static void expand_all(const perm_distinct *distinct, perm_value *sum) {
    int row[LARGEST], column[LARGEST];
    const int nrow = repeat(distinct->row_count, distinct->nrow, row);
    const int ncol = repeat(distinct->column_count, distinct->ncol, column);
    perm_value one;
    perm_value_init(&one);
    perm_value_set_integer(&one, 1);
    perm_value_set_integer(sum, 0);
    if (nrow <= ncol) {
        expand(distinct, row, nrow, column, ncol, 0, 0, &one, sum);
    } else {
        perm_distinct turned = make_lines((int)distinct->ncol, (int)distinct->nrow);
        for (int64_t i = 0; i < distinct->nrow; i++)
            for (int64_t j = 0; j < distinct->ncol; j++)
                perm_value_copy(&turned.entry[i * distinct->ncol + j],
                                &distinct->entry[j * distinct->nrow + i]);
        expand(&turned, column, ncol, row, nrow, 0, 0, &one, sum);
        perm_distinct_free(&turned);
    }
    perm_value_free(&one);
}

static void test_expansion(const char *name, bool is_complex, int range, bool rectangular, bool group) {
    enum { CASES = 300 };
    int wrong = 0;
    perm_value expected, value;
    perm_value_init(&expected);
    perm_value_init(&value);
    for (int number = 0; number < CASES; number++) {
        const int total = below(7);
        int rows = total, columns = rectangular ? below(7) : total;
        perm_distinct distinct =
            make_lines(rows > 0 ? 1 + below(rows) : 0, columns > 0 ? 1 + below(columns) : 0);
        draw(&distinct, is_complex, range);
        for (rows -= (int)distinct.nrow; rows > 0; rows--)
            distinct.row_count[below((int)distinct.nrow)]++;
        for (columns -= (int)distinct.ncol; columns > 0; columns--)
            distinct.column_count[below((int)distinct.ncol)]++;
        expand_all(&distinct, &expected);
        if (group)
            perm_distinct_group(&distinct);
        wrong += perm_multiplicities_permanent(&context, &distinct, &value) != BASE_OK ||
                 !are_equal(&value, &expected);
        perm_distinct_free(&distinct);
    }
    tap_ok(wrong == 0, "%s: %d matrices", name, CASES);
    perm_value_free(&expected);
    perm_value_free(&value);
}

static bool permanent_is(const perm_distinct *distinct, mpz_srcptr expected) {
    perm_value value, integer;
    perm_value_init(&value);
    perm_value_init(&integer);
    mpz_set(integer.re, expected);
    const bool right =
        perm_multiplicities_permanent(&context, distinct, &value) == BASE_OK && are_equal(&value, &integer);
    perm_value_free(&value);
    perm_value_free(&integer);
    return right;
}

/* Ones: n! / (n-m)! */
static void test_ones(void) {
    mpz_t expected, rest;
    int wrong = 0, wrong_grouped = 0;
    mpz_inits(expected, rest, NULL);
    for (int m = 1; m <= 12; m++)
        for (int n = m; n <= (m < 4 ? LARGEST : 14); n++) {
            perm_distinct distinct = make_lines(m, n);
            for (int at = 0; at < m * n; at++)
                perm_value_set_integer(&distinct.entry[at], 1);
            mpz_fac_ui(expected, (unsigned long)n);
            mpz_fac_ui(rest, (unsigned long)(n - m));
            mpz_divexact(expected, expected, rest);
            wrong += !permanent_is(&distinct, expected);
            perm_distinct_group(&distinct);
            wrong_grouped += distinct.nrow != 1 || distinct.ncol != 1 || !permanent_is(&distinct, expected);
            perm_distinct_free(&distinct);
        }
    tap_ok(wrong == 0, "m x n ones: n! / (n-m)!");
    tap_ok(wrong_grouped == 0, "the same grouped to one row and column");
    mpz_clears(expected, rest, NULL);
}

/* Permutations of 1, 1, 2, 2, …, n, n without fixed points (OEIS A000459), times 2^n for the copies. */
static void test_pairs(void) {
    static const char *const numbers_of[] = {"1",     "0",      "1",        "10",         "297",
                                             "13756", "925705", "85394646", "10351036465"};
    mpz_t expected;
    int wrong = 0;
    mpz_init(expected);
    for (int n = 0; n <= 8; n++) {
        perm_distinct distinct = make_lines(n, n);
        for (int at = 0; at < n * n; at++)
            perm_value_set_integer(&distinct.entry[at], at % n != at / n);
        for (int k = 0; k < n; k++)
            distinct.row_count[k] = distinct.column_count[k] = 2;
        mpz_set_str(expected, numbers_of[n], 10);
        mpz_mul_2exp(expected, expected, (mp_bitcnt_t)n);
        wrong += !permanent_is(&distinct, expected);
        perm_distinct_free(&distinct);
    }
    tap_ok(wrong == 0, "pairs without fixed points for n = 0 … 8");
    mpz_clear(expected);
}

static void test_chunks(void) {
    perm_distinct distinct = make_lines(7, 7);
    perm_multiplicities multiplicities;
    draw(&distinct, true, 9);
    for (int k = 0; k < 7; k++)
        distinct.row_count[k] = 8 - (distinct.column_count[k] = 1 + k % 4);
    distinct.row_count[0] = 1;
    if (perm_multiplicities_init(&context, &distinct, &multiplicities) != BASE_OK)
        abort();
    const size_t size = (size_t)(multiplicities.chunk_count * multiplicities.word_count) * sizeof(int64_t);
    int64_t *word = malloc(size), *alone = malloc(size);
    context.threads = 3;
    bool done =
        perm_multiplicities_run(&context, &multiplicities, 0, multiplicities.chunk_count, word) == BASE_OK;
    context.threads = 1;
    for (int64_t chunk = multiplicities.chunk_count; chunk-- > 0;)
        done = done && perm_multiplicities_run(&context, &multiplicities, chunk, 1,
                                               alone + chunk * multiplicities.word_count) == BASE_OK;
    tap_ok(done && multiplicities.chunk_count > 1 && memcmp(word, alone, size) == 0,
           "%" PRId64 " chunks, the same alone and on threads", multiplicities.chunk_count);
    bool agree = true, differ = true;
    for (int64_t chunk = 0; chunk < multiplicities.chunk_count; chunk++) {
        int64_t *words = word + chunk * multiplicities.word_count;
        bool agrees = false;
        agree = agree &&
                perm_multiplicities_check(&context, &multiplicities, chunk, words, &agrees) == BASE_OK &&
                agrees;
        words[1 + chunk % (multiplicities.word_count / 2 - 1)] ^= INT64_C(1) << chunk % 60;
        differ = differ &&
                 perm_multiplicities_check(&context, &multiplicities, chunk, words, &agrees) == BASE_OK &&
                 !agrees;
    }
    tap_ok(agree && differ, "... which are right modulo a prime, and not with a flipped bit");
    free(word);
    free(alone);
    perm_multiplicities_free(&multiplicities);
    perm_distinct_free(&distinct);
}

/* A sparse matrix of many columns: every second of them, in pairs, has a 1 in a row of its own, the others
 * only zeros. Without a hash of the patterns, comparing all pairs takes minutes. */
static void test_many(void) {
    enum { MANY = 4000 };
    perm_distinct distinct = make_lines(MANY, MANY);
    for (int j = 0; j < MANY; j += 2)
        perm_value_set_integer(&distinct.entry[(int64_t)j * MANY + j / 4], j % 4 < 2 ? 1 : j % 3 + 1);
    int64_t pairs = 0;
    for (int j = 2; j < MANY; j += 4)
        pairs += j % 3 == 0;
    perm_distinct_group(&distinct);
    /* A row for each of MANY/4 pairs and one of zeros; a column less where the two of a pair are equal. */
    tap_ok(distinct.nrow == MANY / 4 + 1 && distinct.ncol == MANY / 2 - pairs + 1,
           "%d rows and columns: %" PRId64 " and %" PRId64 " distinct", MANY, distinct.nrow, distinct.ncol);
    tap_ok(distinct.row_count[MANY / 4] == MANY - MANY / 4 && distinct.column_count[1] == MANY / 2,
           "... with those of zeros put together");
    perm_distinct_free(&distinct);
}

static void test_refusals(void) {
    perm_distinct distinct = make_lines(64, 64);
    perm_multiplicities multiplicities;
    draw(&distinct, false, 9);
    tap_ok(perm_multiplicities_init(&context, &distinct, &multiplicities) == BASE_FAILED, "%s",
           context.error.cause);
    perm_distinct_free(&distinct);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    test_expansion("integers", false, 4, false, false);
    test_expansion("fractions", false, 100, false, false);
    test_expansion("Gaussian", true, 4, false, false);
    test_expansion("rectangular integers", false, 4, true, false);
    test_expansion("rectangular fractions", false, 100, true, false);
    test_expansion("rectangular Gaussian fractions", true, 100, true, false);
    test_expansion("grouped", false, 3, false, true);
    test_expansion("rectangular, grouped", true, 2, true, true);
    test_ones();
    test_pairs();
    test_chunks();
    test_many();
    test_refusals();
    return tap_done();
}
