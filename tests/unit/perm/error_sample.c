/* SPDX-License-Identifier: BSD-3-Clause */
/* What sums of doubles say of their error, beside what it is: matrices that are hard on it, against exact
 * integers. ERROR_SAMPLES=N draws N of each kind. */
#include "perm/dense/chunks.h"
#include "perm/dense/dense.h"
#include "perm/solve/block.h"
#include "perm/sparse/sparse.h"
#include "tests/support/exact.h"
#include "tests/support/hard_matrices.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = HARD_LARGEST, USUAL_CASES = 10, MOST_CASES = 100000 };

static base_context context;
static base_random numbers;

/* ---- what is said and what is true ---- */

/* The exact permanent of doubles: integers times 2^exponent. */
static void find_exact(int n, bool is_complex, const double *entries, perm_value *exact) {
    mpz_t(*entry)[2] = exact_alloc(n * n), result[2];
    int least = INT32_MAX;
    mpz_inits(result[0], result[1], NULL);
    for (int at = 0; at < n * n * (1 + is_complex); at++) {
        int exponent;
        frexp(entries[at], &exponent);
        least = entries[at] != 0 && exponent < least ? exponent : least;
    }
    for (int at = 0; at < n * n; at++)
        for (int k = 0; k <= is_complex; k++) {
            int exponent;
            const double fraction = frexp(entries[at * (1 + is_complex) + k], &exponent);
            mpz_set_d(entry[at][k], ldexp(fraction, 53));
            mpz_mul_2exp(entry[at][k], entry[at][k], fraction != 0 ? (mp_bitcnt_t)(exponent - least) : 0);
        }
    exact_permanent(n, entry, result);
    perm_value_set_integer(exact, 0);
    mpz_set(exact->re, result[0]);
    mpz_set(exact->im, result[1]);
    perm_value_scale(exact, (int64_t)n * (least - 53));
    mpz_clears(result[0], result[1], NULL);
    exact_free(n * n, entry);
}

static perm_matrix make_matrix(int n, bool is_complex, const double *entries) {
    perm_matrix matrix;
    if (perm_matrix_alloc(&context, n, n * n, is_complex ? MM_COMPLEX : MM_REAL, &matrix) != BASE_OK)
        abort();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double *entry = entries + (j * n + i) * (1 + is_complex);
            perm_value_set_complex(&matrix.entry[i * n + j], entry[0], is_complex ? entry[1] : 0);
            matrix.index[i * n + j] = j;
        }
        matrix.start[i + 1] = (i + 1) * n;
    }
    perm_matrix_squeeze(&matrix);
    return matrix;
}

/* The name of the fastest kernel for a matrix. */
static const char *find_kernel(const perm_matrix *matrix, bool is_sparse) {
    static char name[32];
    perm_dense_matrix entries;
    perm_dense dense;
    perm_sparse sparse;
    if (perm_dense_matrix_init(&context, matrix, &entries) != BASE_OK ||
        (is_sparse ? perm_sparse_init(&context, &entries, NULL, NULL, NULL, &sparse)
                   : perm_dense_init(&context, &entries, NULL, &dense)) != BASE_OK)
        abort();
    snprintf(name, sizeof name, "%s", is_sparse ? sparse.kernel->name : dense.kernel->name);
    if (is_sparse)
        perm_sparse_free(&sparse);
    else
        perm_dense_free(&dense);
    perm_dense_matrix_free(&entries);
    return name;
}

/* By the sums of dense.h, with the sample or with the bound of certify.h, or by those of sparse.h. */
typedef enum way { DENSE, SPARSE, CERTIFIED, WAYS } way;

static void compute(int n, bool is_complex, way way, const double *entries, perm_value *value) {
    perm_matrix matrix = make_matrix(n, is_complex, entries);
    const perm_candidate candidate = {.method = way == SPARSE ? &perm_sparse_method : &perm_dense_method,
                                      .name = find_kernel(&matrix, way == SPARSE)};
    const perm_options options = {.raw = true, .certify = way == CERTIFIED};
    perm_partial_result partial_result;
    perm_partial_result_init(&partial_result);
    const perm_solver solver = {.options = &options, .partial_result = &partial_result};
    const perm_block block = {.matrix = &matrix};
    perm_block_result *block_result = perm_partial_result_block(&context, &partial_result, 0);
    if (perm_solve_run(&context, &block, &candidate, &solver, block_result, 0) != BASE_OK)
        abort();
    perm_sum_finish(&block_result->block_run[0].sum, value);
    perm_partial_result_free(&partial_result);
    perm_matrix_free(&matrix);
}

typedef struct tally {
    int beyond_bound, beyond_estimate, with_estimate, inexact;
    double ratio[MOST_CASES]; /* log2 of the estimate over the error, of the inexact ones */
} tally;

static tally tallied;

/* Of matrices of all kinds: how many have an error and an estimate, and how many of these are within 1e4 of
 * it. */
