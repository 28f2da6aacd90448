/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of multiprecision.h. */
#include "base/core/memory.h"
#include "perm/mpfr/internal.h"

#include <stdlib.h>

typedef struct multiprecision_method {
    perm_multiprecision multiprecision, other; /* `other` has more bits */
} multiprecision_method;

static void multiprecision_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_multiprecision_run(context, &((const multiprecision_method *)self)->multiprecision, chunk, 1,
                            partial);
}

static bool multiprecision_is_possible(const void *self, const void *partial) {
    return perm_multiprecision_is_possible(&((const multiprecision_method *)self)->multiprecision, partial);
}

static void sum_chunk(const perm_multiprecision *multiprecision, const int64_t *word, perm_value *value) {
    perm_value magnitude;
    perm_value_init(&magnitude);
    perm_multiprecision_chunk(multiprecision, word, value, &magnitude);
    value->error =
        perm_bound_multiply(perm_bound_of(&magnitude),
                            perm_bound_from_double(perm_multiprecision_relative_error(multiprecision)));
    perm_value_free(&magnitude);
}

/* Out of memory it does not agree, which is not silent. */
static bool multiprecision_agrees(base_context *context, const void *self, int64_t chunk,
                                  const void *partial) {
    const multiprecision_method *method = self;
    base_context silent = *context;
    int64_t *word = base_alloc(&silent, method->other.word_count, sizeof *word);
    perm_value first, second;
    if (word == NULL)
        return false;
    silent.progress = NULL;
    perm_value_init(&first);
    perm_value_init(&second);
    perm_multiprecision_run(&silent, &method->other, chunk, 1, word);
    sum_chunk(&method->multiprecision, partial, &first);
    sum_chunk(&method->other, word, &second);
    mpz_neg(second.re, second.re);
    mpz_neg(second.im, second.im);
    perm_value_add(&first, &second);
    bool agrees = perm_bound_at_most(perm_bound_of(&first), perm_bound_add(first.error, first.error));
    perm_value_free(&first);
    perm_value_free(&second);
    free(word);
    return agrees;
}

static void multiprecision_prepare(const void *self, perm_sum *sum) {
    sum->relative_error =
        perm_multiprecision_relative_error(&((const multiprecision_method *)self)->multiprecision);
}

static base_status multiprecision_add(base_context *context, const void *self, int64_t chunk,
                                      const void *partial, perm_sum *sum) {
    perm_value value, magnitude;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&magnitude);
    perm_multiprecision_chunk(&((const multiprecision_method *)self)->multiprecision, partial, &value,
                              &magnitude);
    perm_sum_add(sum, chunk, &value, &magnitude);
    perm_value_free(&value);
    perm_value_free(&magnitude);
    return BASE_OK;
}

static void multiprecision_release(void *self) {
    multiprecision_method *method = self;
    perm_multiprecision_free(&method->multiprecision);
    perm_multiprecision_free(&method->other);
    free(method);
}

base_status perm_multiprecision_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const int64_t bits = task->candidate->parameter;
    base_status status = BASE_MACHINE;
    multiprecision_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.kernel = "mpfr",
                              .method = method,
                              .run = multiprecision_run,
                              .is_possible = multiprecision_is_possible,
                              .agrees = multiprecision_agrees,
                              .prepare = multiprecision_prepare,
                              .add = multiprecision_add,
                              .release = multiprecision_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_multiprecision_init(context, task->matrix, bits, &method->multiprecision));
    if (task->verify)
        BASE_TRY(perm_multiprecision_init(context, task->matrix, bits + 64, &method->other));
    chunked->chunks = method->multiprecision.chunk_count;
    chunked->chunk_subsets = method->multiprecision.chunk_subsets;
    chunked->partial_bytes = method->multiprecision.word_count * (int64_t)sizeof(int64_t);
done:
    return status;
}
