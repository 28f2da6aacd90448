/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of sums over multiplicities. */
#include "base/core/memory.h"
#include "perm/multiplicities/internal.h"
#include "perm/subsets/partial.h"

#include <math.h>
#include <stdlib.h>

/* The distinct rows and columns of a square matrix were found when it was priced. */
static const perm_distinct *get_distinct(const perm_task *task) {
    return task->distinct != NULL ? task->distinct : task->candidate->prepared;
}

/* ---- exactly ---- */

/* A chunk without memory for its work has the sign 2, which is impossible. */
static void multiplicities_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_multiplicities_run(context, self, chunk, 1, partial) != BASE_OK)
        *(int64_t *)partial = 2;
}

static bool is_sign(int64_t word) {
    return word >= -1 && word <= 1;
}

static bool multiplicities_is_possible(const void *self, const void *partial) {
    const perm_multiplicities *multiplicities = self;
    const int64_t *word = partial;
    return is_sign(word[0]) && (!multiplicities->is_complex || is_sign(word[multiplicities->word_count / 2]));
}

/* Out of memory it does not agree, which is not silent. */
static bool multiplicities_agrees(base_context *context, const void *self, int64_t chunk,
                                  const void *partial) {
    bool agrees;
    return perm_multiplicities_check(context, self, chunk, partial, &agrees) == BASE_OK && agrees;
}

static void multiplicities_prepare(const void *self, perm_sum *sum) {
    (void)self, (void)sum;
}

static base_status multiplicities_add(base_context *context, const void *self, int64_t chunk,
                                      const void *partial, perm_sum *sum) {
    perm_value value;
    (void)context;
    perm_value_init(&value);
    perm_multiplicities_chunk(self, partial, &value);
    perm_sum_add(sum, chunk, &value, NULL);
    perm_value_free(&value);
    return BASE_OK;
}

static void multiplicities_release(void *self) {
    perm_multiplicities_free(self);
    free(self);
}

base_status perm_multiplicities_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    perm_multiplicities *multiplicities = base_alloc_zero(context, 1, sizeof *multiplicities);
    *chunked = (perm_chunked){.kernel = "multiplicities",
                              .method = multiplicities,
                              .run = multiplicities_run,
                              .is_possible = multiplicities_is_possible,
                              .agrees = multiplicities_agrees,
                              .prepare = multiplicities_prepare,
                              .add = multiplicities_add,
                              .release = multiplicities_release};
    if (multiplicities == NULL)
        goto done;
    BASE_TRY(perm_multiplicities_init(context, get_distinct(task), multiplicities));
    chunked->chunks = multiplicities->chunk_count;
    chunked->chunk_subsets = (double)multiplicities->chunk_terms;
    chunked->terms = chunked->chunk_subsets * (double)chunked->chunks;
    chunked->partial_bytes = multiplicities->word_count * (int64_t)sizeof(int64_t);
done:
    return status;
}

/* ---- in doubles ---- */

/* Without memory a chunk has a negative error, which is impossible. */
static void rounded_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_multiplicities_double_run(context, self, chunk, partial) != BASE_OK)
        ((perm_multiplicities_partial *)partial)->error = -1;
}

static bool rounded_is_possible(const void *self, const void *numbers) {
    const perm_multiplicities_double *multiplicities = self;
    const perm_multiplicities_partial *partial = numbers;
    /* Weights add up to 2^N at most. */
    const double subsets =
        fmax((double)multiplicities->exact.chunk_terms, ldexp(1, (int)multiplicities->exact.total - 62));
    return perm_partial_is_possible(&partial->sum, subsets) && partial->error >= 0 &&
           isfinite(partial->error);
}

/* Exactly. Out of memory it does not agree, which is not silent. */
static bool rounded_agrees(base_context *context, const void *self, int64_t chunk, const void *numbers) {
    const perm_multiplicities_double *multiplicities = self;
    base_context silent = *context;
    perm_value value, exact, error;
    int64_t *word = base_alloc(&silent, multiplicities->exact.word_count, sizeof *word);
    silent.progress = NULL;
    bool agrees =
        word != NULL && perm_multiplicities_run(&silent, &multiplicities->exact, chunk, 1, word) == BASE_OK;
    if (agrees) {
        perm_value_init(&value);
        perm_value_init(&exact);
        perm_value_init(&error);
        perm_multiplicities_double_chunk(multiplicities, numbers, &value, &error);
        perm_multiplicities_chunk(&multiplicities->exact, word, &exact);
        mpz_neg(exact.re, exact.re);
        mpz_neg(exact.im, exact.im);
        perm_value_add(&value, &exact);
        agrees = perm_bound_at_most(perm_bound_of(&value), perm_bound_of(&error));
        perm_value_free(&value);
        perm_value_free(&exact);
        perm_value_free(&error);
    }
    free(word);
    return agrees;
}

/* The bounds of the chunks add up. */
static void rounded_prepare(const void *self, perm_sum *sum) {
    (void)self;
    sum->relative_error = 1;
}

static base_status rounded_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                               perm_sum *sum) {
    perm_value value, error;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&error);
    perm_multiplicities_double_chunk(self, partial, &value, &error);
    perm_sum_add(sum, chunk, &value, &error);
    perm_value_free(&value);
    perm_value_free(&error);
    return BASE_OK;
}

static void rounded_release(void *self) {
    perm_multiplicities_double_free(self);
    free(self);
}

base_status perm_multiplicities_double_open(base_context *context, const perm_task *task,
                                            perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    perm_multiplicities_double *multiplicities = base_alloc_zero(context, 1, sizeof *multiplicities);
    *chunked = (perm_chunked){.kernel = "multiplicities-double",
                              .method = multiplicities,
                              .partial_bytes = sizeof(perm_multiplicities_partial),
                              .run = rounded_run,
                              .is_possible = rounded_is_possible,
                              .agrees = rounded_agrees,
                              .prepare = rounded_prepare,
                              .add = rounded_add,
                              .release = rounded_release};
    if (multiplicities == NULL)
        goto done;
    BASE_TRY(perm_multiplicities_double_init(context, get_distinct(task), multiplicities));
    chunked->chunks = multiplicities->exact.chunk_count;
    chunked->chunk_subsets = (double)multiplicities->exact.chunk_terms;
    chunked->terms = chunked->chunk_subsets * (double)chunked->chunks;
done:
    return status;
}
