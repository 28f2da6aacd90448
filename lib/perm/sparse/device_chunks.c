/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of sparse.h on devices. */
#include "base/core/memory.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/sparse/device.h"
#include "perm/sparse/internal.h"
#include "perm/subsets/partial.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PERM_CHUNKED_SLOTS < (int)PERM_SPARSE_CUDA_SLOTS, "a slot for single chunks");

typedef struct sparse_method {
    perm_sparse sparse;
    base_devices *devices;
    perm_sparse_launch launch, other_launch;
    perm_sparse_cuda cuda[BASE_DEVICES], other[BASE_DEVICES]; /* opened by need */
} sparse_method;

static base_status open_cuda(base_context *context, const sparse_method *method, int number,
                             const perm_sparse_launch *launch, perm_sparse_cuda *cuda) {
    if (cuda->device != NULL)
        return BASE_OK;
    return perm_sparse_cuda_init(context, base_devices_get(method->devices, number), &method->sparse, launch,
                                 cuda);
}

static base_status sparse_submit(base_context *context, void *self, int number, int slot, int64_t first,
                                 int64_t count) {
    base_status status;
    sparse_method *method = self;
    perm_sparse_cuda *cuda = &method->cuda[number];
    BASE_TRY(open_cuda(context, method, number, &method->launch, cuda));
    BASE_TRY(perm_sparse_cuda_submit(context, cuda, slot, first, count));
done:
    return status;
}

static base_status sparse_collect(base_context *context, void *self, int number, int slot, void *partials) {
    return perm_sparse_cuda_collect(context, &((sparse_method *)self)->cuda[number], slot, partials);
}

/* By code for another launch configuration, which gives the same bits, or another way through the subsets. */
static base_status sparse_compare(base_context *context, void *self, int number, int64_t first, int64_t count,
                                  const void *partials, bool *agrees) {
    base_status status = BASE_MACHINE;
    sparse_method *method = self;
    const perm_dense_partial *partial = partials;
    base_context silent = *context;
    silent.progress = NULL;
    perm_dense_partial *again = base_alloc(context, count, sizeof *again);
    if (again == NULL)
        goto done;
    BASE_TRY(open_cuda(&silent, method, number, &method->other_launch, &method->other[number]));
    BASE_TRY(perm_sparse_cuda_run(&silent, &method->other[number], first, count, again));
    double relative_error, absolute_error;
    perm_sparse_error(&method->sparse, &relative_error, &absolute_error);
    for (int64_t k = 0; k < count; k++)
        agrees[k] = method->launch.variant == PERM_SPARSE_TABLES
                        ? memcmp(&partial[k], &again[k], sizeof *again) == 0
                        : perm_partial_agree(&partial[k], &again[k], relative_error);
done:
    context->error = silent.error;
    free(again);
    return status;
}

static void sparse_release(void *self) {
    sparse_method *method = self;
    for (int k = 0; k < BASE_DEVICES; k++) {
        perm_sparse_cuda_free(&method->cuda[k]);
        perm_sparse_cuda_free(&method->other[k]);
    }
    perm_sparse_free(&method->sparse);
    free(method);
}

/* The other launch configuration of the tables: fewer values in registers, all changes in loops. */
static void choose_shapes(sparse_method *method, perm_sparse_variant variant) {
    const perm_sparse_problem *problem = &method->sparse.problem;
    method->launch = perm_sparse_cuda_launch;
    method->other_launch = (perm_sparse_launch){.threads = 32, .resident = 12};
    if (variant != PERM_SPARSE_TABLES && method->sparse.chunk_count > 0) {
        method->launch = perm_sparse_cuda_gray_launch(problem, variant);
        method->other_launch = perm_sparse_cuda_gray_launch(
            problem, variant == PERM_SPARSE_HYBRID ? PERM_SPARSE_REGISTERS : PERM_SPARSE_HYBRID);
    }
}

static base_status open_way(base_context *context, perm_sparse_variant variant, const perm_task *task,
                            perm_chunked *chunked) {
    const perm_sparse_plan *plan = task->candidate->prepared;
    base_status status = BASE_MACHINE;
    perm_dense_matrix entries = {.n = 0};
    sparse_method *method = base_alloc_zero(context, 1, sizeof *method);
    *chunked = (perm_chunked){.kernel = task->candidate->method->name,
                              .method = method,
                              .partial_bytes = sizeof(perm_dense_partial),
                              .is_possible = perm_chunks_sparse_is_possible,
                              .prepare = perm_chunks_sparse_prepare,
                              .add = perm_chunks_sparse_add,
                              .release = sparse_release,
                              .workers = base_devices_count(task->devices),
                              .submit = sparse_submit,
                              .collect = sparse_collect,
                              .compare = sparse_compare};
    if (method == NULL)
        goto done;
    method->devices = task->devices;
    BASE_TRY(perm_dense_matrix_init(context, task->matrix, &entries));
    BASE_TRY(perm_sparse_cuda_prepare(context, &entries, variant, plan, &method->sparse));
    choose_shapes(method, variant);
    chunked->chunks = method->sparse.chunk_count;
    chunked->chunk_subsets = method->sparse.chunk_subsets;
    chunked->sampled_seconds = method->sparse.seconds;
    if (chunked->chunks > 0)
        chunked->batch = perm_sparse_cuda_batch(&method->sparse, chunked->workers);
    chunked->together = chunked->batch / 16; /* of what keeps a device busy for long */
done:
    perm_dense_matrix_free(&entries);
    return status;
}

base_status perm_sparse_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return open_way(context, PERM_SPARSE_TABLES, task, chunked);
}

base_status perm_register_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return open_way(context, PERM_SPARSE_REGISTERS, task, chunked);
}

base_status perm_hybrid_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return open_way(context, PERM_SPARSE_HYBRID, task, chunked);
}
