/* SPDX-License-Identifier: BSD-3-Clause */
/* File descriptors: reads and writes that survive EINTR and short counts, with injectable faults (fault.h).
 */
#ifndef BASE_CORE_FILE_H
#define BASE_CORE_FILE_H

#include "base/core/context.h"

#include <stddef.h>
#include <sys/types.h>

/* Opens for reading; "-" is standard input. A pipe gets room for 256 KiB. Fails with BASE_USAGE when the file
 * cannot be opened, with BASE_MACHINE when no file can. */
base_status base_open_read(base_context *context, const char *path, int *descriptor);

/* One read(2) of at most `size` bytes, repeated on EINTR; the count, 0 at the end, -1 with errno. */
ssize_t base_read(int descriptor, void *buffer, size_t size);

/* Repeats base_read until all `size` bytes are there, or the end; the count, -1 with errno. */
ssize_t base_read_all(int descriptor, void *buffer, size_t size);

/* All `size` bytes from `offset` of a file on, or those before its end; the count, -1 with errno. */
ssize_t base_read_at(int descriptor, void *buffer, size_t size, off_t offset);

/* Reads as base_read, much at once: of a regular file every thread reads a part, because copying
 * from the page cache takes a good share of the time of parsing. Pipes and small sizes are read by the
 * calling thread. */
ssize_t base_read_threads(int descriptor, void *buffer, size_t size, int threads);

/* Writes all `size` bytes; 0, or -1 with errno. */
int base_write(int descriptor, const void *buffer, size_t size);

/* fsync(2), but 0 for pipes and terminals, which cannot be synced. */
int base_sync(int descriptor);

int base_rename(const char *from, const char *to);

#endif
