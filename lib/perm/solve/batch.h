/* Records that are solved together, on all threads, their small blocks on devices in shared launches: with
 * the results that each record has alone. */
#ifndef PERM_SOLVE_BATCH_H
#define PERM_SOLVE_BATCH_H

#include "perm/dense/batch.h"
#include "perm/matrix/matrix.h"
#include "perm/solve/solve.h"

/* Room for PERM_SPENT_WINDOW records; `options` and `devices` must stay. */
base_status perm_batch_open(base_context *context, const perm_options *options, perm_dense_batch *devices,
                            perm_batch **batch);
void perm_batch_close(perm_batch *batch); /* NULL is allowed */

/* Moves a record in; the batch is not full. */
void perm_batch_add(base_context *context, perm_batch *batch, mm_record *record);
int64_t perm_batch_count(const perm_batch *batch);

/* Tells it what was spent before its first record, number `first` of the stream; options->spent is not read
 * after this until the batch is emptied. */
void perm_batch_begin(perm_batch *batch, int64_t first);

/* Solves all records, on context->threads threads, but for blocks that are for devices; computes these; adds
 * them to the answers. Each step may have a batch of its own at a time. */
base_status perm_batch_prepare(base_context *context, perm_batch *batch);
base_status perm_batch_compute(base_context *context, perm_batch *batch);
base_status perm_batch_finish(base_context *context, perm_batch *batch);

/* Gives each record to `put` in their order: its answer and the seconds it took, or the status and error it
 * failed with in the context. Empties the batch. */
typedef base_status perm_batch_put(base_context *context, void *data, const mm_record *record,
                                   base_status status, perm_answer *answer, double seconds);
base_status perm_batch_empty(base_context *context, perm_batch *batch, perm_batch_put *put, void *data);

/* For block.c, on any thread: takes a block for the devices, whose sum will be in the leaf after the
 * others. Where it leaves fewer than `bits` bits, the record will be solved alone; 0: any will do.
 * n is at most PERM_PLAN_SHARED_LARGEST. */
base_status perm_batch_defer(base_context *context, perm_batch *batch, const perm_dense_matrix *entries,
                             perm_answer *answer, int64_t leaf, int64_t bits);

#endif
