/* Records of a stream in batches: the blocks of one are computed on devices while the next one is prepared
 * and the one after that is read. */
#ifndef PERM_SOLVE_STREAM_H
#define PERM_SOLVE_STREAM_H

#include "perm/solve/batch.h"

typedef struct perm_stream perm_stream;

/* `options` must stay; `put` gets every record, in order (batch.h). */
base_status perm_stream_open(base_context *context, const perm_options *options, perm_batch_put *put,
                             void *data, perm_stream **stream);
/* Gives out what came before damaged input, where nothing has failed otherwise; keeps the context's error.
 * NULL is allowed. */
void perm_stream_close(base_context *context, perm_stream *stream);

/* Moves a record in. Solves what is there when it is many records, when one is large or when they have waited
 * for a tenth of a second. */
base_status perm_stream_add(base_context *context, perm_stream *stream, mm_record *record);

/* After the last record. */
base_status perm_stream_finish(base_context *context, perm_stream *stream);

#endif
