/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of exact.h on the processor. */
#include "perm/exact/chunks.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct exact_method {
    perm_exact exact, other, check; /* another kernel, another prime; for --verify */
} exact_method;

static void exact_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_exact_run(context, &((const exact_method *)self)->exact, chunk, 1, partial);
}

static bool exact_is_possible(const void *self, const void *partial) {
    const perm_exact *exact = &((const exact_method *)self)->exact;
    const int64_t *residue = partial;
    bool possible = true;
    for (int64_t k = 0; k < exact->residue_count; k++)
        possible = possible && residue[k] >= 0 && residue[k] < exact->prime[k];
    return possible;
}

/* Out of memory it does not agree, which is not silent. */
static bool exact_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    const exact_method *method = self;
    const size_t bytes = (size_t)method->other.residue_count * sizeof(int64_t);
    base_context silent = *context;
    silent.progress = NULL;
    int64_t *residue = base_alloc(&silent, method->other.residue_count, sizeof *residue);
    if (residue == NULL)
        return false;
    perm_exact_run(&silent, &method->other, chunk, 1, residue);
    bool same = memcmp(residue, partial, bytes) == 0;
    free(residue);
    return same;
}

static void exact_prepare(const void *self, perm_sum *sum) {
    const perm_exact *exact = &((const exact_method *)self)->exact;
    mpz_abs(sum->modulus, exact->factor);
    for (int64_t k = 0; k < exact->residue_count; k += exact->is_complex ? 2 : 1)
        mpz_mul_si(sum->modulus, sum->modulus, (long)exact->prime[k]);
}

/* What one chunk amounts to is a sum of one chunk. */
static base_status exact_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                             perm_sum *sum) {
    perm_exact one = ((const exact_method *)self)->exact;
    perm_value value;
    perm_value_init(&value);
    one.chunk_count = 1;
    base_status status = perm_exact_fold(context, &one, partial, &value);
    if (status == BASE_OK)
        perm_sum_add(sum, chunk, &value, NULL);
    perm_value_free(&value);
    return status;
}

static base_status exact_confirm(base_context *context, const void *self, const perm_value *value,
                                 bool *agrees) {
    const perm_exact *check = &((const exact_method *)self)->check;
    int64_t *residue = base_alloc(context, check->chunk_count * check->residue_count, sizeof *residue);
    if (residue == NULL)
        return BASE_MACHINE;
    perm_exact_run(context, check, 0, check->chunk_count, residue);
    base_status status = perm_exact_agrees(context, check, residue, value, agrees);
    free(residue);
    return status;
}

static void exact_release(void *self) {
    exact_method *method = self;
    perm_exact_free(&method->exact);
    perm_exact_free(&method->other);
    perm_exact_free(&method->check);
    free(method);
}

base_status perm_exact_chunks_add_check(base_context *context, const perm_matrix *matrix, const char *kernel,
                                        perm_chunked *chunked) {
    return perm_exact_init_check(context, matrix, kernel, &((exact_method *)chunked->method)->check);
}

const perm_exact *perm_exact_chunks_check(const perm_chunked *chunked) {
    return &((const exact_method *)chunked->method)->check;
}

base_status perm_exact_chunks(base_context *context, const perm_matrix *matrix, const char *kernel,
                              bool verify, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    exact_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .run = exact_run,
                              .is_possible = exact_is_possible,
                              .agrees = exact_agrees,
                              .prepare = exact_prepare,
                              .add = exact_add,
                              .confirm = exact_confirm,
                              .release = exact_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_exact_init(context, matrix, kernel, &method->exact));
    if (verify) {
        bool portable = method->exact.kernel == &perm_exact_portable;
        BASE_TRY(perm_exact_init(context, matrix, portable ? perm_exact_ref.name : perm_exact_portable.name,
                                 &method->other));
        BASE_TRY(perm_exact_chunks_add_check(context, matrix, kernel, chunked));
    }
    chunked->kernel = method->exact.kernel->name;
    chunked->chunks = method->exact.problem_count > 0 ? method->exact.chunk_count : 0;
    chunked->partial_bytes = method->exact.residue_count * (int64_t)sizeof(int64_t);
    chunked->chunk_subsets = method->exact.chunk_subsets;
done:
    return status;
}

base_status perm_exact_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return perm_exact_chunks(context, task->matrix, task->candidate->name, task->verify, chunked);
}
