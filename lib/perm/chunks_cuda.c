/* The chunks of dense.h, exact.h and twofold.h on devices: the processor's methods in everything but the
 * computation of a chunk. */
#include "base/memory.h"
#include "perm/chunks.h"
#include "perm/dense_device.h"
#include "perm/exact_device.h"
#include "perm/partial.h"
#include "perm/tensor_device.h"
#include "perm/twofold_device.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PERM_CHUNKED_SLOTS < (int)PERM_DEVICE_SLOTS, "a slot for single chunks");

/* A chunk is compared with the processor's where that takes at most so long, else with one that the same
 * device computes in another order. */
static const double compare_seconds = 1e-3;

/* That many blocks keep a device busy. */
enum { BUSY_BLOCKS = 512 };

typedef base_status make_sum(base_context *context, const void *problem, int64_t number,
                             perm_device_sum *sum);

typedef struct sums_method {
    perm_chunked processor; /* its method begins with the problem */
    base_devices *devices;
    int64_t count;                               /* of sums, all of which a chunk consists of */
    perm_device_sum *sum, *other;                /* `other`: with half the steps */
    perm_device_worker **worker, **other_worker; /* [device][sum]; opened by need */
    double chunk_seconds;                        /* on the processor */
    bool (*agree)(const void *problem, const void *a, const void *b);
    perm_exact check; /* exact.h: modulo another prime */
} sums_method;

/* ---- computing ---- */

static base_status open_worker(base_context *context, const sums_method *method, int number, bool other,
                               int64_t k, perm_device_worker **worker) {
    perm_device_worker **place = (other ? method->other_worker : method->worker) + number * method->count + k;
    base_status status = BASE_OK;
    if (!*place)
        status = perm_device_worker_open(context, base_devices_get(method->devices, number),
                                         (other ? method->other : method->sum) + k, place);
    *worker = *place;
    return status;
}

static base_status submit_sums(base_context *context, const sums_method *method, int number, bool other,
                               int slot, int64_t first, int64_t count) {
    base_status status = BASE_OK;
    perm_device_worker *worker;
    for (int64_t k = 0; k < method->count; k++) {
        BASE_TRY(open_worker(context, method, number, other, k, &worker));
        BASE_TRY(perm_device_worker_submit(context, worker, slot, first, count));
    }
done:
    return status;
}

static base_status collect_sums(base_context *context, const sums_method *method, int number, bool other,
                                int slot, void *partials) {
    base_status status = BASE_OK;
    perm_device_worker *worker;
    for (int64_t k = 0; k < method->count; k++) {
        BASE_TRY(open_worker(context, method, number, other, k, &worker));
        BASE_TRY(perm_device_worker_collect(context, worker, slot, partials));
    }
done:
    return status;
}

static base_status submit(base_context *context, void *self, int number, int slot, int64_t first,
                          int64_t count) {
    return submit_sums(context, self, number, false, slot, first, count);
}

static base_status collect(base_context *context, void *self, int number, int slot, void *partials) {
    return collect_sums(context, self, number, false, slot, partials);
}

static base_status compare(base_context *context, void *self, int number, int64_t first, int64_t count,
                           const void *partials, bool *agrees) {
    base_status status = BASE_OK;
    const sums_method *method = self;
    const perm_chunked *processor = &method->processor;
    const int64_t bytes = processor->partial_bytes;
    base_context silent = *context;
    silent.progress = NULL;
    char *again = base_alloc_zero(context, count, bytes);
    if (!again)
        return BASE_MACHINE;
    if (method->chunk_seconds <= compare_seconds) {
        for (int64_t k = 0; k < count; k++)
            processor->run(&silent, processor->method, first + k, again + k * bytes);
    } else {
        BASE_TRY(submit_sums(&silent, method, number, true, 0, first, count));
        BASE_TRY(collect_sums(&silent, method, number, true, 0, again));
    }
    for (int64_t k = 0; k < count; k++)
        agrees[k] = method->agree(processor->method, (const char *)partials + k * bytes, again + k * bytes);
done:
    context->error = silent.error;
    free(again);
    return status;
}

