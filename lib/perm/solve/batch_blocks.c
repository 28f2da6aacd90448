/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/batch_blocks.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "perm/chunks/internal.h"
#include "perm/subsets/devices.h"
#include "perm/subsets/partial.h"

#include <stdlib.h>

/* --verify looks at one chunk in so many, and at all of the first ones. */
enum { SAMPLE = 64, FEW_RECORDS = 8 };

base_status perm_batch_run_blocks(base_context *context, perm_batch *batch) {
    base_status status = BASE_OK;
    perm_dense_batch_item *item = base_alloc(context, batch->blocks + 1, sizeof *item);
    int64_t count = 0;
    if (item == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < batch->blocks; k++)
        if (!batch->block[k].is_done && batch->block[k].chunked.chunks > 0)
            item[count++] = (perm_dense_batch_item){batch->block[k].chunked.method, batch->block[k].partial};
    if (count > 0) {
        BASE_TRY(base_devices_find(context, batch->options->devices));
        if (base_devices_count(batch->options->devices->found) == 0)
            BASE_TRY(
                base_fail(context, BASE_MACHINE, "%s", base_devices_reason(batch->options->devices->found)));
        BASE_TRY(perm_dense_batch_run(context, batch->devices, batch->options->devices->found, item, count));
    }
done:
    free(item);
    return status;
}

/* The record that a result belongs to. */
static perm_batch_record *find_owner(const perm_batch *batch, const perm_partial_result *partial_result) {
    return (perm_batch_record *)batch->record +
           ((const char *)partial_result - (const char *)batch->record) / sizeof(perm_batch_record);
}

/* Whether --verify looks at a chunk: that depends on the seed and the record's number, not on batches. */
static bool is_sampled(const base_context *context, const perm_batch *batch, const perm_batch_block *block,
                       int64_t chunk) {
    const perm_work *notes = batch->options->notes;
    const int64_t number = batch->first + (find_owner(batch, block->partial_result) - batch->record);
    uint32_t random[4];
    if (notes == NULL || !notes->verify)
        return false;
    const double share = notes->verify_share > 0 ? notes->verify_share
                         : number < FEW_RECORDS  ? 1
                                                 : 1.0 / SAMPLE;
    base_random_block(context->seed, (uint64_t)number,
                      (uint64_t)(block->block_result * PERM_DENSE_MOST_CHUNKS + chunk), random);
    return random[0] < share * 0x1p32;
}

/* The processor's kernel is another one. */
static bool agrees(base_context *context, const perm_batch_block *block, int64_t chunk) {
    const perm_dense *dense = block->chunked.method;
    perm_dense_partial again;
    double relative_error, absolute_error;
    perm_dense_run(context, dense, chunk, 1, &again);
    perm_dense_error(dense, &relative_error, &absolute_error);
    return perm_partial_agree(&block->partial[chunk], &again, relative_error);
}

static const char *judge(base_context *context, const perm_batch *batch, const perm_chunks_runner *run,
                         const perm_batch_block *block, int64_t chunk, uint64_t *hash) {
    if (!perm_chunks_seal(run, chunk, &block->partial[chunk], hash))
        return "has impossible numbers";
    return is_sampled(context, batch, block, chunk) && !agrees(context, block, chunk)
               ? "differs from what another kernel computes"
               : NULL;
}

/* A record whose block has too few digits is left for later. */
static void check_digits(const perm_batch *batch, const perm_batch_block *block) {
    perm_value value;
    int counted;
    perm_value_init(&value);
    perm_block_result_value(&block->partial_result->block_result[block->block_result], &value, &counted);
    if (!perm_partial_result_is_good(&value, block->bits))
#pragma omp atomic write
        find_owner(batch, block->partial_result)->status = BASE_STOPPED;
    perm_value_free(&value);
}

/* Adds the chunks that are right: then the block is done, or must be computed again. */
static base_status add_block(base_context *context, const perm_batch *batch, perm_batch_block *block,
                             int try) {
    perm_sum *sum = &block->partial_result->block_result[block->block_result].block_run[0].sum;
    perm_chunks_runner run = {context, &block->chunked, batch->options->notes, sum, 0, BASE_OK, NULL, {0}};
    block->is_done = true;
    for (int64_t chunk = 0; chunk < block->chunked.chunks; chunk++) {
        uint64_t hash = 0;
        if (sum->done[chunk])
            continue;
        const char *wrong = judge(context, batch, &run, block, chunk, &hash);
        if (!perm_chunks_finish(&run, chunk, try, &block->partial[chunk], hash, wrong))
            block->is_done = false;
    }
    if (run.status == BASE_OK && block->is_done && block->bits > 0)
        check_digits(batch, block);
    return run.status;
}

/* *done: all blocks are. */
static base_status add_blocks(base_context *context, const perm_batch *batch, int try, bool *done) {
    base_status status = BASE_OK;
    bool all = true;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) reduction(&& : all)
    for (int64_t k = 0; k < batch->blocks; k++) {
        perm_batch_block *block = &batch->block[k];
        base_context own = *context;
        own.threads = 1;
        own.progress = NULL;
        if (block->is_done)
            continue;
        own.place = find_owner(batch, block->partial_result)->place;
        const base_status added = add_block(&own, batch, block, try);
        all = all && block->is_done;
        if (added != BASE_OK)
#pragma omp critical(perm_batch)
        {
            status = added;
            context->error = own.error;
        }
    }
    *done = all;
    return status;
}

base_status perm_batch_add_blocks(base_context *context, perm_batch *batch) {
    base_status status;
    bool done = false;
    for (int try = 1;; try++) {
        BASE_TRY(add_blocks(context, batch, try, &done));
        if (done)
            break;
#pragma omp critical(perm_batch_devices)
        status = perm_batch_run_blocks(context, batch);
        BASE_TRY(status);
    }
done:
    return status;
}
