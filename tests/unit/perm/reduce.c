/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact reduction: the permanent stays, and no line of one or two entries is left. Matrices that differ in
 * one line: their sum stays when they merge. */
#include "perm/matrix/reduce.h"
#include "base/core/random.h"
#include "perm/degree/worklist.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

static base_context context;
static base_random draw;

/* By expansion along the lines. */
static void expand(const perm_matrix *a, int64_t line, uint64_t used, perm_value *sum) {
    perm_value_set_integer(sum, line == a->n);
    if (line == a->n)
        return;
    perm_value minor;
    perm_value_init(&minor);
    for (int64_t e = a->start[line]; e < a->start[line + 1]; e++) {
        if (used >> a->index[e] & 1)
            continue;
        expand(a, line + 1, used | (uint64_t)1 << a->index[e], &minor);
        perm_value_multiply(&minor, &a->entry[e]);
        perm_value_add(sum, &minor);
    }
    perm_value_free(&minor);
}

static bool same(perm_value *a, perm_value *b) {
    perm_value minus;
    perm_value_init(&minus);
    perm_value_set_integer(&minus, -1);
    perm_value_multiply(&minus, a);
    perm_value_add(&minus, b);
    bool zero = perm_value_is_zero(&minus);
    perm_value_free(&minus);
    return zero;
}

static void make(int64_t n, double density, bool is_complex, perm_matrix *a) {
    bool there[16][16];
    int64_t nnz = 0, e = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            nnz += there[i][j] = base_random_uniform(&draw) < density;
    perm_matrix_alloc(&context, n, nnz, is_complex ? MM_COMPLEX : MM_REAL, a);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            if (there[i][j]) {
                /* Few values, so that merged entries cancel now and then. */
                double re = (double)base_random_below(&draw, 2) * 2 - 1, im = 0;
                if (is_complex)
                    im = (double)base_random_below(&draw, 3) - 1;
                perm_value_set_complex(&a->entry[e], re, im);
                a->index[e++] = j;
            }
        a->start[i + 1] = e;
    }
}

/* Entries of the shortest line or crossing line. */
static int64_t least_degree(const perm_matrix *a) {
    int64_t degree[16] = {0}, least = a->n;
    for (int64_t i = 0; i < a->n; i++) {
        int64_t count = a->start[i + 1] - a->start[i];
        least = count < least ? count : least;
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            degree[a->index[e]]++;
    }
    for (int64_t j = 0; j < a->n; j++)
        least = degree[j] < least ? degree[j] : least;
    return least;
}

static void test_reduction(void) {
    int wrong = 0, short_lines = 0, unsorted = 0, emptied = 0, kept = 0;
    for (int round = 0; round < 1500; round++) {
        perm_matrix a, reduced;
        perm_value want, got, factor;
        perm_value_init(&want);
        perm_value_init(&got);
        perm_value_init(&factor);
        make((int64_t)base_random_below(&draw, 9), 0.2 + 0.6 * base_random_uniform(&draw), round % 3 == 0,
             &a);
        expand(&a, 0, 0, &want);
        if (perm_reduce(&context, &a, &reduced, &factor) != BASE_OK)
            wrong++;
        expand(&reduced, 0, 0, &got);
        perm_value_multiply(&got, &factor);
        wrong += !same(&want, &got);
        short_lines += reduced.n > 0 && least_degree(&reduced) < 3;
        emptied += reduced.n == 0;
        kept += reduced.n > 0;
        for (int64_t i = 0; i < reduced.n; i++)
            for (int64_t e = reduced.start[i] + 1; e < reduced.start[i + 1]; e++)
                unsorted += reduced.index[e - 1] >= reduced.index[e];
        perm_matrix_free(&a);
        perm_matrix_free(&reduced);
        perm_value_free(&want);
        perm_value_free(&got);
        perm_value_free(&factor);
    }
    tap_note("seed 11; %d reduced to nothing, %d to something", emptied, kept);
    tap_ok(wrong == 0, "the permanent of 1500 random matrices stays: %d wrong", wrong);
    tap_ok(short_lines == 0, "no line of fewer than three entries is left: %d", short_lines);
    tap_ok(unsorted == 0, "lines are in ascending order: %d are not", unsorted);
    tap_ok(emptied > 200 && kept > 200, "both ends were met");
}

static void add_to_sum(const perm_scaled *scaled, perm_value *sum) {
    perm_value value;
    perm_value_init(&value);
    expand(&scaled->matrix, 0, 0, &value);
    perm_value_multiply(&value, &scaled->factor);
    perm_value_add(sum, &value);
    perm_value_free(&value);
}

