#include "perm/batch.h"
#include "base/memory.h"
#include "base/progress.h"
#include "perm/chunks.h"
#include "perm/dense_batch.h"
#include "perm/devices.h"
#include <math.h>
#include <stdlib.h>

typedef struct record {
    mm_record record;
    base_place place;
    perm_answer answer;
    base_status status;
    base_error error;
} record;

/* A block that waits for the devices. */
typedef struct block {
    perm_answer *answer;
    int64_t leaf;
    perm_chunked chunked; /* dense.h */
    perm_dense_partial *partial;
} block;

struct perm_batch {
    const perm_options *options;
    int64_t records, blocks, block_capacity;
    record record[PERM_BATCH_RECORDS];
    block *block;
};

base_status perm_batch_open(base_context *context, const perm_options *options, perm_batch **batch) {
    *batch = base_alloc_zero(context, 1, sizeof **batch);
    if (!*batch)
        return BASE_MACHINE;
    (*batch)->options = options;
    return BASE_OK;
}

static void empty(perm_batch *batch) {
    for (int64_t k = 0; k < batch->blocks; k++) {
        perm_chunked_free(&batch->block[k].chunked);
        free(batch->block[k].partial);
    }
    for (int64_t k = 0; k < batch->records; k++) {
        mm_record_free(&batch->record[k].record);
        perm_answer_free(&batch->record[k].answer);
    }
    batch->records = batch->blocks = 0;
}

void perm_batch_close(perm_batch *batch) {
    if (!batch)
        return;
    empty(batch);
    free(batch->block);
    free(batch);
}

void perm_batch_add(base_context *context, perm_batch *batch, mm_record *moved) {
    record *record = &batch->record[batch->records++];
    record->record = *moved;
    record->place = context->place;
    record->status = BASE_OK;
    perm_answer_init(&record->answer);
    record->answer.field = moved->field;
    mm_record_init(moved);
}

bool perm_batch_is_full(const perm_batch *batch) {
    return batch->records == PERM_BATCH_RECORDS;
}

base_status perm_batch_defer(base_context *context, perm_batch *batch, const perm_matrix *matrix,
                             perm_answer *answer, int64_t number) {
    base_status status = BASE_OK;
    block new = {.answer = answer, .leaf = number};
    perm_leaf *leaf = &answer->leaf[number];
    perm_attempt *attempt = &leaf->attempt[0];
    if (matrix->n > PERM_DENSE_BATCH_LARGEST)
        return BASE_STOPPED;
    BASE_TRY(perm_chunked_dense(context, matrix, NULL, false, &new.chunked));
    snprintf(attempt->method, sizeof attempt->method, "dense-cuda");
    attempt->subsets = ldexp(1, (int)matrix->n - 1);
    leaf->attempts = 1;
    leaf->cost_seconds = ((const perm_dense *)new.chunked.method)->seconds;
    BASE_TRY(perm_sum_start(context, &attempt->sum, new.chunked.chunks, (base_part){0, 0}, 0));
    new.chunked.prepare(new.chunked.method, &attempt->sum);
    new.partial = base_alloc_zero(context, new.chunked.chunks + 1, sizeof *new.partial);
    if (!new.partial)
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

static void solve_part(const base_context *context, const perm_batch *batch, record *record, bool alone) {
    base_context own = *context;
    perm_options options = *batch->options;
    own.place = record->place;
    options.batch = alone ? NULL : (perm_batch *)batch;
    if (!alone) {
        own.threads = 1;
        own.progress = NULL;
    }
    record->status = perm_solve_part(&own, &record->record, &options, &record->answer);
    record->error = own.error;
}

/* Everything but the blocks. A record with a block that is too large is left for later. */
static void solve_parts(base_context *context, perm_batch *batch) {
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int64_t k = 0; k < batch->records; k++)
        solve_part(context, batch, &batch->record[k], false);
}

static base_status run_blocks(base_context *context, perm_batch *batch) {
    base_status status = BASE_OK;
    perm_dense_batch_item *item = base_alloc(context, batch->blocks + 1, sizeof *item);
    int64_t count = 0;
    if (!item)
        return BASE_MACHINE;
    for (int64_t k = 0; k < batch->blocks; k++)
        if (batch->block[k].chunked.chunks > 0)
            item[count++] = (perm_dense_batch_item){batch->block[k].chunked.method, batch->block[k].partial};
    if (count > 0) {
        BASE_TRY(base_devices_find(context, batch->options->devices));
        if (base_devices_count(batch->options->devices->found) == 0)
            BASE_TRY(
                base_fail(context, BASE_MACHINE, "%s", base_devices_reason(batch->options->devices->found)));
        BASE_TRY(perm_dense_batch_run(context, batch->options->devices->found, item, count));
    }
done:
    free(item);
    return status;
}

/* Whether all numbers are possible. */
static bool add_block(base_context *context, const block *block) {
    const perm_chunked *chunked = &block->chunked;
    perm_sum *sum = &block->answer->leaf[block->leaf].attempt[0].sum;
    bool possible = true;
    for (int64_t chunk = 0; chunk < chunked->chunks; chunk++)
        possible = possible && chunked->is_possible(chunked->method, &block->partial[chunk]) &&
                   chunked->add(context, chunked->method, chunk, &block->partial[chunk], sum) == BASE_OK;
    return possible;
}

static base_status add_blocks(base_context *context, const perm_batch *batch) {
    bool possible = true;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) reduction(&& : possible)
    for (int64_t k = 0; k < batch->blocks; k++)
        possible = add_block(context, &batch->block[k]) && possible;
    return possible ? BASE_OK
                    : base_fail(context, BASE_MACHINE,
                                "a block has impossible numbers: this machine computes wrongly");
}

/* Answers of records that are solved alone begin anew. */
static void solve_others(base_context *context, perm_batch *batch) {
    for (int64_t k = 0; k < batch->records; k++) {
        record *record = &batch->record[k];
        if (record->status != BASE_STOPPED)
            continue;
        perm_answer_free(&record->answer);
        perm_answer_init(&record->answer);
        record->answer.field = record->record.field;
        solve_part(context, batch, record, true);
    }
}

base_status perm_batch_flush(base_context *context, perm_batch *batch, perm_batch_put *put, void *data) {
    base_status status = BASE_OK;
    const base_place place = context->place;
    const double start = base_clock_seconds();
    if (batch->records == 0)
        return BASE_OK;
    solve_parts(context, batch);
    BASE_TRY(run_blocks(context, batch));
    BASE_TRY(add_blocks(context, batch));
    solve_others(context, batch);
    const double seconds = (base_clock_seconds() - start) / (double)batch->records;
    for (int64_t k = 0; k < batch->records; k++) {
        record *record = &batch->record[k];
        if (record->status != BASE_OK)
            context->error = record->error;
        context->place = record->place;
        BASE_TRY(put(context, data, &record->record, record->status, &record->answer, seconds));
    }
done:
    context->place = place;
    empty(batch);
    return status;
}
