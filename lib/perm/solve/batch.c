/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/batch.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/dense/chunks.h"
#include "perm/dense/device.h"
#include "perm/solve/batch_blocks.h"
#include "perm/solve/error_sampler.h"
#include "perm/solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

base_status perm_batch_open(base_context *context, const perm_options *options, perm_dense_batch *devices,
                            perm_batch **batch) {
    *batch = base_alloc_zero(context, 1, sizeof **batch);
    if (*batch == NULL)
        return BASE_MACHINE;
    (*batch)->options = options;
    (*batch)->devices = devices;
    return BASE_OK;
}

void perm_batch_clear(perm_batch *batch) {
    for (int64_t k = 0; k < batch->blocks; k++) {
        perm_chunked_free(&batch->block[k].chunked);
        free(batch->block[k].partial);
    }
    for (int64_t k = 0; k < batch->records; k++) {
        mm_record_free(&batch->record[k].record);
        perm_partial_result_free(&batch->record[k].partial_result);
    }
    batch->records = batch->blocks = 0;
}

void perm_batch_close(perm_batch *batch) {
    if (batch == NULL)
        return;
    perm_batch_clear(batch);
    free(batch->block);
    free(batch);
}

void perm_batch_add(base_context *context, perm_batch *batch, mm_record *moved) {
    perm_batch_record *record = &batch->record[batch->records++];
    record->record = *moved;
    base_place_copy(&record->place, &context->place);
    record->status = BASE_OK;
    perm_partial_result_init(&record->partial_result);
    record->partial_result.field = moved->field;
    mm_record_init(moved);
}

int64_t perm_batch_count(const perm_batch *batch) {
    return batch->records;
}

/* perm_options.defer */
static base_status defer(base_context *context, perm_batch *batch, const perm_dense_matrix *entries,
                         perm_partial_result *partial_result, int64_t number, int64_t bits) {
    base_status status;
    perm_batch_block new = {.partial_result = partial_result, .block_result = number, .bits = bits};
    perm_block_result *block_result = &partial_result->block_result[number];
    perm_block_run *block_run = &block_result->block_run[0];
    BASE_TRY(perm_dense_chunks(context, entries, NULL, false, false, &new.chunked));
    snprintf(block_run->method, sizeof block_run->method, "%s", perm_dense_cuda_method.name);
    block_run->subsets = ldexp(1, (int)entries->n - 1);
    block_result->block_runs = 1;
    block_result->cost_seconds = ((const perm_dense *)new.chunked.method)->seconds;
    BASE_TRY(perm_sum_start(context, &block_run->sum, new.chunked.chunks, (base_part){0, 0}, 0));
    new.chunked.prepare(new.chunked.method, &block_run->sum);
    if (!batch->options->certify)
        BASE_TRY(perm_error_sample_take(context, entries, block_run->method, new.chunked.sampled_seconds,
                                        &block_run->sum.sample));
    new.partial = base_alloc_zero(context, new.chunked.chunks + 1, sizeof *new.partial);
    if (new.partial == NULL)
        status = BASE_MACHINE;
done :
#pragma omp critical(perm_batch)
{
    if (status == BASE_OK)
        status = base_reserve(context, &batch->block, &batch->block_capacity, batch->blocks + 1,
                              sizeof *batch->block);
    if (status == BASE_OK)
        batch->block[batch->blocks++] = new;
}
    if (status != BASE_OK) {
        perm_chunked_free(&new.chunked);
        free(new.partial);
    }
    return status;
}

/* `own` is a context of the thread's own. */
static void solve_part(base_context *own, const perm_batch *batch, perm_batch_record *record, bool alone) {
    perm_options options = *batch->options;
    base_place_copy(&own->place, &record->place);
    options.batch = alone ? NULL : (perm_batch *)batch;
    options.defer = defer;
    options.cost_history = (perm_cost_history *)&batch->before;
    record->status = perm_solve_part(own, &record->record, &options, &record->partial_result);
    if (record->status != BASE_OK)
        record->error = own->error;
}

void perm_batch_begin(perm_batch *batch, int64_t first) {
    batch->first = first;
    if (batch->options->cost_history != NULL)
        batch->before = perm_cost_history_before(batch->options->cost_history, first);
}

/* A record with a block that is too large is left for later, and so is one alone. */
base_status perm_batch_prepare(base_context *context, perm_batch *batch) {
    const double start = base_clock_seconds();
    batch->seconds = 0;
    if (batch->records == 1) {
        batch->record[0].status = BASE_STOPPED;
        return BASE_OK;
    }
#pragma omp parallel num_threads(context->threads)
    {
        base_context own = *context;
        own.threads = 1;
        own.progress = NULL;
#pragma omp for schedule(dynamic)
        for (int64_t k = 0; k < batch->records; k++)
            solve_part(&own, batch, &batch->record[k], false);
    }
    batch->seconds = base_clock_seconds() - start;
    return BASE_OK;
}

/* Answers of records that are solved alone begin anew. */
static void solve_others(const base_context *context, perm_batch *batch) {
    base_context own = *context;
    for (int64_t k = 0; k < batch->records; k++) {
        perm_batch_record *record = &batch->record[k];
        if (record->status != BASE_STOPPED)
            continue;
        perm_partial_result_free(&record->partial_result);
        perm_partial_result_init(&record->partial_result);
        record->partial_result.field = record->record.field;
#pragma omp critical(perm_batch_devices)
        solve_part(&own, batch, record, true);
    }
}

base_status perm_batch_compute(base_context *context, perm_batch *batch) {
    base_status status;
    const double start = base_clock_seconds();
#pragma omp critical(perm_batch_devices)
    status = perm_batch_run_blocks(context, batch);
    batch->seconds += base_clock_seconds() - start;
    return status;
}

base_status perm_batch_finish(base_context *context, perm_batch *batch) {
    base_status status;
    const double start = base_clock_seconds();
    BASE_TRY(perm_batch_add_blocks(context, batch));
    solve_others(context, batch);
    batch->seconds += base_clock_seconds() - start;
done:
    return status;
}

base_status perm_batch_put_all(base_context *context, perm_batch *batch, perm_batch_put *put, void *data) {
    base_status status = BASE_OK;
    const base_place place = context->place;
    for (int64_t k = 0; k < batch->records; k++) {
        perm_batch_record *record = &batch->record[k];
        if (record->status != BASE_OK)
            context->error = record->error;
        base_place_copy(&context->place, &record->place);
        BASE_TRY(put(context, data, &record->record, record->status, &record->partial_result,
                     batch->seconds / (double)batch->records));
    }
done:
    context->place = place;
    return status;
}

void perm_batch_add_costs(const perm_batch *batch, perm_cost_history *cost_history) {
    for (int64_t k = 0; k < batch->records; k++)
        perm_cost_history_add(cost_history, &batch->record[k].partial_result);
}
