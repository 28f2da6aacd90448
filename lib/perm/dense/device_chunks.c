/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of dense.h on devices: in the processor's order, and by the forms of pairs.h and tensor.h. */
#include "perm/chunks/device_sums.h"
#include "perm/dense/chunks.h"
#include "perm/dense/device.h"
#include "perm/dense/internal.h"
#include "perm/dense/pairs.h"
#include "perm/dense/tensor.h"

#include <math.h>

/* ---- dense.h ---- */

static base_status make_dense(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    (void)number;
    return perm_dense_device_sum(context, problem, sum);
}

bool perm_dense_device_agree(const void *problem, const void *a, const void *b) {
    double relative_error, absolute_error;
    perm_dense_error(problem, &relative_error, &absolute_error);
    return perm_partial_agree(a, b, relative_error);
}

static const perm_chunks_sums_kind dense_kind = {"dense-cuda", PERM_DENSE_DEVICE_LOG2_LAUNCH, make_dense,
                                                 perm_dense_device_agree};

base_status perm_dense_device_open(base_context *context, const perm_chunks_sums_kind *kind,
                                   const perm_task *task, bool certify, perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    perm_dense_matrix entries = {.n = 0};
    BASE_TRY(perm_chunks_sums_begin(context, task->devices, &method, chunked));
    BASE_TRY(perm_dense_matrix_init(context, task->matrix, &entries));
    BASE_TRY(perm_dense_chunks(context, &entries, NULL, certify, false, &method->processor));
    const perm_dense *dense = method->processor.method;
    BASE_TRY(perm_chunks_sums_finish(context, kind, dense->seconds, method, chunked));
done:
    perm_dense_matrix_free(&entries);
    return status;
}

base_status perm_dense_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const base_status status = perm_dense_device_open(context, &dense_kind, task, task->certify, chunked);
    /* The processor's bounds are other ones. */
    if (status == BASE_OK && task->certify)
        ((perm_chunks_sums *)chunked->method)->chunk_seconds = INFINITY;
    return status;
}

/* ---- pairs.h, tensor.h ---- */

static base_status make_pairs(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    (void)number;
    return perm_pairs_device_sum(context, problem, sum);
}

static base_status make_tensor(base_context *context, const void *problem, int64_t number,
                               perm_device_sum *sum) {
    (void)number;
    return perm_tensor_device_sum(context, problem, sum);
}

/* Their magnitudes are not those of the processor. */
static bool agree_values(const perm_dense_partial *a, const perm_dense_partial *b, double relative_error) {
    return fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <=
           2 * relative_error * fmax(a->magnitude, b->magnitude) + 0x1p-900;
}

static bool agree_pairs(const void *problem, const void *a, const void *b) {
    return agree_values(a, b, perm_pairs_device_relative_error(problem));
}

static bool agree_tensor(const void *problem, const void *a, const void *b) {
    double relative_error, absolute_error;
    perm_tensor_device_error(problem, &relative_error, &absolute_error);
    return agree_values(a, b, relative_error);
}

static void prepare_pairs(const void *self, perm_sum *sum) {
    const perm_dense *dense = ((const perm_chunks_sums *)self)->processor.method;
    double relative_error, absolute_error;
    perm_pairs_device_error(dense, &relative_error, &absolute_error);
    perm_partial_prepare(relative_error, absolute_error, dense->exponent, sum);
}

static void prepare_tensor(const void *self, perm_sum *sum) {
    const perm_dense *dense = ((const perm_chunks_sums *)self)->processor.method;
    double relative_error, absolute_error;
    perm_tensor_device_error(dense, &relative_error, &absolute_error);
    perm_partial_prepare(relative_error, absolute_error, dense->exponent, sum);
}

static const perm_chunks_sums_kind pairs_kind = {"dense-pairs-cuda", PERM_PAIRS_DEVICE_LOG2_LAUNCH,
                                                 make_pairs, agree_pairs};
static const perm_chunks_sums_kind tensor_kind = {"dense-tensor-cuda", PERM_TENSOR_DEVICE_LOG2_LAUNCH,
                                                  make_tensor, agree_tensor};

base_status perm_dense_pairs_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const base_status status = perm_dense_device_open(context, &pairs_kind, task, false, chunked);
    if (status == BASE_OK) {
        perm_chunks_sums *method = chunked->method;
        method->chunk_seconds = INFINITY; /* the processor's chunks are other sums, of other terms */
        chunked->sampled_seconds = 0;
        chunked->prepare = prepare_pairs;
    }
    return status;
}

base_status perm_dense_tensor_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    const base_status status = perm_dense_device_open(context, &tensor_kind, task, false, chunked);
    if (status == BASE_OK)
        chunked->prepare = prepare_tensor;
    return status;
}
