/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/multiplicities/multiplicities.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_TERMS = 1 << 10, MOST_CHUNKS = 1 << 14 };

static int64_t sum_of(const int64_t *count, int64_t length) {
    int64_t sum = 0;
    for (int64_t k = 0; k < length; k++)
        sum += count[k];
    return sum;
}

/* How the rows, columns and the row of ones are seen: as they are or transposed. */
typedef struct view {
    const perm_distinct *distinct;
    int64_t nrow, ncol; /* distinct rows and columns in this view */
    const int64_t *row_count, *column_count;
    bool is_transposed;
    int64_t ones; /* copies of the row (or, transposed once more, column) of ones */
    bool ones_are_column;
} view;

static const perm_value *entry_of(const view *view, int64_t i, int64_t j) {
    return &view->distinct
                ->entry[view->is_transposed ? i * view->distinct->nrow + j : j * view->distinct->nrow + i];
}

/* log2 of the terms and rows of a term together. */
static double log2_work(const view *view) {
    double terms = -1;
    for (int64_t j = 0; j < view->ncol; j++)
        terms += log2((double)view->column_count[j] + 1);
    if (view->ones_are_column)
        terms += log2((double)view->ones + 1);
    return terms + log2((double)view->nrow + 1);
}

static view make_view(const perm_distinct *distinct, bool transposed) {
    const int64_t rows = sum_of(distinct->row_count, distinct->nrow),
                  columns = sum_of(distinct->column_count, distinct->ncol);
    view view = {
        distinct, distinct->nrow, distinct->ncol, distinct->row_count, distinct->column_count, transposed,
        0,        false};
    if (transposed) {
        view.nrow = distinct->ncol;
        view.ncol = distinct->nrow;
        view.row_count = distinct->column_count;
        view.column_count = distinct->row_count;
    }
    view.ones = llabs(columns - rows);
    view.ones_are_column = view.ones > 0 && (rows > columns) != transposed;
    return view;
}

/* 2^exponent of the row is in every entry's exponent at least. */
static int64_t row_grain(const view *view, int64_t i) {
    int64_t grain = view->ones_are_column ? 0 : INT64_MAX;
    for (int64_t j = 0; j < view->ncol; j++) {
        const perm_value *entry = entry_of(view, i, j);
        if (!perm_value_is_zero(entry) && entry->exponent < grain)
            grain = entry->exponent;
    }
    return grain == INT64_MAX ? 0 : grain;
}

static base_status alloc_arrays(base_context *context, perm_multiplicities *multiplicities) {
    const int64_t count = multiplicities->nrow * multiplicities->ncol;
    for (int part = 0; part <= multiplicities->is_complex; part++) {
        multiplicities->part[part] = base_alloc(context, count, sizeof(mpz_t));
        if (multiplicities->part[part] == NULL)
            return BASE_MACHINE;
        for (int64_t at = 0; at < count; at++)
            mpz_init(multiplicities->part[part][at]);
    }
    multiplicities->row_count = base_alloc(context, multiplicities->nrow, sizeof *multiplicities->row_count);
    multiplicities->column_count =
        base_alloc(context, multiplicities->ncol, sizeof *multiplicities->column_count);
    multiplicities->radix = base_alloc(context, multiplicities->ncol, sizeof *multiplicities->radix);
    return multiplicities->row_count != NULL && multiplicities->column_count != NULL &&
                   multiplicities->radix != NULL
               ? BASE_OK
               : BASE_MACHINE;
}

static void fill_integers(const view *view, perm_multiplicities *multiplicities) {
    for (int64_t i = 0; i < view->nrow; i++) {
        const int64_t grain = row_grain(view, i);
        multiplicities->exponent += grain * view->row_count[i];
        multiplicities->row_count[i] = view->row_count[i];
        for (int64_t j = 0; j < view->ncol; j++) {
            const perm_value *entry = entry_of(view, i, j);
            if (perm_value_is_zero(entry))
                continue;
            const mp_bitcnt_t shift = (mp_bitcnt_t)(entry->exponent - grain);
            mpz_mul_2exp(multiplicities->part[0][j * multiplicities->nrow + i], entry->re, shift);
            if (multiplicities->is_complex)
                mpz_mul_2exp(multiplicities->part[1][j * multiplicities->nrow + i], entry->im, shift);
        }
        if (view->ones_are_column)
            mpz_setbit(multiplicities->part[0][view->ncol * multiplicities->nrow + i], (mp_bitcnt_t)-grain);
    }
    for (int64_t j = 0; j < view->ncol; j++) {
        multiplicities->column_count[j] = view->column_count[j];
        if (view->ones > 0 && !view->ones_are_column)
            mpz_set_ui(multiplicities->part[0][j * multiplicities->nrow + view->nrow], 1);
    }
    if (view->ones_are_column)
        multiplicities->column_count[view->ncol] = view->ones;
    else if (view->ones > 0)
        multiplicities->row_count[view->nrow] = view->ones;
    multiplicities->ones = view->ones;
}

static void swap_columns(perm_multiplicities *multiplicities, int64_t a, int64_t b) {
    for (int part = 0; part <= multiplicities->is_complex; part++)
        for (int64_t i = 0; i < multiplicities->nrow; i++)
            mpz_swap(multiplicities->part[part][a * multiplicities->nrow + i],
                     multiplicities->part[part][b * multiplicities->nrow + i]);
    const int64_t count = multiplicities->column_count[a];
    multiplicities->column_count[a] = multiplicities->column_count[b];
    multiplicities->column_count[b] = count;
}

