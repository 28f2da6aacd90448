/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes chunks of the sum over multiplicities (multiplicities.h). */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/multiplicities/multiplicities.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What a thread works with. */
typedef struct work {
    mpz_t *x[2]; /* sums of the rows */
    int64_t *digit;
    mpz_t weight, sum[2], product[2], term[2];
    bool is_ready; /* there is something to free */
} work;

static base_status init_work(base_context *context, const perm_multiplicities *multiplicities, work *work) {
    work->is_ready = true;
    mpz_inits(work->weight, work->sum[0], work->sum[1], work->product[0], work->product[1], work->term[0],
              work->term[1], NULL);
    work->digit = base_alloc(context, multiplicities->ncol, sizeof *work->digit);
    for (int part = 0; part < 2; part++) {
        work->x[part] = base_alloc(context, multiplicities->nrow, sizeof(mpz_t));
        for (int64_t i = 0; work->x[part] != NULL && i < multiplicities->nrow; i++)
            mpz_init(work->x[part][i]);
    }
    return work->digit != NULL && work->x[0] != NULL && work->x[1] != NULL ? BASE_OK : BASE_MACHINE;
}

static void free_work(const perm_multiplicities *multiplicities, work *work) {
    for (int part = 0; part < 2; part++) {
        for (int64_t i = 0; work->x[part] != NULL && i < multiplicities->nrow; i++)
            mpz_clear(work->x[part][i]);
        free(work->x[part]);
    }
    free(work->digit);
    if (!work->is_ready)
        return;
    mpz_clears(work->weight, work->sum[0], work->sum[1], work->product[0], work->product[1], work->term[0],
               work->term[1], NULL);
}

/* x gains times · column j. */
static void add_column(const perm_multiplicities *multiplicities, int64_t j, int64_t times, work *work) {
    for (int part = 0; part <= multiplicities->is_complex; part++)
        for (int64_t i = 0; i < multiplicities->nrow; i++) {
            mpz_t *entry = &multiplicities->part[part][j * multiplicities->nrow + i];
            (times < 0 ? mpz_submul_ui : mpz_addmul_ui)(work->x[part][i], *entry,
                                                        (unsigned long)llabs(times));
        }
}

/* C(c_j, v_j), doubled for the digits of the last column that stand for two. */
static void multiply_weight(const perm_multiplicities *multiplicities, int64_t j, work *work) {
    const int64_t count = multiplicities->column_count[j], digit = work->digit[j];
    mpz_bin_uiui(work->term[0], (unsigned long)count, (unsigned long)digit);
    mpz_mul(work->weight, work->weight, work->term[0]);
    if (j == multiplicities->ncol - 1 && 2 * digit != count)
        mpz_mul_2exp(work->weight, work->weight, 1);
}

static void divide_weight(const perm_multiplicities *multiplicities, int64_t j, work *work) {
    const int64_t count = multiplicities->column_count[j], digit = work->digit[j];
    mpz_bin_uiui(work->term[0], (unsigned long)count, (unsigned long)digit);
    mpz_divexact(work->weight, work->weight, work->term[0]);
    if (j == multiplicities->ncol - 1 && 2 * digit != count)
        mpz_tdiv_q_2exp(work->weight, work->weight, 1);
}

/* The reflected Gray code: a digit runs backwards where the number above it is odd. */
static void start_term(const perm_multiplicities *multiplicities, int64_t term, work *work) {
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < multiplicities->nrow; i++)
            mpz_set_ui(work->x[part][i], 0);
    mpz_set_ui(work->weight, 1);
    for (int64_t j = 0; j < multiplicities->ncol; j++) {
        const int64_t radix = multiplicities->radix[j], digit = term % radix;
        term /= radix;
        work->digit[j] = term % 2 != 0 ? radix - 1 - digit : digit;
        add_column(multiplicities, j, multiplicities->column_count[j] - 2 * work->digit[j], work);
        multiply_weight(multiplicities, j, work);
    }
}

/* Goes from term - 1 to `term`. */
static void next_term(const perm_multiplicities *multiplicities, int64_t term, work *work) {
    int64_t j = 0;
    while (term % multiplicities->radix[j] == 0)
        term /= multiplicities->radix[j++];
    const int64_t step = term / multiplicities->radix[j] % 2 != 0 ? -1 : 1;
    divide_weight(multiplicities, j, work);
    work->digit[j] += step;
    multiply_weight(multiplicities, j, work);
    add_column(multiplicities, j, -2 * step, work);
}

