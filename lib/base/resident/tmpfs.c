/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/tmpfs.h"
#include "base/core/fault.h"
#include "base/core/map.h"
#include "base/resident/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LEAST_BYTES = 8 << 20 };

/* Bytes that are mapped before the part: huge pages begin at multiples of their size in the file, too. */
static int64_t lead_of(const base_tmpfs_part *part) {
    return part->offset % BASE_RESIDENT_EXTENT_BYTES;
}

/* The file's size and its offset, if it is one whose bytes may be mapped. */
static bool examine(base_tmpfs_part *part) {
    struct stat about;
    struct statfs system;
    const int flags = fcntl(part->descriptor, F_GETFL);
    if (flags < 0 || (flags & O_APPEND) != 0 || fstat(part->descriptor, &about) != 0 ||
        !S_ISREG(about.st_mode) || fstatfs(part->descriptor, &system) != 0 || system.f_type != TMPFS_MAGIC)
        return false;
    part->file_bytes = about.st_size;
    part->offset = lseek(part->descriptor, 0, SEEK_CUR);
    return part->offset >= 0;
}

/* A descriptor of its own. Who maps a file to write must be allowed to read it, too; a shell opens the file
 * of a redirection for writing alone. */
static int reopen(int descriptor) {
    char path[32];
    if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR)
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDWR | O_CLOEXEC);
}

bool base_tmpfs_map(base_tmpfs_part *part, int descriptor, const char *name, int64_t bytes) {
    *part = (base_tmpfs_part){.descriptor = descriptor, .bytes = bytes};
    if (bytes < LEAST_BYTES || bytes > PTRDIFF_MAX / 2 || !base_resident_can_fill() || !examine(part))
        return false;
    const int own = reopen(descriptor);
    if (own < 0)
        return false;
    const int64_t lead = lead_of(part), all = lead + bytes;
    part->memory = base_map_shared(name, own, part->offset - lead, all, base_resident_find_room(all));
    close(own);
    return part->memory != NULL;
}

char *base_tmpfs_memory(const base_tmpfs_part *part) {
    return part->memory + lead_of(part);
}

/* A huge page is made whole, so the file gets the rest of the last one, too, as far as it will be written. It
 * is not lengthened to the end at once: where the process is killed it has little that was not written. */
static bool lengthen(const base_tmpfs_part *part, int64_t end) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const int64_t most = part->offset + part->bytes, extent = BASE_RESIDENT_EXTENT_BYTES,
                  whole = (part->offset + end + extent - 1) / extent * extent,
                  wanted = whole < most ? whole : most;
    struct stat about;
    pthread_mutex_lock(&lock);
    const bool is_long = fstat(part->descriptor, &about) == 0 &&
                         (about.st_size >= wanted || ftruncate(part->descriptor, (off_t)wanted) == 0);
    pthread_mutex_unlock(&lock);
    return is_long;
}

bool base_tmpfs_fill(base_tmpfs_part *part, int64_t first, int64_t bytes) {
    const int64_t lead = lead_of(part);
    int error = part->error, none = 0;
    if (error != 0)
        return false;
    if (base_fault(BASE_FAULT_WRITE))
        error = ENOSPC;
    else if (!lengthen(part, first + bytes))
        error = errno;
    else if (!base_resident_fill(part->memory, lead + part->bytes, lead + first, bytes))
        error = ENOSPC;
    if (error != 0)
        atomic_compare_exchange_strong(&part->error, &none, error);
    return error == 0;
}

int base_tmpfs_unmap(base_tmpfs_part *part, bool is_whole) {
    struct stat about;
    base_free_mapped(part->memory, lead_of(part) + part->bytes);
    if (is_whole && part->error == 0) {
        if (lseek(part->descriptor, (off_t)(part->offset + part->bytes), SEEK_SET) >= 0)
            return 0;
        part->error = errno;
    }
    if (fstat(part->descriptor, &about) == 0 && about.st_size > part->file_bytes &&
        ftruncate(part->descriptor, (off_t)part->file_bytes) != 0 && part->error == 0)
        part->error = errno;
    errno = part->error;
    return part->error == 0 ? 0 : -1;
}
