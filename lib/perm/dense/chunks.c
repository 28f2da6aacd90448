/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of dense.h on the processor. */
#include "perm/dense/chunks.h"
#include "base/core/memory.h"
#include "perm/dense/certify.h"

#include <stdlib.h>
#include <string.h>

typedef struct dense_method {
    perm_dense dense, other; /* `other` has another kernel */
    double relative_error;
} dense_method;

static void dense_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    perm_dense_run(context, &((const dense_method *)self)->dense, chunk, 1, partial);
}

static bool dense_is_possible(const void *self, const void *partial) {
    return perm_partial_is_possible(partial, ((const dense_method *)self)->dense.chunk_subsets);
}

static bool dense_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    const dense_method *method = self;
    perm_dense_partial again;
    base_context silent = *context;
    silent.progress = NULL;
    perm_dense_run(&silent, &method->other, chunk, 1, &again);
    return perm_partial_agree(partial, &again, method->relative_error);
}

static void dense_prepare(const void *self, perm_sum *sum) {
    const perm_dense *dense = &((const dense_method *)self)->dense;
    double relative_error, absolute_error;
    perm_dense_error(dense, &relative_error, &absolute_error);
    perm_partial_prepare(relative_error, absolute_error, dense->exponent, sum);
}

static base_status dense_add(base_context *context, const void *self, int64_t chunk, const void *partial,
                             perm_sum *sum) {
    const perm_dense *dense = &((const dense_method *)self)->dense;
    (void)context;
    perm_partial_add(partial, dense->problem.n, dense->exponent, chunk, sum);
    return BASE_OK;
}

static void dense_release(void *self) {
    dense_method *method = self;
    perm_dense_free(&method->dense);
    perm_dense_free(&method->other);
    free(method);
}

base_status perm_dense_chunks(base_context *context, const perm_dense_matrix *entries, const char *kernel,
                              bool certify, bool verify, perm_chunked *chunked) {
    base_status status = BASE_MACHINE;
    dense_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .partial_bytes = sizeof(perm_dense_partial),
                              .run = dense_run,
                              .is_possible = dense_is_possible,
                              .agrees = dense_agrees,
                              .prepare = dense_prepare,
                              .add = dense_add,
                              .release = dense_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_dense_init(context, entries, kernel, &method->dense));
    if (certify)
        BASE_TRY(perm_dense_certify(context, &method->dense));
    if (verify) {
        bool portable = method->dense.kernel == &perm_dense_portable;
        BASE_TRY(perm_dense_init(context, entries, portable ? perm_dense_ref.name : perm_dense_portable.name,
                                 &method->other));
        if (certify)
            BASE_TRY(perm_dense_certify(context, &method->other));
    }
    double absolute_error;
    perm_dense_error(&method->dense, &method->relative_error, &absolute_error);
    chunked->kernel = method->dense.kernel->name;
    chunked->chunks = method->dense.chunk_count;
    chunked->chunk_subsets = method->dense.chunk_subsets;
    chunked->sampled_seconds = method->dense.seconds;
done:
    return status;
}

base_status perm_dense_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    perm_dense_matrix entries;
    *chunked = (perm_chunked){.chunks = 0};
    base_status status = perm_dense_matrix_init(context, task->matrix, &entries);
    if (status == BASE_OK)
        status =
            perm_dense_chunks(context, &entries, task->candidate->name, task->certify, task->verify, chunked);
    perm_dense_matrix_free(&entries);
    return status;
}
