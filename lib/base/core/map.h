/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of files mapped into memory. A file may be cut off by somebody else while it is: whoever touches it
 * then gets SIGBUS, and the handler (run/signals.h) learns here which file it was. */
#ifndef BASE_CORE_MAP_H
#define BASE_CORE_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Address space for parts of the file called `name` (copied), which base_map_part then places there. What is
 * written to it changes no file. NULL: there is none, or too many files are mapped already. Any thread may
 * call it. */
char *base_map_reserve(const char *name, int64_t bytes);

/* Bytes of a regular file from `offset` on at `to`; both are multiples of the page size. */
bool base_map_part(char *to, int descriptor, int64_t offset, int64_t bytes);

/* Bytes of the regular file called `name` (copied) from `offset` on, a multiple of the page size. What is
 * written there is in the file, which must be open for reading and writing. They are mapped at the free
 * address `room`, or anywhere if it is NULL. NULL: they cannot be mapped. Any thread may call it. */
char *base_map_shared(const char *name, int descriptor, int64_t offset, int64_t bytes, void *room);

/* Frees memory from base_alloc, or `mapped` bytes from base_map_reserve or base_map_shared if they are more
 * than 0; NULL: does nothing. */
void base_free_mapped(void *memory, int64_t mapped);

/* The name of the file that is mapped around an address, NULL if none is. Safe inside a signal handler. */
const char *base_map_name(const void *address);

/* Whether it is from base_map_shared. Safe inside a signal handler. */
bool base_map_is_shared(const void *address);

#endif
