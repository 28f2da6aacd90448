/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory behind which nothing can be read or written: whoever tries ends with SIGSEGV. */
#ifndef TESTS_UNIT_SPMM_GUARD_H
#define TESTS_UNIT_SPMM_GUARD_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t guard_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* A copy that ends where a page without access begins; guard_free gives it back. */
static void *guard_copy(const void *from, size_t bytes) {
    const size_t pages = guard_pages(bytes);
    char *begin =
        mmap(NULL, pages + guard_pages(1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED || mprotect(begin + pages, guard_pages(1), PROT_NONE) != 0)
        exit(4);
    return memcpy(begin + pages - bytes, from, bytes);
}

static void guard_free(void *copy, size_t bytes) {
    const size_t pages = guard_pages(bytes);
    munmap((char *)copy + bytes - pages, pages + guard_pages(1));
}

#endif
