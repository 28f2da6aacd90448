/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/memory.h"
#include "base/core/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

static int seals_of(base_resident_kind kind) {
    return F_SEAL_SHRINK | F_SEAL_GROW | (kind == BASE_RESIDENT_FIXED ? F_SEAL_WRITE : 0);
}

base_status base_resident_create(base_context *context, int64_t bytes, int *descriptor) {
    *descriptor = base_fault(BASE_FAULT_ALLOC) ? -1 : memfd_create("mmpipe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*descriptor < 0)
        return base_fail_errno(context, BASE_MACHINE, "no memory file");
    if (ftruncate(*descriptor, (off_t)bytes) == 0)
        return BASE_OK;
    base_status status =
        base_fail_errno(context, BASE_MACHINE, "a memory file of %lld bytes", (long long)bytes);
    close(*descriptor);
    *descriptor = -1;
    return status;
}

static char *align_up(char *address) {
    return address + (BASE_RESIDENT_EXTENT_BYTES - (uintptr_t)address % BASE_RESIDENT_EXTENT_BYTES) %
                         BASE_RESIDENT_EXTENT_BYTES;
}

void *base_resident_find_room(int64_t bytes) {
    if (bytes < BASE_RESIDENT_EXTENT_BYTES || bytes > PTRDIFF_MAX - BASE_RESIDENT_EXTENT_BYTES)
        return NULL;
    const size_t enough = (size_t)bytes + BASE_RESIDENT_EXTENT_BYTES;
    void *room = mmap(NULL, enough, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    munmap(room, enough);
    return align_up(room);
}

static base_status map(base_context *context, int descriptor, int64_t bytes, int how, char **memory) {
    void *mapped =
        base_fault(BASE_FAULT_ALLOC) || (uint64_t)bytes > SIZE_MAX
            ? MAP_FAILED
            : mmap(base_resident_find_room(bytes), (size_t)bytes, PROT_READ | PROT_WRITE, how, descriptor, 0);
    *memory = mapped == MAP_FAILED ? NULL : mapped;
    return *memory != NULL
               ? BASE_OK
               : base_fail_errno(context, BASE_MACHINE, "cannot map %lld bytes", (long long)bytes);
}

base_status base_resident_alloc(base_context *context, int64_t bytes, char **memory, int *descriptor) {
    base_status status;
    *memory = NULL;
    BASE_TRY(base_resident_create(context, bytes, descriptor));
    BASE_TRY(map(context, *descriptor, bytes, MAP_SHARED, memory));
done:
    if (status != BASE_OK && *descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
    return status;
}

static base_status write_part(base_context *context, int descriptor, int64_t offset, const char *from,
                              int64_t bytes) {
    while (bytes > 0) {
        const ssize_t count = pwrite(descriptor, from, (size_t)bytes, (off_t)offset);
        if (count < 0 && errno != EINTR)
            return base_fail_errno(context, BASE_MACHINE, "cannot fill a memory file");
        if (count > 0) {
            from += count;
            offset += count;
            bytes -= count;
        }
    }
    return BASE_OK;
}

/* Before Linux 5.14 the system cannot say that memory is short: a store raises SIGBUS. */
bool base_resident_can_fill(void) {
    return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
}

/* Gives the pages of a part memory; false if there is none. */
static bool has_pages(char *memory, int64_t first, int64_t bytes) {
    const int64_t page = sysconf(_SC_PAGESIZE), begin = first / page * page;
    return madvise(memory + begin, (size_t)(first + bytes - begin), MADV_POPULATE_WRITE) == 0;
}

/* Makes the pages of an extent one huge page, whatever the system's setting for shared memory; one page must
 * be there. False: the system makes none. */
static bool make_huge_page(char *extent) {
    return has_pages(extent, 0, 1) &&
           (madvise(extent, BASE_RESIDENT_EXTENT_BYTES, MADV_COLLAPSE) == 0 || errno == EAGAIN);
}

void base_resident_prepare(base_context *context, char *memory, int64_t bytes) {
    char *begin = align_up(memory);
    const int64_t extents = (memory + bytes - begin) / BASE_RESIDENT_EXTENT_BYTES;
#pragma omp parallel num_threads(context->threads) if (extents > 1)
    {
        bool works = true;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < extents; i++)
            works = works && make_huge_page(begin + i * BASE_RESIDENT_EXTENT_BYTES);
    }
}

bool base_resident_fill(char *memory, int64_t whole, int64_t first, int64_t bytes) {
    if (bytes == 0 || !base_resident_can_fill())
        return true;
    char *end = memory + first + bytes,
         *extent = memory + first - (uintptr_t)(memory + first) % BASE_RESIDENT_EXTENT_BYTES;
    for (; extent < end; extent += BASE_RESIDENT_EXTENT_BYTES)
        if (extent >= memory && extent + BASE_RESIDENT_EXTENT_BYTES <= memory + whole)
            make_huge_page(extent);
    return has_pages(memory, first, bytes);
}

/* write(2) lets one thread at a time into a file, and takes its small pages; a mapping takes all threads. */
static base_status copy_by_threads(base_context *context, int descriptor, int64_t offset, const char *from,
                                   int64_t bytes) {
    const int64_t piece = 1 << 20;
    base_status status;
    char *memory;
    int refused = 0;
    BASE_TRY(map(context, descriptor, offset + bytes, MAP_SHARED, &memory));
    base_resident_prepare(context, memory + offset, bytes);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1) reduction(+ : refused)
    for (int64_t first = 0; first < bytes; first += piece) {
        const int64_t count = bytes - first < piece ? bytes - first : piece;
        if (has_pages(memory, offset + first, count))
            memcpy(memory + offset + first, from + first, (size_t)count);
        else
            refused++;
    }
    munmap(memory, (size_t)(offset + bytes));
    if (refused > 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "cannot fill a memory file: no memory"));
done:
    return status;
}