/* A copy with a factor, some entries of one line or crossing line multiplied, and some of them gone. */
static void vary(const perm_matrix *a, bool is_complex, perm_scaled *scaled) {
    const int64_t at = (int64_t)base_random_below(&draw, 2 * (uint64_t)a->n);
    perm_value by;
    perm_value_init(&by);
    perm_scaled_init(scaled);
    perm_value_set_complex(&scaled->factor, (double)base_random_below(&draw, 7) - 3.5, is_complex);
    perm_matrix_alloc(&context, a->n, a->nnz, a->field, &scaled->matrix);
    for (int64_t i = 0; i < a->n; i++) {
        scaled->matrix.start[i + 1] = a->start[i + 1];
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
            perm_value *entry = &scaled->matrix.entry[e];
            scaled->matrix.index[e] = a->index[e];
            perm_value_copy(entry, &a->entry[e]);
            perm_value_set_integer(&by, (int64_t)base_random_below(&draw, 5) - 1);
            if (at < a->n ? i == at : a->index[e] == at - a->n)
                perm_value_multiply(entry, &by);
        }
    }
    perm_matrix_squeeze(&scaled->matrix);
    perm_value_free(&by);
}

/* Puts variants of a random matrix into a worklist and takes them out again, some of them in between. */
static int64_t worklist_round(int round, int64_t most, int *wrong) {
    const bool is_complex = round % 4 == 0;
    const int64_t n = 1 + (int64_t)base_random_below(&draw, 6);
    perm_worklist worklist;
    perm_matrix a;
    perm_value want, got;
    perm_scaled scaled;
    int count = 0;
    perm_value_init(&want);
    perm_value_init(&got);
    make(n, 0.8, is_complex, &a);
    *wrong += perm_worklist_init(&context, n, most, &worklist) != BASE_OK;
    for (int k = 0; k < 12; k++) {
        vary(&a, is_complex, &scaled);
        add_to_sum(&scaled, &want);
        *wrong += perm_scaled_normalise(&context, &scaled) != BASE_OK;
        *wrong += perm_worklist_put(&context, &worklist, &scaled) != BASE_OK;
        if (k % 5 == 4 && perm_worklist_take(&worklist, &scaled)) {
            add_to_sum(&scaled, &got);
            count++;
        }
        perm_scaled_free(&scaled);
    }
    for (; perm_worklist_take(&worklist, &scaled); count++) {
        add_to_sum(&scaled, &got);
        perm_scaled_free(&scaled);
    }
    const int64_t merged = worklist.merged;
    *wrong += !same(&want, &got) || count + merged != 12;
    perm_worklist_free(&worklist);
    perm_matrix_free(&a);
    perm_value_free(&want);
    perm_value_free(&got);
    return merged;
}

static void test_merging(void) {
    int wrong = 0;
    int64_t merged[3] = {0, 0, 0};
    static const int64_t most[3] = {0, 2, 100};
    for (int round = 0; round < 600; round++) {
        base_random_init(&draw, 11, 1 + (uint64_t)round / 3); /* the same matrices for each of three */
        merged[round % 3] += worklist_round(round / 3, most[round % 3], &wrong);
    }
    tap_ok(wrong == 0, "600 sums of permanents stay: %d wrong", wrong);
    tap_ok(merged[0] == 0, "nothing merges where nothing is to be held");
    tap_ok(merged[1] > 500 && merged[2] >= merged[1], "%lld and %lld of 2400 matrices merge otherwise",
           (long long)merged[1], (long long)merged[2]);
}

/* A full matrix of ones, whose rows and columns are multiplied by powers of two: the permanent is n! times
 * all of these, and so is the best bound. */
static void test_bounds(void) {
    enum { N = 6 };
    const double want = log2(720) + 15 * 10 + 15 * 7;
    double best, plain, enough, none;
    perm_matrix a, copy;
    perm_matrix_alloc(&context, N, (int64_t)N * N, MM_REAL, &a);
    for (int i = 0; i < N; i++) {
        a.start[i + 1] = (int64_t)N * (i + 1);
        for (int j = 0; j < N; j++) {
            perm_value_set_complex(&a.entry[N * i + j], ldexp(1, 10 * i + 7 * j), 0);
            a.index[N * i + j] = j;
        }
    }
    bool good = perm_matrix_copy(&context, &a, &copy) == BASE_OK && copy.nnz == (int64_t)N * N &&
                same(&copy.entry[N * N - 1], &a.entry[N * N - 1]) && copy.index[N + 3] == 3;
    tap_ok(good, "a copy has the entries of its matrix");
    perm_matrix_free(&a);
    good = perm_matrix_bound_log2(&context, &copy, &best) == BASE_OK &&
           perm_matrix_bound_log2_enough(&context, &copy, INFINITY, &plain) == BASE_OK &&
           perm_matrix_bound_log2_enough(&context, &copy, plain, &enough) == BASE_OK &&
           perm_matrix_bound_log2_enough(&context, &copy, plain - 1, &none) == BASE_OK;
    tap_ok(good && best >= want && best < want + 1e-6, "the bound is n! with all scales: 2^%.9f, 2^%.9f",
           best, want);
    tap_ok(plain > best + 10, "without scaling it is far from that: 2^%.1f", plain);
    tap_ok(enough == plain && none == best, "a bound that is enough stays, another one is made better");
    perm_matrix_free(&copy);
}

int main(void) {
    base_context_init(&context);
    test_bounds();
    base_random_init(&draw, 11, 0);
    test_reduction();
    test_merging();
    return tap_done();
}
