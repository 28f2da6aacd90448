/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a stream in batches: the blocks of one are computed on devices while the next one is prepared
 * and the one after that is read. Results are given out as soon as they are known, also while the reader
 * waits for its input. */
#ifndef PERM_SOLVE_STREAM_H
#define PERM_SOLVE_STREAM_H

#include "perm/solve/batch.h"

typedef struct perm_stream perm_stream;

/* Where results go: `put` gets every record, in order (batch.h), on a thread of its own where one can start,
 * with a context of its own. `flush` sends on its way what was put; it is called behind the last record of
 * each batch. */
typedef struct perm_stream_out {
    perm_batch_put *put;
    base_status (*flush)(base_context *context, void *data);
    void *data;
    base_context *context;
} perm_stream_out;

/* `options` and the context of `out` must stay. */
base_status perm_stream_open(base_context *context, const perm_options *options, const perm_stream_out *out,
                             perm_stream **stream);
/* Gives out what came before damaged input, where nothing has failed otherwise; keeps the context's error.
 * NULL is allowed. */
void perm_stream_close(base_context *context, perm_stream *stream);

/* Moves a record in. Solves what is there when it is many records, when one is large or when they have waited
 * for a tenth of a second. */
base_status perm_stream_add(base_context *context, perm_stream *stream, mm_record *record);

/* Solves what is left after the last record. */
base_status perm_stream_finish(base_context *context, perm_stream *stream);

#endif
