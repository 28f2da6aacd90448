/* The chunks of double-double sums and of MPFR's. */
#include "perm/chunks/chunks.h"
#include "base/core/memory.h"
#include "perm/doubledouble/doubledouble.h"
#include "perm/mpfr/multiprecision.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- doubledouble.h ---- */

typedef struct twofold_method {
    perm_twofold twofold, other; /* `other` has another kernel */
} twofold_method;

static void twofold_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_twofold_run(context, &((const twofold_method *)self)->twofold, chunk, 1, partial);
}

/* The lower parts have gathered the roundings of up to 2^13 additions of the parts above them. */
static bool twofold_is_possible(const void *self, const void *numbers) {
    const twofold_method *method = self;
    const perm_twofold_partial *partial = numbers;
    const double most = partial->magnitude * (1 + 1e-6) + 0x1p-1000;
    bool possible = partial->magnitude >= 0 && partial->magnitude <= ldexp(method->twofold.chunk_subsets, 63);
    for (int part = 0; part < 2; part++)
        possible = possible && fabs(partial->high[part]) <= most &&
                   fabs(partial->middle[part]) <= most * 0x1p-40 &&
                   fabs(partial->low[part]) <= most * 0x1p-80;
    return possible;
}

/* The bits of a sum are the same by every kernel. */
static bool twofold_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    perm_twofold_partial again;
    base_context silent = *context;
    silent.progress = NULL;
    perm_twofold_run(&silent, &((const twofold_method *)self)->other, chunk, 1, &again);
    return memcmp(&again, partial, sizeof again) == 0;
}

static void twofold_prepare(const void *self, perm_sum *sum) {
    perm_twofold_error(&((const twofold_method *)self)->twofold, &sum->slope, &sum->constant);
}

static base_status twofold_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                               perm_sum *sum) {
    perm_value value, magnitude;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&magnitude);
    perm_twofold_chunk(&((const twofold_method *)self)->twofold, partial, &value, &magnitude);
    perm_sum_add(sum, chunk, &value, &magnitude);
    perm_value_free(&value);
    perm_value_free(&magnitude);
    return BASE_OK;
}

static void twofold_release(void *self) {
    twofold_method *method = self;
    perm_twofold_free(&method->twofold);
    perm_twofold_free(&method->other);
    free(method);
}

base_status perm_chunked_twofold(base_context *context, const perm_matrix *matrix, const char *kernel,
                                 bool verify, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    twofold_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .partial_bytes = sizeof(perm_twofold_partial),
                              .run = twofold_run,
                              .is_possible = twofold_is_possible,
                              .agrees = twofold_agrees,
                              .prepare = twofold_prepare,
                              .add = twofold_add,
                              .release = twofold_release};
    if (!method)
        goto done;
    BASE_TRY(perm_twofold_init(context, matrix, kernel, &method->twofold));
    if (verify)
        BASE_TRY(perm_twofold_init(
            context, matrix,
            (method->twofold.problem.is_complex ? &perm_twofold_ref : &perm_twofold_portable)->name,
            &method->other));
    chunked->kernel = method->twofold.kernel->name;
    chunked->chunks = method->twofold.chunk_count;
    chunked->chunk_subsets = method->twofold.chunk_subsets;
done:
    if (status != BASE_OK && method)
        perm_chunked_free(chunked);
    return status;
}

/* ---- mpfr/multiprecision.h ---- */

typedef struct arbitrary_method {
    perm_arbitrary arbitrary, other; /* `other` has more bits */
} arbitrary_method;

static void arbitrary_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_arbitrary_run(context, &((const arbitrary_method *)self)->arbitrary, chunk, 1, partial);
}

static bool arbitrary_is_possible(const void *self, const void *partial) {
    return perm_arbitrary_is_possible(&((const arbitrary_method *)self)->arbitrary, partial);
}

static void sum_chunk(const perm_arbitrary *arbitrary, const int64_t *word, perm_value *value) {
    perm_value magnitude;
    perm_value_init(&magnitude);
    perm_arbitrary_chunk(arbitrary, word, value, &magnitude);
    value->error = perm_bound_multiply(perm_bound_of(&magnitude),
                                       perm_bound_from_double(perm_arbitrary_slope(arbitrary)));
    perm_value_free(&magnitude);
}

/* Out of memory it does not agree, which is not silent. */
static bool arbitrary_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    const arbitrary_method *method = self;
    int64_t *word = base_alloc_silent(method->other.word_count, sizeof *word);
    base_context silent = *context;
    perm_value first, second;
    if (!word)
        return false;
    silent.progress = NULL;
    perm_value_init(&first);
    perm_value_init(&second);
    perm_arbitrary_run(&silent, &method->other, chunk, 1, word);
    sum_chunk(&method->arbitrary, partial, &first);
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

static void arbitrary_prepare(const void *self, perm_sum *sum) {
    sum->slope = perm_arbitrary_slope(&((const arbitrary_method *)self)->arbitrary);
}

static base_status arbitrary_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                                 perm_sum *sum) {
    perm_value value, magnitude;
    (void)context;
    perm_value_init(&value);
    perm_value_init(&magnitude);
    perm_arbitrary_chunk(&((const arbitrary_method *)self)->arbitrary, partial, &value, &magnitude);
    perm_sum_add(sum, chunk, &value, &magnitude);
    perm_value_free(&value);
    perm_value_free(&magnitude);
    return BASE_OK;
}

static void arbitrary_release(void *self) {
    arbitrary_method *method = self;
    perm_arbitrary_free(&method->arbitrary);
    perm_arbitrary_free(&method->other);
    free(method);
}

base_status perm_chunked_arbitrary(base_context *context, const perm_matrix *matrix, int64_t bits,
                                   bool verify, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    arbitrary_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.kernel = "mpfr",
                              .method = method,
                              .run = arbitrary_run,
                              .is_possible = arbitrary_is_possible,
                              .agrees = arbitrary_agrees,
                              .prepare = arbitrary_prepare,
                              .add = arbitrary_add,
                              .release = arbitrary_release};
    if (!method)
        goto done;
    BASE_TRY(perm_arbitrary_init(context, matrix, bits, &method->arbitrary));
    if (verify)
        BASE_TRY(perm_arbitrary_init(context, matrix, bits + 64, &method->other));
    chunked->chunks = method->arbitrary.chunk_count;
    chunked->chunk_subsets = method->arbitrary.chunk_subsets;
    chunked->partial_bytes = method->arbitrary.word_count * (int64_t)sizeof(int64_t);
done:
    if (status != BASE_OK && method)
        perm_chunked_free(chunked);
    return status;
}
