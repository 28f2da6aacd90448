/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix as records: its diagonal blocks, its coarse parts, the whole permuted, or without the entries that
 * do not matter. mm-dm(1) tells what the metadata mean. */
#ifndef DM_SPLIT_H
#define DM_SPLIT_H

#include "mm/record/record.h"

/* The record becomes general, its columns sorted; explicit zeros go unless `keep_zeros`. */

/* Permutes the record to block form and notes sizes, block boundaries and origin. */
base_status dm_permute_record(base_context *context, mm_record *record, bool keep_zeros);

/* Drops the entries that lie in no perfect matching. */
base_status dm_drop_record(base_context *context, mm_record *record, bool keep_zeros);

typedef struct dm_splitter dm_splitter;

typedef struct dm_split_options {
    bool keep_zeros;
    bool coarse;     /* the parts H, S and V instead of blocks */
    bool singletons; /* 1×1 blocks as records of their own, not together as one diagonal matrix */
} dm_split_options;

/* Decomposes the record, which must outlive the splitter. */
base_status dm_splitter_open(base_context *context, const mm_record *record, dm_split_options options,
                             dm_splitter **splitter);

/* The next piece, *found false after the last. The permanents of the blocks multiply to that of the record;
 * one that has no perfect matching gives a single empty 1×1 matrix. The first piece carries the record's
 * comments, all carry its name. O(entries of the piece's columns). */
base_status dm_splitter_next(base_context *context, dm_splitter *splitter, mm_record *piece, bool *found);

void dm_splitter_close(dm_splitter *splitter); /* NULL is allowed */

#endif
