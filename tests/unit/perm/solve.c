/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents from records to values: every kernel against expansion by minors on random matrices of every
 * field and symmetry, with and without blocks and reduction; laws that permanents obey. */
#include "perm/solve/solve.h"
#include "base/core/random.h"
#include "perm/plan/plan.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16 };

static base_context context;
static base_random draw;

/* Entries in quarters, so that the expansion is exact in 64 bits. */
typedef struct square {
    int64_t n;
    int64_t re[LARGEST][LARGEST], im[LARGEST][LARGEST];
} square;

typedef struct gaussian {
    __int128 re, im;
} gaussian;

/* The permanent times 4^n, by expansion along the rows. */
static gaussian expand(const square *a, int64_t row, unsigned used) {
    gaussian sum = {0, 0};
    if (row == a->n)
        return (gaussian){1, 0};
    for (int64_t j = 0; j < a->n; j++) {
        if (used >> j & 1 || (a->re[row][j] == 0 && a->im[row][j] == 0))
            continue;
        gaussian minor = expand(a, row + 1, used | 1u << j);
        sum.re += a->re[row][j] * minor.re - a->im[row][j] * minor.im;
        sum.im += a->re[row][j] * minor.im + a->im[row][j] * minor.re;
    }
    return sum;
}

static void to_value(gaussian g, int64_t n, perm_value *value) {
    perm_value_set_integer(value, 0);
    mpz_ptr part[2] = {value->re, value->im};
    __int128 number[2] = {g.re, g.im};
    for (int k = 0; k < 2; k++) {
        mpz_set_si(part[k], (long)(number[k] >> 62));
        mpz_mul_2exp(part[k], part[k], 62);
        mpz_add_ui(part[k], part[k], (unsigned long)(number[k] & (((__int128)1 << 62) - 1)));
    }
    value->exponent = -2 * n;
}

/* A random record and the matrix it stands for. */
static void make(mm_field field, mm_symmetry symmetry, int64_t n, double density, mm_record *record,
                 square *a) {
    memset(a, 0, sizeof *a);
    a->n = n;
    mm_record_init(record);
    record->field = field;
    record->symmetry = symmetry;
    record->nrow = record->ncol = n;
    record->nnz = n * n;
    mm_record_alloc(&context, record);
    int64_t e = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (symmetry != MM_GENERAL && i < j + (symmetry == MM_SKEW_SYMMETRIC))
                continue;
            if (base_random_uniform(&draw) >= density)
                continue;
            int64_t re = (int64_t)base_random_below(&draw, 33) - 16, im = 0;
            if (field == MM_PATTERN)
                re = 4;
            if (field == MM_INTEGER)
                re *= 4;
            if (field == MM_COMPLEX && (symmetry != MM_HERMITIAN || i != j))
                im = (int64_t)base_random_below(&draw, 33) - 16;
            a->re[i][j] = re;
            a->im[i][j] = im;
            if (symmetry != MM_GENERAL && i != j) {
                a->re[j][i] = symmetry == MM_SKEW_SYMMETRIC ? -re : re;
                a->im[j][i] = symmetry == MM_SYMMETRIC ? im : -im;
            }
            record->row[e] = i;
            record->col[e] = j;
            if (field == MM_INTEGER)
                record->integer[e] = re / 4;
            else if (field == MM_REAL)
                record->real[e] = (double)re / 4;
            else if (field == MM_COMPLEX) {
                record->real[2 * e] = (double)re / 4;
                record->real[2 * e + 1] = (double)im / 4;
            }
            e++;
        }
    record->nnz = e;
}

/* True if the kernel's value is the wanted one within its bound; *fits false when the kernel refuses. */
static bool agrees(const mm_record *record, const char *kernel, bool raw, const perm_value *want,
                   bool *fits) {
    perm_options options = {.kernel = kernel, .raw = raw};
    perm_result result;
    mm_sparse matrix;
    perm_result_init(&result);
    mm_sparse_from_record(&context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix);
    base_status status = perm_solve(&context, &matrix, &options, NULL, &result);
    *fits = status == BASE_OK;
    bool good = false;
    if (*fits) {
        perm_bound stated = result.value.error;
        perm_value difference;
        perm_value_init(&difference);
        perm_value_set_integer(&difference, -1);
        perm_value_multiply(&difference, want);
        result.value.error = (perm_bound){0, 0};
        perm_value_add(&difference, &result.value);
        good = perm_bound_at_most(perm_bound_of(&difference), stated);
        if (record->field == MM_PATTERN || record->field == MM_INTEGER)
            good &= stated.mantissa == 0;
        /* A bound that says nothing would hold always. */
        good &= kernel == NULL || stated.mantissa == 0 || perm_bound_log2(stated) < -15;
        perm_value_free(&difference);
    }
    mm_sparse_free(&matrix);
    perm_result_free(&result);
    return good;
}

