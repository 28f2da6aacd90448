/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary form, for many or large records in a pipe: a legal .zst file whose frames mm-stream(5) describes
 * byte by byte.
 *
 * A record is a header frame and its blocks. Each block is compressed by itself, so that all threads work on
 * one record, and each frame has a hash. layout.c says which entries lie in which block; frame.c puts the
 * frames together and takes them apart; write.c and read.c do whole records; block.c takes a
 * compressed block apart, and blocks.c reads them; plain.c writes and reads blocks that stand in the file as
 * they are, page by page, and are mapped; resident.c hands the content over in memory, which the next program
 * maps, and writes the frames alone; compress.c alone includes zstd.h.
 *
 * What comes in is not trusted: a frame's sizes are checked before they are used, arrays grow with the blocks
 * that have arrived, never with the header's word, and indices and values are checked as they are widened. */
#ifndef MM_BINARY_BINARY_H
#define MM_BINARY_BINARY_H

#include "base/resident/giver.h"
#include "base/run/output.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

/* One record from its skippable frame on, its number in *number; *end instead when the stream's last
 * frame stands here, with the count of records in *number. Whether the numbers follow each other is for the
 * caller to check. Decompresses with context->threads. Memory: the arrays and a few MiB a thread; nothing is
 * allocated before the blocks that fill it have arrived. */
base_status mm_binary_read(base_context *context, mm_source *source, mm_record *record, bool *end,
                           int64_t *number);

/* `record_number` counts from 1 in every stream, a lone matrix too. `level`: zstd level, 0 stores without
 * compression. The bytes do not depend on context->threads. */
base_status mm_binary_write(base_context *context, base_output *output, const mm_record *record,
                            int64_t record_number, int level);

/* Whether mm_binary_write takes what lies on a device from there, piece by piece; else it must be fetched
 * before. */
bool mm_binary_takes_device(const mm_record *record, int level);

/* The same with the content handed over, but a content of less than 64 KiB goes the way of level 0. `hashed`:
 * with a hash of it, which the reader checks. BASE_FAILED: whoever reads cannot take it (giver.h). */
base_status mm_binary_write_resident(base_context *context, base_output *output, base_giver *giver,
                                     const mm_record *record, int64_t record_number, bool hashed);

/* Whether the entries are in the matrix and no number is NaN: what reading checks, but not of what lies on a
 * device. BASE_DAMAGED. Threads share the work. */
base_status mm_binary_check(base_context *context, const mm_record *record);

base_status mm_binary_write_end(base_context *context, base_output *output, int64_t count);

#endif
