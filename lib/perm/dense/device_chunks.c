/* The chunks of dense.h, exact/exact.h and doubledouble/doubledouble.h on devices. */
#include "perm/subsets/device_chunks.h"
#include "base/core/memory.h"
#include "perm/chunks/partial.h"
#include "perm/dense/device.h"
#include "perm/dense/pairs.h"
#include "perm/dense/tensor.h"
#include "perm/doubledouble/device.h"
#include "perm/exact/device.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- dense.h ---- */

static base_status make_dense(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    (void)number;
    return perm_dense_device_sum(context, problem, sum);
}

static bool agree_dense(const void *problem, const void *a, const void *b) {
    double slope, constant;
    perm_dense_error(problem, &slope, &constant);
    return perm_partial_agree(a, b, slope);
}

static const perm_chunks_sums_kind dense_kind = {"dense-cuda", PERM_DENSE_DEVICE_LOG2_LAUNCH, make_dense,
                                                 agree_dense};

static base_status open_dense(base_context *context, const perm_chunks_sums_kind *kind,
                              const perm_matrix *matrix, base_devices *devices, perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    BASE_TRY(perm_chunks_sums_begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_dense(context, matrix, NULL, false, &method->processor));
    const perm_dense *dense = method->processor.method;
    BASE_TRY(perm_chunks_sums_finish(context, kind, dense->seconds, method, chunked));
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}

base_status perm_chunked_dense_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                    perm_chunked *chunked) {
    return open_dense(context, &dense_kind, matrix, devices, chunked);
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
static bool agree_values(const perm_dense_partial *a, const perm_dense_partial *b, double slope) {
    return fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <=
           2 * slope * fmax(a->magnitude, b->magnitude) + 0x1p-900;
}

static bool agree_pairs(const void *problem, const void *a, const void *b) {
    return agree_values(a, b, perm_pairs_device_slope(problem));
}

static bool agree_tensor(const void *problem, const void *a, const void *b) {
    double slope, constant;
    perm_tensor_device_error(problem, &slope, &constant);
    return agree_values(a, b, slope);
}

static void prepare_pairs(const void *self, perm_sum *sum) {
    const perm_dense *dense = ((const perm_chunks_sums *)self)->processor.method;
    double slope, constant;
    perm_pairs_device_error(dense, &slope, &constant);
    perm_partial_prepare(slope, constant, dense->exponent, sum);
}

static void prepare_tensor(const void *self, perm_sum *sum) {
    const perm_dense *dense = ((const perm_chunks_sums *)self)->processor.method;
    double slope, constant;
    perm_tensor_device_error(dense, &slope, &constant);
    perm_partial_prepare(slope, constant, dense->exponent, sum);
}

static const perm_chunks_sums_kind pairs_kind = {"dense-pairs-cuda", PERM_PAIRS_DEVICE_LOG2_LAUNCH,
                                                 make_pairs, agree_pairs};
static const perm_chunks_sums_kind tensor_kind = {"dense-tensor-cuda", PERM_TENSOR_DEVICE_LOG2_LAUNCH,
                                                  make_tensor, agree_tensor};

base_status perm_chunked_pairs_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                    perm_chunked *chunked) {
    const base_status status = open_dense(context, &pairs_kind, matrix, devices, chunked);
    if (status == BASE_OK) {
        perm_chunks_sums *method = chunked->method;
        method->chunk_seconds = INFINITY; /* the processor's chunks are other sums */
        chunked->prepare = prepare_pairs;
    }
    return status;
}

base_status perm_chunked_tensor_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                     perm_chunked *chunked) {
    const base_status status = open_dense(context, &tensor_kind, matrix, devices, chunked);
    if (status == BASE_OK)
        chunked->prepare = prepare_tensor;
    return status;
}

/* ---- exact/exact.h ---- */

static base_status make_exact(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    return perm_exact_device_sum(context, problem, number, false, sum);
}

static base_status make_sieve(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    return perm_exact_device_sum(context, problem, number, true, sum);
}

static bool agree_exact(const void *problem, const void *a, const void *b) {
    const perm_exact *exact = problem;
    return memcmp(a, b, (size_t)exact->residue_count * sizeof(int64_t)) == 0;
}

static base_status confirm_exact(base_context *context, const void *self, const perm_value *value,
                                 bool *agrees) {
    base_status status;
    const perm_chunks_sums *method = self;
    const perm_exact *check = &method->check;
    int64_t *residue = base_alloc(context, check->chunk_count * check->residue_count, sizeof *residue);
    if (!residue)
        return BASE_MACHINE;
    BASE_TRY(perm_exact_device_run(context, method->devices, check, 0, check->chunk_count, false, residue));
    BASE_TRY(perm_exact_agrees(context, check, residue, value, agrees));
done:
    free(residue);
    return status;
}

static const perm_chunks_sums_kind exact_kind = {"exact-cuda", PERM_EXACT_DEVICE_LOG2_LAUNCH, make_exact,
                                                 agree_exact};
static const perm_chunks_sums_kind sieve_kind = {"sieve-cuda", PERM_EXACT_DEVICE_LOG2_LAUNCH, make_sieve,
                                                 agree_exact};

base_status perm_chunked_exact_cuda(base_context *context, const perm_matrix *matrix, bool skip,
                                    base_devices *devices, bool verify, perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    BASE_TRY(perm_chunks_sums_begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_exact(context, matrix, NULL, false, &method->processor));
    const perm_exact *exact = method->processor.method;
    method->count = perm_exact_device_count(exact);
    BASE_TRY(
        perm_chunks_sums_finish(context, skip ? &sieve_kind : &exact_kind, exact->seconds, method, chunked));
    if (verify) {
        BASE_TRY(perm_exact_init_check(context, matrix, NULL, &method->check));
        chunked->confirm = confirm_exact;
    }
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}

/* ---- doubledouble/doubledouble.h ---- */

static base_status make_twofold(base_context *context, const void *problem, int64_t number,
                                perm_device_sum *sum) {
    (void)number;
    return perm_twofold_device_sum(context, problem, sum);
}

static bool agree_twofold(const void *problem, const void *left, const void *right) {
    const perm_twofold_partial *a = left, *b = right;
    const double most = fmax(a->magnitude, b->magnitude);
    double slope;
    perm_bound constant;
    perm_twofold_error(problem, &slope, &constant);
    bool agree = fabs(a->magnitude - b->magnitude) <= 1e-6 * most;
    for (int part = 0; part < 2; part++)
        agree = agree && fabs(a->high[part] - b->high[part] + (a->middle[part] - b->middle[part]) +
                              (a->low[part] - b->low[part])) <= 2 * slope * most + 0x1p-900;
    return agree;
}

static const perm_chunks_sums_kind twofold_kind = {"dd-cuda", PERM_TWOFOLD_DEVICE_LOG2_LAUNCH, make_twofold,
                                                   agree_twofold};

base_status perm_chunked_twofold_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                      perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    BASE_TRY(perm_chunks_sums_begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_twofold(context, matrix, NULL, false, &method->processor));
    const perm_twofold *twofold = method->processor.method;
    BASE_TRY(perm_chunks_sums_finish(context, &twofold_kind, twofold->seconds, method, chunked));
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}
