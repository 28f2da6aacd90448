/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocation. Every allocation of the library goes through here, so that sizes cannot overflow, failure
 * leaves a cause in the context, and tests can make the n-th allocation fail (see fault.h). Release with
 * free(). */
#ifndef BASE_CORE_MEMORY_H
#define BASE_CORE_MEMORY_H

#include "base/core/context.h"

/* From now on blocks of a megabyte and more are refused where with them more than `bytes` would be in use.
 * Files that are mapped do not count. */
void base_memory_set_limit(int64_t bytes);

/* Whether a block of so many bytes would be within the limit: for memory that is taken otherwise. */
bool base_memory_allows(int64_t bytes);

/* Memory for `count` objects of `size` bytes; NULL and an error of status BASE_MACHINE when there is none.
 * Counts of 0 give a pointer that can be freed. Negative counts fail. */
void *base_alloc(base_context *context, int64_t count, int64_t size);
void *base_alloc_zero(base_context *context, int64_t count, int64_t size);

/* Aligned for vector loads and cache lines (64 bytes). */
void *base_alloc_aligned(base_context *context, int64_t count, int64_t size);

/* Changes *pointer to hold `count` objects; on failure *pointer stays as it was. */
base_status base_resize(base_context *context, void *pointer, int64_t count, int64_t size);

/* Makes room for at least `needed` objects in a buffer that grows by half: *pointer and *capacity are
 * updated. */
base_status base_reserve(base_context *context, void *pointer, int64_t *capacity, int64_t needed,
                         int64_t size);

/* The same without a context, for threads and callbacks whose caller gives the cause: NULL when there is no
 * memory. */
void *base_alloc_silent(int64_t count, int64_t size);

/* A copy of `length` bytes with a final NUL. */
char *base_copy_text(base_context *context, const char *text, int64_t length);
char *base_copy_silent(const char *text, int64_t length);

#endif