static int with_error, within_1e4;

static void judge(const perm_value *value, const perm_value *exact) {
    perm_value difference;
    perm_value_init(&difference);
    mpz_neg(difference.re, exact->re);
    mpz_neg(difference.im, exact->im);
    perm_value_scale(&difference, exact->exponent);
    perm_value_add(&difference, value);
    difference.error = difference.estimate = perm_bound_from_double(0);
    tallied.with_estimate += value->estimate.mantissa != 0;
    if (!perm_value_is_zero(&difference)) {
        /* |re| + |im| is up to sqrt(2) times the modulus. */
        const bool has_two = mpz_sgn(difference.re) != 0 && mpz_sgn(difference.im) != 0;
        const double log2_error = perm_bound_log2(perm_bound_of(&difference)) - 0.5 * has_two - 1e-9,
                     log2_ratio = perm_bound_log2(perm_value_estimate(value)) - log2_error;
        tallied.beyond_bound += perm_bound_log2(value->error) < log2_error;
        tallied.beyond_estimate += log2_ratio < 0;
        tallied.ratio[tallied.inexact++] = log2_ratio;
        with_error += value->estimate.mantissa != 0;
        within_1e4 += value->estimate.mantissa != 0 && log2_ratio <= log2(1e4);
    }
    perm_value_free(&difference);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_kind(int kind, bool is_complex, way way, int cases) {
    double entries[2 * LARGEST * LARGEST];
    perm_value value, exact;
    const char *name = hard_matrix_name(kind);
    memset(&tallied, 0, sizeof tallied);
    perm_value_init(&value);
    perm_value_init(&exact);
    for (int number = 0; number < cases; number++) {
        const int n = number % 20 == 7 ? 15 : 2 + (int)base_random_below(&numbers, 10);
        hard_matrix_draw(&numbers, kind, n, is_complex, entries);
        find_exact(n, is_complex, entries, &exact);
        compute(n, is_complex, way, entries, &value);
        judge(&value, &exact);
    }
    qsort(tallied.ratio, (size_t)tallied.inexact, sizeof *tallied.ratio, compare);
    const double median = tallied.inexact > 0 ? exp2(tallied.ratio[tallied.inexact / 2]) : 0;
    tap_ok(tallied.beyond_bound == 0 && tallied.beyond_estimate == 0,
           "%s%s%s: no error of %d is beyond its bound or estimate", name, is_complex ? ", complex" : "",
           way == CERTIFIED ? ", certified" : "", cases);
    if (tallied.beyond_bound + tallied.beyond_estimate > 0)
        tap_note("%d beyond the bound, %d beyond the estimate", tallied.beyond_bound,
                 tallied.beyond_estimate);
    tap_note("%d with an estimate; over the error: median %.3g, least %.3g", tallied.with_estimate, median,
             tallied.inexact > 0 ? exp2(tallied.ratio[0]) : 0);
    perm_value_free(&value);
    perm_value_free(&exact);
}

/* A sum with three times the roundings of the sample's terms, and r times the magnitude that it promises: the
 * error is 3 r times the sample's, and 3 times for r < 1. What is beyond twice the magnitude counts four
 * times with its certain bound. */
static void check_factors(void) {
    static const struct {
        double r, error;
    } cases[] = {{0.5, 3e-10}, {1, 3e-10}, {1.5, 4.5e-10}, {2, 6e-10}, {5, 15e-10 + 4 * 3e-16 * 3 * 1000}};
    const perm_error_sample sample = {.error = perm_bound_from_double(1e-10),
                                      .magnitude = perm_bound_from_double(1000),
                                      .relative_error = 1e-16};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const perm_bound estimate =
            perm_error_sample_estimate(&sample, 3e-16, perm_bound_from_double(1000 * cases[k].r));
        const double error = exp2(perm_bound_log2(estimate));
        tap_ok(fabs(error / cases[k].error - 1) < 1e-6, "%g times the magnitude: an error of %g", cases[k].r,
               error);
    }
}

int main(void) {
    const char *text = getenv("ERROR_SAMPLES");
    const int asked = text != NULL ? atoi(text) : USUAL_CASES, cases = asked < 1            ? 1
                                                                       : asked > MOST_CASES ? MOST_CASES
                                                                                            : asked;
    base_context_init(&context);
    base_random_init(&numbers, tap_seed(), 0);
    for (int kind = 0; kind < HARD_KINDS; kind++)
        for (int is_complex = 0; is_complex < 2; is_complex++)
            for (int way = 0; way < WAYS; way++)
                test_kind(kind, is_complex, way, cases);
    test_kind(HARD_UNITARY, true, DENSE, cases);
    test_kind(HARD_UNITARY, true, CERTIFIED, cases);
    tap_ok(2 * within_1e4 >= with_error, "half of the estimates and more are within 1e4 of the error");
    tap_note("%d of %d", within_1e4, with_error);
    check_factors();
    return tap_done();
}
