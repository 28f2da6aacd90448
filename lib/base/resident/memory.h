/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory files that can be handed over. From 2 MiB on they are mapped at a multiple of 2 MiB where there is
 * room, so that their huge pages are mapped as such. */
#ifndef BASE_RESIDENT_MEMORY_H
#define BASE_RESIDENT_MEMORY_H

#include "base/core/context.h"

enum { BASE_RESIDENT_EXTENT_BYTES = 2 << 20 }; /* of a huge page on x86-64 */

/* A new one of `bytes` zeros, which take no memory until they are written. */
base_status base_resident_create(base_context *context, int64_t bytes, int *descriptor);

/* The same, and maps it: what is written to the memory is in the file, which then need not be copied to be
 * handed over. munmap(2) ends it. A store to a page for which the system has no memory raises SIGBUS. */
base_status base_resident_alloc(base_context *context, int64_t bytes, char **memory, int *descriptor);

/* Has threads make huge pages of the extents of 2 MiB, at multiples of 2 MiB, that lie in mapped memory. They
 * take memory at once: it is for memory that will be written whole. Of 2 GB they are there in 0.07 s with 16
 * threads, small pages in 0.5 s. Content stays. A hint: where the system makes none (before Linux 6.1, or
 * short of memory) all stays as it is. */
void base_resident_prepare(base_context *context, char *memory, int64_t bytes);

/* Gives bytes first … first + bytes - 1 of the `whole` ones of mapped memory their pages, huge ones where the
 * system makes them: what is written there then raises no SIGBUS. By one thread; several may. False: no
 * memory is left. Before Linux 5.14 it does nothing. */
bool base_resident_fill(char *memory, int64_t whole, int64_t first, int64_t bytes);

/* Whether base_resident_fill does what it says. */
bool base_resident_can_fill(void);

/* A free address for `bytes` bytes of a file at which its extents can be huge pages; NULL: any will do. */
void *base_resident_find_room(int64_t bytes);

/* Copies bytes to it, by context->threads threads. BASE_MACHINE where memory is short. */
base_status base_resident_write(base_context *context, int descriptor, int64_t offset, const void *from,
                                int64_t bytes);

/* Has threads map all pages of such memory, which the first touches would do one by one: of 2 GB in small
 * pages 0.01 s instead of 0.09 with 16 threads, in huge ones 0.001. A hint; holes would be filled. */
void base_resident_populate(base_context *context, char *memory, int64_t bytes);

/* What is behind `bytes` takes no memory any more. A hint: a failure does no harm. */
void base_resident_trim(int descriptor, int64_t bytes);

/* How memory is handed over. Whoever gives owned memory away neither writes to it nor reads it any more. */
typedef enum base_resident_kind {
    BASE_RESIDENT_FIXED, /* nobody can write to the file; what a taker writes is its own copy, page by page */
    BASE_RESIDENT_OWNED, /* the taker works in the file, without copies, and may hand it on */
} base_resident_kind;

/* From now on nobody can shorten or lengthen it, nor write to it if it is fixed. */
base_status base_resident_seal(base_context *context, int descriptor, base_resident_kind kind);

/* Maps a sealed one, which must have `bytes` bytes, or at least so many if it is owned (BASE_DAMAGED).
 * munmap(2) ends it. */
base_status base_resident_map(base_context *context, int descriptor, base_resident_kind kind, int64_t bytes,
                              char **memory);

#endif
