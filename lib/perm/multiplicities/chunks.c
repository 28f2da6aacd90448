/* The chunks of sums over multiplicities. */
#include "perm/chunks/chunks.h"
#include "base/core/memory.h"
#include "perm/chunks/partial.h"
#include "perm/multiplicities/double.h"
#include <math.h>
#include <stdlib.h>

/* ---- exactly ---- */

/* A chunk without memory for its work has the sign 2, which is impossible. */
static void repeated_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_repeated_run(context, self, chunk, 1, partial) != BASE_OK)
        *(int64_t *)partial = 2;
}

static bool is_sign(int64_t word) {
    return word >= -1 && word <= 1;
}

static bool repeated_is_possible(const void *self, const void *partial) {
    const perm_repeated *repeated = self;
    const int64_t *word = partial;
    return is_sign(word[0]) && (!repeated->is_complex || is_sign(word[repeated->word_count / 2]));
}

/* Out of memory it does not agree, which is not silent. */
static bool repeated_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    bool agrees;
    return perm_repeated_check(context, self, chunk, partial, &agrees) == BASE_OK && agrees;
}

static void repeated_prepare(const void *self, perm_sum *sum) {
    (void)self, (void)sum;
}

static base_status repeated_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                                perm_sum *sum) {
    perm_value value;
    (void)context;
    perm_value_init(&value);
    perm_repeated_chunk(self, partial, &value);
    perm_sum_add(sum, chunk, &value, NULL);
    perm_value_free(&value);
    return BASE_OK;
}

static void repeated_release(void *self) {
    perm_repeated_free(self);
    free(self);
}

base_status perm_chunked_repeated(base_context *context, const perm_lines *lines, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    perm_repeated *repeated = base_alloc_zero(context, 1, sizeof *repeated);
    *chunked = (perm_chunked){.kernel = "repeated",
                              .method = repeated,
                              .run = repeated_run,
                              .is_possible = repeated_is_possible,
                              .agrees = repeated_agrees,
                              .prepare = repeated_prepare,
                              .add = repeated_add,
                              .release = repeated_release};
    if (!repeated)
        goto done;
    BASE_TRY(perm_repeated_init(context, lines, repeated));
    chunked->chunks = repeated->chunk_count;
    chunked->chunk_subsets = (double)repeated->chunk_terms;
    chunked->partial_bytes = repeated->word_count * (int64_t)sizeof(int64_t);
done:
    if (status != BASE_OK && repeated)
        perm_chunked_free(chunked);
    return status;
}

/* ---- in doubles ---- */

/* Without memory a chunk has a negative error, which is impossible. */
static void rounded_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_repeated_double_run(context, self, chunk, partial) != BASE_OK)
        ((perm_repeated_partial *)partial)->error = -1;
}

static bool rounded_is_possible(const void *self, const void *numbers) {
    const perm_repeated_double *repeated = self;
    const perm_repeated_partial *partial = numbers;
    /* Weights add up to 2^N at most. */
    const double subsets =
        fmax((double)repeated->exact.chunk_terms, ldexp(1, (int)repeated->exact.total - 62));
    return perm_partial_is_possible(&partial->sum, subsets) && partial->error >= 0 &&
           isfinite(partial->error);
}

/* Exactly. Out of memory it does not agree, which is not silent. */
static bool rounded_agrees(base_context *context, const void *self, int64_t chunk, const void *numbers) {
    const perm_repeated_double *repeated = self;
    base_context silent = *context;
    perm_value value, exact, error;
    int64_t *word = base_alloc_silent(repeated->exact.word_count, sizeof *word);
    silent.progress = NULL;
    bool agrees = word && perm_repeated_run(&silent, &repeated->exact, chunk, 1, word) == BASE_OK;
    if (agrees) {
        perm_value_init(&value);
        perm_value_init(&exact);
        perm_value_init(&error);
        perm_repeated_double_chunk(repeated, numbers, &value, &error);
        perm_repeated_chunk(&repeated->exact, word, &exact);
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
    sum->slope = 1;
}

static base_status rounded_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                               perm_sum *sum) {
    perm_value value, error;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&error);
    perm_repeated_double_chunk(self, partial, &value, &error);
    perm_sum_add(sum, chunk, &value, &error);
    perm_value_free(&value);
    perm_value_free(&error);
    return BASE_OK;
}

static void rounded_release(void *self) {
    perm_repeated_double_free(self);
    free(self);
}

base_status perm_chunked_repeated_double(base_context *context, const perm_lines *lines,
                                         perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    perm_repeated_double *repeated = base_alloc_zero(context, 1, sizeof *repeated);
    *chunked = (perm_chunked){.kernel = "repeated-double",
                              .method = repeated,
                              .partial_bytes = sizeof(perm_repeated_partial),
                              .run = rounded_run,
                              .is_possible = rounded_is_possible,
                              .agrees = rounded_agrees,
                              .prepare = rounded_prepare,
                              .add = rounded_add,
                              .release = rounded_release};
    if (!repeated)
        goto done;
    BASE_TRY(perm_repeated_double_init(context, lines, repeated));
    chunked->chunks = repeated->exact.chunk_count;
    chunked->chunk_subsets = (double)repeated->exact.chunk_terms;
done:
    if (status != BASE_OK && repeated)
        perm_chunked_free(chunked);
    return status;
}
