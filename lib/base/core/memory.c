/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "base/core/fault.h"
#include "base/core/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic int64_t limit_bytes; /* 0: none */

/* Bytes for `count` objects, at least 1; -1 if that overflows. */
static int64_t total_bytes(int64_t count, int64_t size) {
    int64_t bytes;
    if (count < 0 || __builtin_mul_overflow(count, size, &bytes))
        return -1;
    return bytes > 0 ? bytes : 1;
}

static void *no_memory(base_context *context, int64_t count, int64_t size) {
    const int64_t limit = limit_bytes;
    base_fail(context, BASE_MACHINE, "no memory for %lld objects of %lld bytes%s", (long long)count,
              (long long)size, limit > 0 ? " within --memory" : "");
    return NULL;
}

/* Asks for huge pages in large blocks: the first touch of 2 MiB then costs one page fault, not 512, which
 * are slower than reading the input that fills them. All pages of the block are asked for, also those at its
 * ends that are too few: a block whose pages differ could not be moved by realloc but had to be copied. */
static void *with_huge_pages(void *pointer, int64_t bytes) {
    enum { PAGE = 4096, LARGE = 4 << 20 };
    if (pointer != NULL && bytes >= LARGE) {
        uintptr_t begin = (uintptr_t)pointer / PAGE * PAGE;
        uintptr_t end = ((uintptr_t)pointer + malloc_usable_size(pointer)) / PAGE * PAGE;
        int number = errno;
        madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* a hint: without it all works, slower */
        errno = number;
    }
    return pointer;
}

/* ---- the limit ---- */

void base_memory_set_limit(int64_t bytes) {
    limit_bytes = bytes;
}

/* Blocks that are smaller are not looked at: the C library counts its blocks in microseconds. */
enum { COUNTED_BYTES = 1 << 20 };

bool base_memory_allows(int64_t bytes) {
#ifdef HAVE_MALLINFO2
    const int64_t limit = limit_bytes;
    if (limit == 0 || bytes < COUNTED_BYTES)
        return true;
    const struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd) <= limit - bytes;
#else
    return limit_bytes == 0 || bytes < COUNTED_BYTES || bytes <= limit_bytes;
#endif
}

/* Whether so many bytes may not be had; `more` of them are new. */
static bool is_refused(int64_t bytes, int64_t more) {
    return bytes < 0 || base_fault(BASE_FAULT_ALLOC) || !base_memory_allows(more);
}

void *base_alloc_silent(int64_t count, int64_t size) {
    int64_t bytes = total_bytes(count, size);
    return bytes < 0 || is_refused(bytes, bytes) ? NULL : with_huge_pages(malloc((size_t)bytes), bytes);
}

void *base_alloc(base_context *context, int64_t count, int64_t size) {
    void *pointer = base_alloc_silent(count, size);
    return pointer != NULL ? pointer : no_memory(context, count, size);
}

void *base_alloc_zero(base_context *context, int64_t count, int64_t size) {
    int64_t bytes = total_bytes(count, size);
    void *pointer =
        bytes < 0 || is_refused(bytes, bytes) ? NULL : with_huge_pages(calloc(1, (size_t)bytes), bytes);
    return pointer != NULL ? pointer : no_memory(context, count, size);
}

void *base_alloc_aligned(base_context *context, int64_t count, int64_t size) {
    int64_t bytes = total_bytes(count, size);
    void *pointer = NULL;
    if (is_refused(bytes, bytes) || posix_memalign(&pointer, 64, (size_t)bytes) != 0)
        return no_memory(context, count, size);
    return with_huge_pages(pointer, bytes);
}

base_status base_resize(base_context *context, void *pointer, int64_t count, int64_t size) {
    void *old, *resized = NULL;
    memcpy(&old, pointer, sizeof old);
    int64_t bytes = total_bytes(count, size);
    if (!is_refused(bytes, bytes - (old != NULL ? (int64_t)malloc_usable_size(old) : 0)))
        resized = with_huge_pages(realloc(old, (size_t)bytes), bytes);
    if (resized == NULL) {
        no_memory(context, count, size);
        return BASE_MACHINE;
    }
    memcpy(pointer, &resized, sizeof resized);
    return BASE_OK;
}

base_status base_reserve(base_context *context, void *pointer, int64_t *capacity, int64_t needed,
                         int64_t size) {
    if (needed <= *capacity)
        return BASE_OK;
    int64_t grown = *capacity + *capacity / 2;
    if (grown < needed)
        grown = needed;
    if (grown < 16)
        grown = 16;
    base_status status = base_resize(context, pointer, grown, size);
    if (status == BASE_OK)
        *capacity = grown;
    return status;
}

char *base_copy_silent(const char *text, int64_t length) {
    char *copy = base_alloc_silent(length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, (size_t)length);
        copy[length] = '\0';
    }
    return copy;
}

char *base_copy_text(base_context *context, const char *text, int64_t length) {
    char *copy = base_copy_silent(text, length);
    return copy != NULL ? copy : no_memory(context, length + 1, 1);
}
