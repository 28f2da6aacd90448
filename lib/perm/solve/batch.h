/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that are solved together, on all threads, their small blocks on devices in shared launches: with
 * the results that each record has alone. */
#ifndef PERM_SOLVE_BATCH_H
#define PERM_SOLVE_BATCH_H

#include "perm/dense/batch.h"
#include "perm/solve/options.h"

/* Room for PERM_COST_HISTORY_WINDOW records; `options` and `devices` must stay. */
base_status perm_batch_open(base_context *context, const perm_options *options, perm_dense_batch *devices,
                            perm_batch **batch);
void perm_batch_close(perm_batch *batch); /* NULL is allowed */

/* Moves a record in; the batch is not full. */
void perm_batch_add(base_context *context, perm_batch *batch, mm_record *record);
int64_t perm_batch_count(const perm_batch *batch);

/* Says what the records before its first one, number `first` of the stream, have cost; options->cost_history
 * is read here alone. */
void perm_batch_begin(perm_batch *batch, int64_t first);

/* Solves all records, on context->threads threads, but for blocks that are for devices; computes these; adds
 * them to the results. Each step may have a batch of its own at a time. */
base_status perm_batch_prepare(base_context *context, perm_batch *batch);
base_status perm_batch_compute(base_context *context, perm_batch *batch);
base_status perm_batch_finish(base_context *context, perm_batch *batch);

/* Gives each record to `put` in their order: its result and the seconds it took, or the status and error it
 * failed with in the context. */
typedef base_status perm_batch_put(base_context *context, void *data, const mm_record *record,
                                   base_status status, perm_partial_result *partial_result, double seconds);
base_status perm_batch_put_all(base_context *context, perm_batch *batch, perm_batch_put *put, void *data);

/* Adds what the records have cost, in their order. */
void perm_batch_add_costs(const perm_batch *batch, perm_cost_history *cost_history);

/* Leaves it without records. */
void perm_batch_clear(perm_batch *batch);

#endif