static void test_random(mm_field field, mm_symmetry symmetry) {
    static const char *const kernels[] = {
        NULL,        "frontier",  "frontier-double", "frontier-quad", "frontier-exact",
        "exact-ref", "dense-ref", "exact",           "dense"};
    enum { KERNELS = sizeof kernels / sizeof *kernels, ROUNDS = 120 };
    int ran[KERNELS] = {0}, wrong[KERNELS] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        mm_record record;
        square a;
        perm_value want;
        int64_t n = (int64_t)base_random_below(&draw, 8);
        make(field, symmetry, n, 0.25 + 0.75 * base_random_uniform(&draw), &record, &a);
        perm_value_init(&want);
        to_value(expand(&a, 0, 0), n, &want);
        for (int k = 0; k < KERNELS; k++) {
            bool fits;
            /* Doubles for integers are no answer. */
            if ((field == MM_PATTERN || field == MM_INTEGER) && k != 0 && k != 1 && k != 4 && k != 5 &&
                k != 7)
                continue;
            bool good = agrees(&record, kernels[k], round % 2, &want, &fits);
            ran[k] += fits;
            wrong[k] += fits && !good;
        }
        perm_value_free(&want);
        mm_record_free(&record);
    }
    for (int k = 0; k < KERNELS; k++)
        if (ran[k] > 0 || k < 2)
            tap_ok(wrong[k] == 0 && ran[k] > ROUNDS / 3, "%s %s, %s: %d of %d wrong", mm_field_name(field),
                   mm_symmetry_name(symmetry), kernels[k] != NULL ? kernels[k] : "any kernel", wrong[k],
                   ran[k]);
}

/* The determinant modulo 2. */
static int parity(const square *a) {
    unsigned row[LARGEST] = {0};
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < a->n; j++)
            row[i] |= (unsigned)(a->re[i][j] / 4 & 1) << j;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t pivot = j;
        while (pivot < a->n && !(row[pivot] >> j & 1))
            pivot++;
        if (pivot == a->n)
            return 0;
        unsigned swap = row[pivot];
        row[pivot] = row[j];
        row[j] = swap;
        for (int64_t i = j + 1; i < a->n; i++)
            if (row[i] >> j & 1)
                row[i] ^= row[j];
    }
    return 1;
}

static void test_parity(const char *kernel) {
    int wrong = 0;
    for (int round = 0; round < 100; round++) {
        mm_record record;
        mm_sparse matrix;
        square a;
        perm_result result;
        perm_options options = {.kernel = kernel};
        perm_result_init(&result);
        make(MM_INTEGER, MM_GENERAL, 10 + (int64_t)base_random_below(&draw, 7), 0.5, &record, &a);
        mm_sparse_from_record(&context, &record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix);
        if (perm_solve(&context, &matrix, &options, NULL, &result) != BASE_OK)
            wrong++;
        perm_value_scale(&result.value, 0);
        wrong += (mpz_odd_p(result.value.re) && result.value.exponent == 0) != parity(&a);
        mm_sparse_free(&matrix);
        mm_record_free(&record);
        perm_result_free(&result);
    }
    tap_ok(wrong == 0, "%s: perm is det modulo 2, %d of 100 wrong", kernel, wrong);
}

static void test_refusals(void) {
    mm_record record;
    mm_sparse matrix;
    square a;
    perm_result result;
    perm_options options = {.kernel = "no-such"};
    perm_result_init(&result);
    make(MM_INTEGER, MM_GENERAL, 6, 1, &record, &a);
    mm_sparse_from_record(&context, &record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix);
    tap_ok(perm_solve(&context, &matrix, &options, NULL, &result) == BASE_USAGE,
           "an unknown kernel is refused");
    options.kernel = "dense";
    tap_ok(perm_solve(&context, &matrix, &options, NULL, &result) == BASE_FAILED,
           "integers are not given to doubles");
    options.kernel = "frontier";
    context.memory_bytes = 100;
    tap_ok(perm_solve(&context, &matrix, &options, NULL, &result) == BASE_FAILED &&
               strstr(context.error.cause, "transitions") != NULL,
           "too little memory is refused with the estimate: %s", context.error.cause);
    mm_sparse_free(&matrix);
    mm_record_free(&record);
    perm_result_free(&result);
}

int main(void) {
    const uint64_t seed = 20;
    base_context_init(&context);
    base_random_init(&draw, seed, 0);
    tap_note("seed %d", (int)seed);
    for (mm_field field = MM_PATTERN; field <= MM_COMPLEX; field++)
        for (mm_symmetry symmetry = MM_GENERAL; symmetry <= MM_HERMITIAN; symmetry++) {
            if ((symmetry == MM_SKEW_SYMMETRIC && field == MM_PATTERN) ||
                (symmetry == MM_HERMITIAN && field != MM_COMPLEX))
                continue;
            test_random(field, symmetry);
        }
    test_parity("frontier");
    test_parity("exact");
    test_refusals();
    return tap_done();
}
