/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of one input: a file or pipe, decompressed (gzip, zstd) on a thread of its own, or the members of
 * a tar archive one after another. What an input is, its first bytes tell, never its name.
 *
 * input.h reads the descriptor; unpack.h decodes on a thread of its own (mm/coding) and hands blocks over
 * through ring.h. lines.h, on top of all, splits a text file into lines. team.h has threads for loops over
 * what came.
 *
 * The window of bytes that mm_source_peek shows is all that readers see: none of them knows whether the
 * input is a file, a pipe, compressed or a member of an archive. */
#ifndef MM_SOURCE_SOURCE_H
#define MM_SOURCE_SOURCE_H

#include "base/core/context.h"
#include "base/resident/taker.h"
#include "mm/source/team.h"

#include <stddef.h>

typedef struct mm_source mm_source;

/* `path` "-" is standard input. Sets the place's file. Fails with BASE_USAGE if it cannot be opened. */
base_status mm_source_open(base_context *context, const char *path, mm_source **source);

/* The same over bytes in memory, for tests and fuzzing; `data` must live as long as the source. */
base_status mm_source_open_memory(base_context *context, const void *data, size_t size, mm_source **source);

void mm_source_close(mm_source *source);

/* What is called before more of the input is asked for, which may take as long as who writes it likes: to
 * send on its way what is finished. A failure is that of the read. */
typedef base_status mm_source_wait(base_context *context, void *data);
void mm_source_before_wait(mm_source *source, mm_source_wait *call, void *data);

/* Steps to the first or next part: for a tar archive its next regular file (links, folders, absolute names
 * and names with ".." are refused or skipped), for anything else the whole input, once. `*name` is the
 * member's name, NULL outside archives; it lives until the next call. */
base_status mm_source_next_part(base_context *context, mm_source *source, const char **name, bool *found);

/* Makes at least `wanted` bytes of the part visible, fewer only at its end. *data is valid until the next
 * call on this source; *size may exceed `wanted`. Unread bytes stay at the front. */
base_status mm_source_peek(base_context *context, mm_source *source, size_t wanted, const char **data,
                           size_t *size);

/* True when the input itself could not be read or unpacked: no part of it can be read any more. */
bool mm_source_has_failed(const mm_source *source);

/* Passes over `count` visible bytes. */
void mm_source_skip(mm_source *source, size_t count);

/* Moves the next `wanted` bytes of the part to `to`, and *size is less only at its end. What is not visible
 * yet is read to that place. */
base_status mm_source_read(base_context *context, mm_source *source, void *to, size_t wanted, size_t *size);

/* Where the visible bytes begin in a regular file that is taken as it is; false: there is no such file. */
bool mm_source_get_file(const mm_source *source, int *descriptor, int64_t *offset);

/* Passes over bytes of such a file, visible or not. */
base_status mm_source_jump(base_context *context, mm_source *source, int64_t count);

/* Tells the progress how much of the input was passed over; for who just took a record. */
void mm_source_tell_progress(base_context *context, mm_source *source);

/* Who takes memory that is handed over beside the pipe; NULL: this is no pipe, or it cannot be taken. */
base_taker *mm_source_get_taker(const mm_source *source);

/* Threads for loops over what the source brings, context->threads with the caller; NULL: only the caller.
 * They are started when they are asked for first, and end with the source. */
mm_team *mm_source_team(const base_context *context, mm_source *source);

/* True when a peek showed the end of the part and all of it was skipped. */
bool mm_source_at_end(const mm_source *source);

/* True when the part begins with the binary form's magic. Such input is a .zst file, but it is not
 * decompressed here: the binary reader wants its frames. */
bool mm_source_is_binary(const mm_source *source);

#endif
