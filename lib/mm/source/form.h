/* The forms a record can have in a file. Each reader reads one record at the source's front; each writer
 * appends one record to an output. Stream marks (`% record: K`, `%%End N`, the last frame) are the business
 * of stream/reader.h and stream/writer.h. Formats are specified in mm-stream(5). */
#ifndef MM_SOURCE_FORM_H
#define MM_SOURCE_FORM_H

#include "base/run/output.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

/* What some editors put before a text; no part of it. */
#define MM_BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef struct mm_read_options {
    bool lenient;          /* repair what can be repaired, and say so */
    int64_t record_number; /* out: K of the line `% record: K`, which is not kept; 0 without one */
    int64_t repairs;       /* out: how many repairs there were */
    char repair[256];      /* out: the last of them in words */
} mm_read_options;

/* Text. The source stands at a banner line (`context->place.line` is its number and is kept up to date).
 * Fails with BASE_DAMAGED on anything that mm-stream(5) does not allow. Memory: the arrays and at most half
 * as much again. */
base_status mm_text_read(base_context *context, mm_source *source, mm_read_options *options,
                         mm_record *record);

/* `record_number` 0: a lone matrix without number. Doubles get the shortest digits that read back exactly. */
base_status mm_text_write(base_context *context, base_output *output, const mm_record *record,
                          int64_t record_number);

/* Binary: one record from its skippable frame on, its number in *number; *end instead when the stream's last
 * frame stands here, with the count of records in *number. Whether the numbers follow each other is for the
 * caller to check. Decompresses with context->threads. Memory: the arrays and a few MiB a thread; nothing is
 * allocated before the blocks that fill it have arrived. */
base_status mm_binary_read(base_context *context, mm_source *source, mm_record *record, bool *end,
                           int64_t *number);

/* `record_number` counts from 1 in every stream, a lone matrix too. `level`: zstd level, 0 stores without
 * compression. The bytes do not depend on context->threads. */
base_status mm_binary_write(base_context *context, base_output *output, const mm_record *record,
                            int64_t record_number, int level);
base_status mm_binary_write_end(base_context *context, base_output *output, int64_t count);

/* True when the bytes begin like the binary form. It needs 12 of them. */
bool mm_binary_detect(const char *data, size_t size);

/* Rutherford-Boeing, and DLMC's .smtx: one matrix per part. To tell them apart takes their first 4 KiB, or
 * all of a shorter input. */
bool mm_boeing_detect(const char *data, size_t size);
base_status mm_boeing_read(base_context *context, mm_source *source, mm_record *record);
bool mm_smtx_detect(const char *data, size_t size);
base_status mm_smtx_read(base_context *context, mm_source *source, mm_record *record);

#endif