/* ---- as the processor does it ---- */

static bool is_possible(const void *self, const void *partial) {
    const perm_chunked *processor = &((const sums_method *)self)->processor;
    return processor->is_possible(processor->method, partial);
}

static void prepare(const void *self, perm_sum *sum) {
    const perm_chunked *processor = &((const sums_method *)self)->processor;
    processor->prepare(processor->method, sum);
}

static base_status add(base_context *context, const void *self, int64_t chunk, const void *partial,
                       perm_sum *sum) {
    const perm_chunked *processor = &((const sums_method *)self)->processor;
    return processor->add(context, processor->method, chunk, partial, sum);
}

static void release(void *self) {
    sums_method *method = self;
    const int64_t workers = method->count * base_devices_count(method->devices);
    for (int64_t k = 0; k < workers && method->worker && method->other_worker; k++) {
        perm_device_worker_close(method->worker[k]);
        perm_device_worker_close(method->other_worker[k]);
    }
    for (int64_t k = 0; k < method->count && method->sum && method->other; k++) {
        perm_device_sum_free(&method->sum[k]);
        perm_device_sum_free(&method->other[k]);
    }
    free(method->worker);
    free(method->other_worker);
    free(method->sum);
    free(method->other);
    perm_exact_free(&method->check);
    perm_chunked_free(&method->processor);
    free(method);
}

static base_status make_sums(base_context *context, make_sum *make, int log2_launch, sums_method *method) {
    base_status status = BASE_OK;
    const int devices = base_devices_count(method->devices);
    for (int64_t k = 0; k < method->count; k++) {
        BASE_TRY(make(context, method->processor.method, k, &method->sum[k]));
        BASE_TRY(make(context, method->processor.method, k, &method->other[k]));
        perm_device_sum_halve(&method->other[k]);
        method->sum[k].chunk_subsets /= (double)method->count;
        perm_device_sum_plan(&method->sum[k], method->processor.chunks, devices, log2_launch);
    }
done:
    return status;
}

/* `chunked` becomes the device's form of method->processor, which is ready; `method` is its own then. */
static base_status finish(base_context *context, const char *name, sums_method *method, make_sum *make,
                          int log2_launch, perm_chunked *chunked) {
    base_status status = BASE_OK;
    const perm_chunked *processor = &method->processor;
    const int devices = base_devices_count(method->devices);
    *chunked = (perm_chunked){.kernel = name,
                              .method = method,
                              .chunks = processor->chunks,
                              .partial_bytes = processor->partial_bytes,
                              .chunk_subsets = processor->chunk_subsets,
                              .is_possible = is_possible,
                              .prepare = prepare,
                              .add = add,
                              .release = release,
                              .workers = devices,
                              .submit = submit,
                              .collect = collect,
                              .compare = compare};
    if (processor->chunks == 0)
        goto done;
    method->sum = base_alloc_zero(context, method->count, sizeof *method->sum);
    method->other = base_alloc_zero(context, method->count, sizeof *method->other);
    method->worker = base_alloc_zero(context, method->count * devices, sizeof *method->worker);
    method->other_worker = base_alloc_zero(context, method->count * devices, sizeof *method->other_worker);
    if (!method->sum || !method->other || !method->worker || !method->other_worker) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(make_sums(context, make, log2_launch, method));
    chunked->batch = perm_device_sum_batch(method->sum);
    chunked->together = BUSY_BLOCKS / method->sum->chunk_blocks;
    chunked->together = chunked->together < chunked->batch ? chunked->together : chunked->batch;
done:
    return status;
}

static base_status begin(base_context *context, base_devices *devices, sums_method **method,
                         perm_chunked *chunked) {
    *chunked = (perm_chunked){.chunks = 0};
    *method = base_alloc_zero(context, 1, sizeof **method);
    if (!*method)
        return BASE_MACHINE;
    (*method)->devices = devices;
    (*method)->count = 1;
    *chunked = (perm_chunked){.method = *method, .release = release};
    return BASE_OK;
}

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

