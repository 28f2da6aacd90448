/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of a program: standard output, or a file that appears under its name only when it is complete
 * (written beside it, synced, renamed, with the permissions of a file that it replaces). Buffered; errors
 * show at the call that meets them, at the latest in base_output_commit. */
#ifndef BASE_RUN_OUTPUT_H
#define BASE_RUN_OUTPUT_H

#include "base/core/context.h"

#include <stddef.h>

typedef struct base_output base_output;

/* The forms of a stream of records, in the order of --form. */
typedef enum base_form { BASE_FORM_TEXT, BASE_FORM_BINARY, BASE_FORM_RESIDENT } base_form;

/* `path` NULL or "-": standard output. Fails with BASE_USAGE when its name is empty or its folder is not
 * there, with BASE_MACHINE when the file cannot be created otherwise. */
base_status base_output_open(base_context *context, const char *path, base_output **output);

/* Fails with BASE_USAGE when the output is a terminal, which bytes that are no text would upset. */
base_status base_output_refuse_terminal(base_context *context, const base_output *output);

/* Writes to a descriptor that stays the caller's, who also syncs and closes it. */
base_status base_output_open_descriptor(base_context *context, int descriptor, base_output **output);

/* Append bytes, or text, on any thread. A failure (BASE_MACHINE) may be that of bytes written before. */
base_status base_output_write(base_context *context, base_output *output, const void *data, size_t size);
base_status base_output_print(base_context *context, base_output *output, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Room for `size` bytes at the end of the buffer, to be filled in place and then advanced; NULL on failure.
 * For outputs that one thread has. */
char *base_output_room(base_context *context, base_output *output, size_t size);
void base_output_advance(base_output *output, size_t used);

/* Memory that is the next `bytes` bytes of a file on tmpfs, for threads to write there: faster than by
 * base_output_write from some megabytes on (resident/tmpfs.h). *memory is NULL where the output is no such
 * file, or the bytes are few: they have to be written then. Flushes, and fails as base_output_flush does.
 * Nothing else may be written before base_output_unmap. */
base_status base_output_map(base_context *context, base_output *output, int64_t bytes, char **memory);

/* Has to be called before a part of that memory is written; any thread. False: it cannot be written, and
 * base_output_unmap says why. */
bool base_output_fill(base_output *output, int64_t first, int64_t bytes);

/* Ends it. With is_whole the bytes are written; without it none is, nor where base_output_fill has failed,
 * which fails here with BASE_MACHINE. */
base_status base_output_unmap(base_context *context, base_output *output, bool is_whole);

/* Where it goes. */
int base_output_descriptor(const base_output *output);
bool base_output_is_pipe(const base_output *output);

/* Bytes written so far. */
int64_t base_output_position(const base_output *output);

/* Sends what is buffered on its way; any thread. */
base_status base_output_flush(base_context *context, base_output *output);

/* Flushes, syncs, closes and renames into place; the output is freed whether or not that succeeds. */
base_status base_output_commit(base_context *context, base_output *output);

/* Closes and removes what was written to a file. NULL is allowed. */
void base_output_discard(base_output *output);

/* No file is created from here on: who tries waits for ever. For a thread that ends the process while others
 * run, before it removes the unfinished file; not inside a signal handler. */
void base_output_create_no_more(void);

/* Removes the unfinished file of the open output; safe inside a signal handler. */
void base_output_remove_unfinished(void);

#endif
