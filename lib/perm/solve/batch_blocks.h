/* SPDX-License-Identifier: BSD-3-Clause */
/* What a batch holds. Private to batch.c and batch_blocks.c. */
#ifndef PERM_SOLVE_BATCH_BLOCKS_H
#define PERM_SOLVE_BATCH_BLOCKS_H

#include "perm/chunks/chunks.h"
#include "perm/dense/batch.h"
#include "perm/solve/options.h"

typedef struct perm_batch_record {
    mm_record record;
    base_place place;
    perm_partial_result partial_result;
    base_status status;
    base_error error;
} perm_batch_record;

/* A block that waits for the devices. */
typedef struct perm_batch_block {
    perm_partial_result *partial_result;
    int64_t block_result, bits;
    perm_chunked chunked; /* dense/dense.h */
    perm_dense_partial *partial;
    bool is_done; /* all chunks are in the sum */
} perm_batch_block;

struct perm_batch {
    const perm_options *options;
    perm_dense_batch *devices;
    perm_cost_history before; /* its first record */
    int64_t first;            /* its number in the stream */
    double seconds;           /* that solving them took */
    int64_t records, blocks, block_capacity;
    perm_batch_record record[PERM_COST_HISTORY_WINDOW];
    perm_batch_block *block;
};

/* Computes the blocks that are not done on devices. */
base_status perm_batch_run_blocks(base_context *context, perm_batch *batch);

/* Adds them to the results; what is wrong is computed again, as chunks/chunks.h says. A record one of whose
 * blocks has too few digits gets the status BASE_STOPPED. */
base_status perm_batch_add_blocks(base_context *context, perm_batch *batch);

#endif
