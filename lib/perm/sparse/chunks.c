/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of sums over tables (sparse.h). */
#include "base/core/memory.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/sparse/internal.h"
#include "perm/subsets/partial.h"

#include <math.h>
#include <stdlib.h>

typedef struct sparse_method {
    perm_sparse sparse, other; /* `other` has another kernel */
    double relative_error;
} sparse_method;

/* A chunk without memory for its work has a negative sum of absolute values, which is impossible. */
static void sparse_run(base_context *context, const void *self, int64_t chunk, void *partial) {
    if (perm_sparse_run(context, &((const sparse_method *)self)->sparse, chunk, 1, partial) != BASE_OK)
        *(perm_dense_partial *)partial = (perm_dense_partial){.magnitude = -1};
}

bool perm_chunks_sparse_is_possible(const void *self, const void *partial) {
    return perm_partial_is_possible(partial, ((const perm_sparse *)self)->chunk_subsets);
}

/* Kernels bound the sizes of complex products in different ways, of which each factor changes at most
 * sqrt(2): where the magnitudes of a chunk are so near to each other, both get the larger one. */
static void level_magnitudes(const perm_sparse *sparse, perm_dense_partial *a, perm_dense_partial *b) {
    const double most = fmax(a->magnitude, b->magnitude), least = fmin(a->magnitude, b->magnitude);
    if (sparse->problem.is_complex && most <= least * exp2((double)sparse->problem.n / 2) * (1 + 1e-6))
        a->magnitude = b->magnitude = most;
}

/* Out of memory it does not agree, which is not silent. */
static bool sparse_agrees(base_context *context, const void *self, int64_t chunk, const void *partial) {
    const sparse_method *method = self;
    perm_dense_partial first = *(const perm_dense_partial *)partial, again;
    base_context silent = *context;
    silent.progress = NULL;
    if (perm_sparse_run(&silent, &method->other, chunk, 1, &again) != BASE_OK)
        return false;
    level_magnitudes(&method->sparse, &first, &again);
    return perm_partial_agree(&first, &again, method->relative_error);
}

void perm_chunks_sparse_prepare(const void *self, perm_sum *sum) {
    const perm_sparse *sparse = self;
    double relative_error, absolute_error;
    perm_sparse_error(sparse, &relative_error, &absolute_error);
    perm_partial_prepare(relative_error, absolute_error, sparse->exponent, sum);
}

base_status perm_chunks_sparse_add(base_context *context, const void *self, int64_t chunk,
                                   const void *partial, perm_sum *sum) {
    const perm_sparse *sparse = self;
    (void)context;
    perm_partial_add(partial, sparse->problem.n, sparse->exponent, chunk, sum);
    return BASE_OK;
}

static void sparse_release(void *self) {
    sparse_method *method = self;
    perm_sparse_free(&method->sparse);
    perm_sparse_free(&method->other);
    free(method);
}

/* One that takes not much longer with the same plan. */
static const perm_sparse_kernel *other_kernel(const perm_sparse_kernel *kernel) {
    if (kernel->is_gray)
        return kernel == &perm_sparse_gray_portable ? &perm_sparse_ref : &perm_sparse_gray_portable;
    return kernel == &perm_sparse_portable ? &perm_sparse_ref : &perm_sparse_portable;
}

base_status perm_sparse_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const perm_sparse_plan *plan = task->candidate->prepared;
    base_status status = BASE_MACHINE;
    perm_dense_matrix entries = {.n = 0};
    sparse_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.method = method,
                              .partial_bytes = sizeof(perm_dense_partial),
                              .run = sparse_run,
                              .is_possible = perm_chunks_sparse_is_possible,
                              .agrees = sparse_agrees,
                              .prepare = perm_chunks_sparse_prepare,
                              .add = perm_chunks_sparse_add,
                              .release = sparse_release};
    if (method == NULL)
        goto done;
    BASE_TRY(perm_dense_matrix_init(context, task->matrix, &entries));
    BASE_TRY(perm_sparse_init(context, &entries, task->candidate->name, NULL, plan, &method->sparse));
    if (task->verify)
        BASE_TRY(perm_sparse_init(context, &entries, other_kernel(method->sparse.kernel)->name, NULL, plan,
                                  &method->other));
    double absolute_error;
    perm_sparse_error(&method->sparse, &method->relative_error, &absolute_error);
    chunked->kernel = method->sparse.kernel->name;
    chunked->chunks = method->sparse.chunk_count;
    chunked->chunk_subsets = method->sparse.chunk_subsets;
    chunked->sampled_seconds = method->sparse.seconds;
done:
    perm_dense_matrix_free(&entries);
    return status;
}