base_status base_resident_write(base_context *context, int descriptor, int64_t offset, const void *from,
                                int64_t bytes) {
    enum { LEAST_BYTES = 8 << 20 };
    if (base_fault(BASE_FAULT_WRITE)) {
        errno = ENOSPC;
        return base_fail_errno(context, BASE_MACHINE, "cannot fill a memory file");
    }
    return bytes >= LEAST_BYTES && base_resident_can_fill()
               ? copy_by_threads(context, descriptor, offset, from, bytes)
               : write_part(context, descriptor, offset, from, bytes);
}

void base_resident_populate(base_context *context, char *memory, int64_t bytes) {
#ifdef MADV_POPULATE_READ
    const int64_t piece = 16 << 20;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
    for (int64_t first = 0; first < bytes; first += piece)
        madvise(memory + first, (size_t)(bytes - first < piece ? bytes - first : piece), MADV_POPULATE_READ);
#else
    (void)context, (void)memory, (void)bytes;
#endif
}

void base_resident_trim(int descriptor, int64_t bytes) {
    const int64_t page = sysconf(_SC_PAGESIZE), first = (bytes + page - 1) / page * page;
    struct stat about;
    if (fstat(descriptor, &about) == 0 && about.st_size > first)
        fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
                  about.st_size - (off_t)first);
}

base_status base_resident_seal(base_context *context, int descriptor, base_resident_kind kind) {
    const int seals = fcntl(descriptor, F_GET_SEALS), wanted = seals_of(kind);
    if (seals >= 0 && (seals & wanted) == wanted) /* as whoever made it has left it */
        return BASE_OK;
    if (fcntl(descriptor, F_ADD_SEALS, wanted) != 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot seal a memory file");
    return BASE_OK;
}

base_status base_resident_map(base_context *context, int descriptor, base_resident_kind kind, int64_t bytes,
                              char **memory) {
    struct stat about;
    const int seals = fcntl(descriptor, F_GET_SEALS), wanted = seals_of(kind);
    *memory = NULL;
    if (seals < 0 || (seals & wanted) != wanted || fstat(descriptor, &about) != 0 || about.st_size < bytes ||
        (kind == BASE_RESIDENT_FIXED ? about.st_size > bytes : (seals & F_SEAL_WRITE) != 0))
        return base_fail(context, BASE_DAMAGED, "the memory that was handed over is not what its frame says");
    /* Few pages of fixed memory are written here, and a hole has none: so no memory is set aside for all. */
    return map(context, descriptor, bytes,
               kind == BASE_RESIDENT_OWNED ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE, memory);
}
