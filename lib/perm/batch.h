/* Records that are solved together, so that devices have many small blocks to compute at a time: the kernel
 * dense-cuda, with the results it has for each record alone. */
#ifndef PERM_BATCH_H
#define PERM_BATCH_H

#include "perm/matrix.h"
#include "perm/solve.h"

enum { PERM_BATCH_RECORDS = 4096 }; /* at most */

/* Room for records; `options` must stay. */
base_status perm_batch_open(base_context *context, const perm_options *options, perm_batch **batch);
void perm_batch_close(perm_batch *batch); /* NULL is allowed */

/* Moves a record in; the batch is not full. */
void perm_batch_add(base_context *context, perm_batch *batch, mm_record *record);
bool perm_batch_is_full(const perm_batch *batch);

/* Solves all records, on context->threads threads and the devices, and gives each to `put` in their order:
 * its answer and the seconds it took, or the status and error it failed with in the context. Empties the
 * batch. */
typedef base_status perm_batch_put(base_context *context, void *data, const mm_record *record,
                                   base_status status, perm_answer *answer, double seconds);
base_status perm_batch_flush(base_context *context, perm_batch *batch, perm_batch_put *put, void *data);

/* For solve_block.c, on any thread: takes a block, whose permanent will be in the leaf after the flush.
 * BASE_STOPPED: it does not take it, and the record will be solved alone. */
base_status perm_batch_defer(base_context *context, perm_batch *batch, const perm_matrix *matrix,
                             perm_answer *answer, int64_t leaf);

#endif