/* The last column takes half of its digits: one with an odd count, if there is any, since it has no middle.
 */
static base_status plan_terms(base_context *context, perm_multiplicities *multiplicities) {
    const int64_t last = multiplicities->ncol - 1;
    int64_t terms = 1, best = last;
    for (int64_t j = 0; j < last; j++)
        if (multiplicities->column_count[j] % 2 != 0 && multiplicities->column_count[best] % 2 == 0)
            best = j;
    if (last >= 0)
        swap_columns(multiplicities, best, last);
    for (int64_t j = 0; j <= last; j++) {
        multiplicities->radix[j] =
            (j == last ? multiplicities->column_count[j] / 2 : multiplicities->column_count[j]) + 1;
        if (__builtin_mul_overflow(terms, multiplicities->radix[j], &terms) || terms > INT64_C(1) << 62)
            return base_fail(context, BASE_FAILED, "the sum has more than 2^62 terms");
    }
    multiplicities->terms = (double)terms;
    multiplicities->chunk_terms =
        terms / MOST_CHUNKS + 1 > CHUNK_TERMS ? terms / MOST_CHUNKS + 1 : CHUNK_TERMS;
    multiplicities->chunk_count = (terms + multiplicities->chunk_terms - 1) / multiplicities->chunk_terms;
    return BASE_OK;
}

/* Bits of the sum: sum_i r_i log2(sum_j c_j |a_ij|) + N. */
static void plan_words(perm_multiplicities *multiplicities) {
    double bits = (double)multiplicities->total + 2;
    mpz_t size;
    mpz_init(size);
    for (int64_t i = 0; i < multiplicities->nrow; i++) {
        mpz_set_ui(size, 0);
        for (int64_t j = 0; j < multiplicities->ncol; j++)
            for (int part = 0; part <= multiplicities->is_complex; part++) {
                mpz_t *entry = &multiplicities->part[part][j * multiplicities->nrow + i];
                (mpz_sgn(*entry) < 0 ? mpz_submul_ui : mpz_addmul_ui)(
                    size, *entry, (unsigned long)multiplicities->column_count[j]);
            }
        bits += (double)multiplicities->row_count[i] * (double)mpz_sizeinbase(size, 2);
    }
    const int64_t limbs = (int64_t)ceil(bits / 64);
    multiplicities->word_count = (multiplicities->is_complex ? 2 : 1) * (1 + limbs);
    multiplicities->seconds = multiplicities->terms * (double)multiplicities->nrow *
                              (multiplicities->is_complex ? 4 : 1) * (2e-8 + 1e-9 * (double)limbs);
    mpz_clear(size);
}

base_status perm_multiplicities_init(base_context *context, const perm_distinct *distinct,
                                     perm_multiplicities *multiplicities) {
    base_status status;
    view view = make_view(distinct, false);
    const struct view transposed = make_view(distinct, true);
    if (log2_work(&transposed) < log2_work(&view))
        view = transposed;
    memset(multiplicities, 0, sizeof *multiplicities);
    multiplicities->is_ready = true;
    multiplicities->nrow = view.nrow + (view.ones > 0 && !view.ones_are_column);
    multiplicities->ncol = view.ncol + view.ones_are_column;
    for (int64_t at = 0; at < distinct->nrow * distinct->ncol; at++)
        multiplicities->is_complex = multiplicities->is_complex || mpz_sgn(distinct->entry[at].im) != 0;
    BASE_TRY(alloc_arrays(context, multiplicities));
    fill_integers(&view, multiplicities);
    multiplicities->total = sum_of(multiplicities->row_count, multiplicities->nrow);
    BASE_TRY(plan_terms(context, multiplicities));
    plan_words(multiplicities);
done:
    if (status != BASE_OK)
        perm_multiplicities_free(multiplicities);
    return status;
}

void perm_multiplicities_free(perm_multiplicities *multiplicities) {
    if (multiplicities == NULL || !multiplicities->is_ready)
        return;
    for (int part = 0; part < 2; part++) {
        for (int64_t at = 0;
             multiplicities->part[part] != NULL && at < multiplicities->nrow * multiplicities->ncol; at++)
            mpz_clear(multiplicities->part[part][at]);
        free(multiplicities->part[part]);
    }
    free(multiplicities->row_count);
    free(multiplicities->column_count);
    free(multiplicities->radix);
    memset(multiplicities, 0, sizeof *multiplicities);
}

base_status perm_multiplicities_permanent(base_context *context, const perm_distinct *distinct,
                                          perm_value *value) {
    base_status status;
    perm_multiplicities multiplicities = {0};
    int64_t *word = NULL;
    BASE_TRY(perm_multiplicities_init(context, distinct, &multiplicities));
    word = base_alloc(context, multiplicities.chunk_count * multiplicities.word_count, sizeof *word);
    if (word == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(perm_multiplicities_run(context, &multiplicities, 0, multiplicities.chunk_count, word));
    perm_multiplicities_fold(&multiplicities, word, value);
done:
    free(word);
    perm_multiplicities_free(&multiplicities);
    return status;
}