static void multiply_row(const perm_multiplicities *multiplicities, int64_t i, work *work) {
    if (!multiplicities->is_complex && multiplicities->row_count[i] > 1) {
        mpz_pow_ui(work->term[0], work->x[0][i], (unsigned long)multiplicities->row_count[i]);
        mpz_mul(work->product[0], work->product[0], work->term[0]);
        return;
    }
    for (int64_t k = 0; k < multiplicities->row_count[i]; k++) {
        if (!multiplicities->is_complex) {
            mpz_mul(work->product[0], work->product[0], work->x[0][i]);
            continue;
        }
        mpz_mul(work->term[0], work->product[0], work->x[0][i]);
        mpz_submul(work->term[0], work->product[1], work->x[1][i]);
        mpz_mul(work->term[1], work->product[0], work->x[1][i]);
        mpz_addmul(work->term[1], work->product[1], work->x[0][i]);
        mpz_swap(work->product[0], work->term[0]);
        mpz_swap(work->product[1], work->term[1]);
    }
}

static bool has_odd_sum(const int64_t *digit, int64_t length) {
    int64_t sum = 0;
    for (int64_t j = 0; j < length; j++)
        sum += digit[j];
    return sum % 2 != 0;
}

static void run_chunk(const perm_multiplicities *multiplicities, int64_t chunk, work *work, int64_t *word) {
    const int64_t first = chunk * multiplicities->chunk_terms;
    const int64_t left = (int64_t)multiplicities->terms - first;
    const int64_t end = first + (left < multiplicities->chunk_terms ? left : multiplicities->chunk_terms);
    const int64_t limbs = multiplicities->word_count / (multiplicities->is_complex ? 2 : 1) - 1;
    mpz_set_ui(work->sum[0], 0);
    mpz_set_ui(work->sum[1], 0);
    start_term(multiplicities, first, work);
    bool negative = has_odd_sum(work->digit, multiplicities->ncol);
    for (int64_t term = first; term < end; term++, negative = !negative) {
        if (term > first)
            next_term(multiplicities, term, work);
        mpz_set(work->product[0], work->weight);
        mpz_set_ui(work->product[1], 0);
        for (int64_t i = 0; i < multiplicities->nrow; i++)
            multiply_row(multiplicities, i, work);
        for (int part = 0; part < 2; part++)
            (negative ? mpz_sub : mpz_add)(work->sum[part], work->sum[part], work->product[part]);
    }
    memset(word, 0, (size_t)multiplicities->word_count * sizeof *word);
    for (int part = 0; part <= multiplicities->is_complex; part++, word += 1 + limbs) {
        word[0] = mpz_sgn(work->sum[part]);
        mpz_export(word + 1, NULL, -1, sizeof *word, 0, 0, work->sum[part]);
    }
}

base_status perm_multiplicities_run(base_context *context, const perm_multiplicities *multiplicities,
                                    int64_t first, int64_t count, int64_t *word) {
    base_status status = BASE_OK;
    const int64_t threads = count < context->threads ? count : context->threads;
    work *works = base_alloc_zero(context, threads, sizeof *works);
    if (works == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < threads && status == BASE_OK; k++)
        status = init_work(context, multiplicities, &works[k]);
    if (status == BASE_OK) {
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
        for (int64_t chunk = 0; chunk < count; chunk++) {
            run_chunk(multiplicities, first + chunk, &works[omp_get_thread_num()],
                      word + chunk * multiplicities->word_count);
            base_progress_add(context, multiplicities->chunk_terms);
        }
    }
    for (int64_t k = 0; k < threads; k++)
        free_work(multiplicities, &works[k]);
    free(works);
    return status;
}

void perm_multiplicities_chunk(const perm_multiplicities *multiplicities, const int64_t *word,
                               perm_value *value) {
    const int64_t limbs = multiplicities->word_count / (multiplicities->is_complex ? 2 : 1) - 1;
    perm_value_set_integer(value, 0);
    for (int part = 0; part <= multiplicities->is_complex; part++, word += 1 + limbs) {
        mpz_t *number = part == 0 ? &value->re : &value->im;
        mpz_import(*number, (size_t)limbs, -1, sizeof *word, 0, 0, word + 1);
        if (word[0] < 0)
            mpz_neg(*number, *number);
    }
    perm_value_scale(value, multiplicities->exponent - multiplicities->total);
}

void perm_multiplicities_fold(const perm_multiplicities *multiplicities, const int64_t *word,
                              perm_value *value) {
    perm_value term;
    perm_value_init(&term);
    perm_value_set_integer(value, 0);
    for (int64_t chunk = 0; chunk < multiplicities->chunk_count; chunk++) {
        perm_multiplicities_chunk(multiplicities, word + chunk * multiplicities->word_count, &term);
        perm_value_add(value, &term);
    }
    perm_value_divide_factorial(value, multiplicities->ones);
    perm_value_free(&term);
}
