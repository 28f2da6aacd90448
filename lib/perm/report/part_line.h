/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of a part: a JSON object on one line whose last key is its checksum, the XXH3-128 of all bytes of
 * the line before `,"checksum"`. perm-gpu(1) describes the keys. */
#ifndef PERM_REPORT_PART_LINE_H
#define PERM_REPORT_PART_LINE_H

#include "base/run/output.h"
#include "perm/chunks/work.h"

/* Of the lines. Those without a number are older than 2. */
enum { PERM_PART_FORMAT = 4 };

typedef struct perm_part_line {
    int64_t format;
    char *by;                     /* program, version, options, for messages */
    char options[BASE_HASH_TEXT]; /* their hash (base/run/identity.h) */
    char job[BASE_HASH_TEXT];     /* the hash of the first record */
    bool is_end;                  /* the last line of a part, with the next two; else with a partial result */
    base_part part;
    int64_t records;
    perm_partial_result partial_result;
} perm_part_line;

void perm_part_line_init(perm_part_line *line);
void perm_part_line_free(perm_part_line *line); /* NULL is allowed */

/* Writes the line of a partial result; of the end of the part where `partial_result` is NULL. */
base_status perm_part_line_write(base_context *context, base_output *output, const perm_work *work,
                                 const perm_partial_result *partial_result);

/* Reads a line of `length` bytes without its newline, in a buffer that it changes. Fails with BASE_DAMAGED:
 * the checksum is wrong or missing, a key is missing, unknown or out of range, the format is another one;
 * says which. */
base_status perm_part_line_read(base_context *context, char *text, size_t length, perm_part_line *line);

/* The text of an object with its checksum, released by the caller; NULL without memory. The reference is
 * taken.
 */
char *perm_part_line_seal(base_context *context, json_t *object);

#endif