base_status perm_chunked_dense_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                    perm_chunked *chunked) {
    base_status status;
    sums_method *method;
    BASE_TRY(begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_dense(context, matrix, NULL, false, &method->processor));
    const perm_dense *dense = method->processor.method;
    method->agree = agree_dense;
    method->chunk_seconds = dense->seconds / fmax(1, (double)dense->chunk_count);
    BASE_TRY(finish(context, "dense-cuda", method, make_dense, PERM_DENSE_DEVICE_LOG2_LAUNCH, chunked));
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}

/* ---- tensor_device.h ---- */

static base_status make_tensor(base_context *context, const void *problem, int64_t number,
                               perm_device_sum *sum) {
    (void)number;
    return perm_tensor_device_sum(context, problem, sum);
}

/* Their magnitudes are not those of the processor. */
static bool agree_tensor(const void *problem, const void *left, const void *right) {
    const perm_dense_partial *a = left, *b = right;
    double slope, constant;
    perm_tensor_device_error(problem, &slope, &constant);
    return fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <=
           2 * slope * fmax(a->magnitude, b->magnitude) + 0x1p-900;
}

static void prepare_tensor(const void *self, perm_sum *sum) {
    const perm_dense *dense = ((const sums_method *)self)->processor.method;
    double slope, constant;
    perm_tensor_device_error(dense, &slope, &constant);
    perm_partial_prepare(slope, constant, dense->exponent, sum);
}

base_status perm_chunked_tensor_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                     perm_chunked *chunked) {
    base_status status;
    sums_method *method;
    BASE_TRY(begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_dense(context, matrix, NULL, false, &method->processor));
    const perm_dense *dense = method->processor.method;
    method->agree = agree_tensor;
    method->chunk_seconds = dense->seconds / fmax(1, (double)dense->chunk_count);
    BASE_TRY(
        finish(context, "dense-tensor-cuda", method, make_tensor, PERM_TENSOR_DEVICE_LOG2_LAUNCH, chunked));
    chunked->prepare = prepare_tensor;
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}

/* ---- exact.h ---- */

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
    const sums_method *method = self;
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

base_status perm_chunked_exact_cuda(base_context *context, const perm_matrix *matrix, bool skip,
                                    base_devices *devices, bool verify, perm_chunked *chunked) {
    base_status status;
    sums_method *method;
    BASE_TRY(begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_exact(context, matrix, NULL, false, &method->processor));
    const perm_exact *exact = method->processor.method;
    method->agree = agree_exact;
    method->count = perm_exact_device_count(exact);
    method->chunk_seconds = exact->seconds / fmax(1, (double)exact->chunk_count);
    BASE_TRY(finish(context, skip ? "sieve-cuda" : "exact-cuda", method, skip ? make_sieve : make_exact,
                    PERM_EXACT_DEVICE_LOG2_LAUNCH, chunked));
    if (verify) {
        BASE_TRY(perm_exact_init_check(context, matrix, NULL, &method->check));
        chunked->confirm = confirm_exact;
    }
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}

/* ---- twofold.h ---- */

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

base_status perm_chunked_twofold_cuda(base_context *context, const perm_matrix *matrix, base_devices *devices,
                                      perm_chunked *chunked) {
    base_status status;
    sums_method *method;
    BASE_TRY(begin(context, devices, &method, chunked));
    BASE_TRY(perm_chunked_twofold(context, matrix, NULL, false, &method->processor));
    const perm_twofold *twofold = method->processor.method;
    method->agree = agree_twofold;
    method->chunk_seconds = twofold->seconds / fmax(1, (double)twofold->chunk_count);
    BASE_TRY(finish(context, "dd-cuda", method, make_twofold, PERM_TWOFOLD_DEVICE_LOG2_LAUNCH, chunked));
done:
    if (status != BASE_OK)
        perm_chunked_free(chunked);
    return status;
}
