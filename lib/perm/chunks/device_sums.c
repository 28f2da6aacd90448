/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/chunks/device_sums.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)PERM_CHUNKED_SLOTS < (int)PERM_DEVICE_SLOTS, "a slot for single chunks");

/* A chunk is compared with the processor's where that takes at most so long, else with one that the same
 * device computes in another order. */
static const double compare_seconds = 1e-3;

/* That many blocks keep a device busy. */
enum { BUSY_BLOCKS = 512 };

/* ---- computing ---- */

static base_status open_worker(base_context *context, const perm_chunks_sums *method, int number, bool other,
                               int64_t k, perm_device_worker **worker) {
    perm_device_worker **place = (other ? method->other_worker : method->worker) + number * method->count + k;
    base_status status = BASE_OK;
    if (*place == NULL)
        status = perm_device_worker_open(context, base_devices_get(method->devices, number),
                                         (other ? method->other : method->sum) + k, place);
    *worker = *place;
    return status;
}

static base_status submit_sums(base_context *context, const perm_chunks_sums *method, int number, bool other,
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

static base_status collect_sums(base_context *context, const perm_chunks_sums *method, int number, bool other,
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
    const perm_chunks_sums *method = self;
    const perm_chunked *processor = &method->processor;
    const int64_t bytes = processor->partial_bytes;
    base_context silent = *context;
    silent.progress = NULL;
    char *again = base_alloc_zero(context, count, bytes);
    if (again == NULL)
        return BASE_MACHINE;
    if (method->chunk_seconds <= compare_seconds) {
        for (int64_t k = 0; k < count; k++)
            processor->run(&silent, processor->method, first + k, again + k * bytes);
    } else {
        BASE_TRY(submit_sums(&silent, method, number, true, 0, first, count));
        BASE_TRY(collect_sums(&silent, method, number, true, 0, again));
    }
    for (int64_t k = 0; k < count; k++)
        agrees[k] =
            method->kind->agree(processor->method, (const char *)partials + k * bytes, again + k * bytes);
done:
    context->error = silent.error;
    free(again);
    return status;
}

/* ---- as the processor does it ---- */

static bool is_possible(const void *self, const void *partial) {
    const perm_chunked *processor = &((const perm_chunks_sums *)self)->processor;
    return processor->is_possible(processor->method, partial);
}

static void prepare(const void *self, perm_sum *sum) {
    const perm_chunked *processor = &((const perm_chunks_sums *)self)->processor;
    processor->prepare(processor->method, sum);
}

static base_status add(base_context *context, const void *self, int64_t chunk, const void *partial,
                       perm_sum *sum) {
    const perm_chunked *processor = &((const perm_chunks_sums *)self)->processor;
    return processor->add(context, processor->method, chunk, partial, sum);
}

static void release(void *self) {
    perm_chunks_sums *method = self;
    const int64_t workers = method->count * base_devices_count(method->devices);
    for (int64_t k = 0; k < workers && method->worker != NULL && method->other_worker != NULL; k++) {
        perm_device_worker_close(method->worker[k]);
        perm_device_worker_close(method->other_worker[k]);
    }
    for (int64_t k = 0; k < method->count && method->sum != NULL && method->other != NULL; k++) {
        perm_device_sum_free(&method->sum[k]);
        perm_device_sum_free(&method->other[k]);
    }
    free(method->worker);
    free(method->other_worker);
    free(method->sum);
    free(method->other);
    perm_chunked_free(&method->processor);
    free(method);
}

static base_status make_sums(base_context *context, perm_chunks_sums *method) {
    base_status status = BASE_OK;
    const int devices = base_devices_count(method->devices);
    for (int64_t k = 0; k < method->count; k++) {
        BASE_TRY(method->kind->make(context, method->processor.method, k, &method->sum[k]));
        BASE_TRY(method->kind->make(context, method->processor.method, k, &method->other[k]));
        perm_device_sum_halve(&method->other[k]);
        method->sum[k].chunk_subsets /= (double)method->count;
        perm_device_sum_plan(&method->sum[k], method->processor.chunks, devices, method->kind->log2_launch);
    }
done:
    return status;
}

base_status perm_chunks_sums_finish(base_context *context, const perm_chunks_sums_kind *kind, double seconds,
                                    perm_chunks_sums *method, perm_chunked *chunked) {
    base_status status = BASE_OK;
    const perm_chunked *processor = &method->processor;
    const int devices = base_devices_count(method->devices);
    method->kind = kind;
    method->chunk_seconds = seconds / fmax(1, (double)processor->chunks);
    *chunked = (perm_chunked){.kernel = kind->name,
                              .method = method,
                              .chunks = processor->chunks,
                              .partial_bytes = processor->partial_bytes,
                              .chunk_subsets = processor->chunk_subsets,
                              .sampled_seconds = processor->sampled_seconds,
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
    if (method->sum == NULL || method->other == NULL || method->worker == NULL ||
        method->other_worker == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(make_sums(context, method));
    chunked->batch = perm_device_sum_batch(method->sum);
    chunked->together = BUSY_BLOCKS / method->sum->chunk_blocks;
    chunked->together = chunked->together < chunked->batch ? chunked->together : chunked->batch;
done:
    return status;
}

base_status perm_chunks_sums_begin(base_context *context, base_devices *devices, perm_chunks_sums **method,
                                   perm_chunked *chunked) {
    *chunked = (perm_chunked){.chunks = 0};
    *method = base_alloc_zero(context, 1, sizeof **method);
    if (*method == NULL)
        return BASE_MACHINE;
    (*method)->devices = devices;
    (*method)->count = 1;
    *chunked = (perm_chunked){.method = *method, .release = release};
    return BASE_OK;
}
