/* SPDX-License-Identifier: BSD-3-Clause */
/* Random records and streams of them in the binary form, for its tests. */
#ifndef TESTS_SUPPORT_BINARY_STREAM_H
#define TESTS_SUPPORT_BINARY_STREAM_H

#include "mm/binary/internal.h"

typedef struct bytes {
    char *data; /* to be freed */
    size_t size;
} bytes;

extern base_context context;
extern char path[64];  /* of the file that write_stream writes */
extern int64_t mapped; /* bytes that the records of the last stream read had mapped */

/* Prints the seed, and makes a folder for the file, which the end removes. */
void begin_streams(void);
void end_streams(void);

/* A random number less than that. */
uint64_t below(uint64_t bound);

/* Records to be freed; coordinate ones with `nnz` entries, `digits` beyond 64 bits if they are integers. */
void random_record(mm_record *record, mm_format format, mm_field field, mm_symmetry symmetry, bool digits,
                   int64_t nnz);
void payload_record(mm_record *record, mm_kind kind, int64_t size);
void free_records(mm_record *records, int count);

/* A stream of the records, also left in the file. */
bytes write_stream(const mm_record *records, int count, int level);

/* Reads a stream as mm_reader does: numbers in order, an end mark, nothing behind it. Without data, from the
 * file. *equal: whether all records are the expected ones; NULL: nobody asks. */
base_status read_stream(const void *data, size_t size, const mm_record *expected, bool *equal);

#endif
