/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form in memory, for tests. */
#ifndef TESTS_UNIT_MM_TEXT_MEMORY_H
#define TESTS_UNIT_MM_TEXT_MEMORY_H

#include "mm/text/text.h"

/* Reads one record from `size` bytes; `options` goes in with `lenient` and comes out filled. The context is
 * set up anew, with that many threads. */
base_status read_text(base_context *context, const char *text, size_t size, int threads,
                      mm_read_options *options, mm_record *record);

/* The record as text of exactly *size bytes, to be freed; aborts on failure. */
char *write_text(const mm_record *record, int64_t number, int threads, size_t *size);

#endif
