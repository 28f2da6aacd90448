/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/resident/memory.h"
#include "base/core/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

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

base_status base_resident_write(base_context *context, int descriptor, int64_t offset, const void *from,
                                int64_t bytes) {
    const char *next = from;
    if (base_fault(BASE_FAULT_WRITE)) {
        errno = ENOSPC;
        return base_fail_errno(context, BASE_MACHINE, "cannot fill a memory file");
    }
    while (bytes > 0) {
        const ssize_t count = pwrite(descriptor, next, (size_t)bytes, (off_t)offset);
        if (count < 0 && errno != EINTR)
            return base_fail_errno(context, BASE_MACHINE, "cannot fill a memory file");
        if (count > 0) {
            next += count;
            offset += count;
            bytes -= count;
        }
    }
    return BASE_OK;
}

base_status base_resident_seal(base_context *context, int descriptor) {
    if (fcntl(descriptor, F_ADD_SEALS, SEALS) != 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot seal a memory file");
    return BASE_OK;
}

base_status base_resident_map(base_context *context, int descriptor, int64_t bytes, char **memory) {
    struct stat about;
    const int seals = fcntl(descriptor, F_GET_SEALS);
    *memory = NULL;
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(descriptor, &about) != 0 || about.st_size != bytes)
        return base_fail(context, BASE_DAMAGED, "the memory that was handed over is not what its frame says");
    /* Few pages are written here, and a hole has none: so no memory is set aside for all of them. */
    const int how = MAP_PRIVATE | MAP_NORESERVE;
    void *mapped = base_fault(BASE_FAULT_ALLOC)
                       ? MAP_FAILED
                       : mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, how, descriptor, 0);
    if (mapped == MAP_FAILED)
        return base_fail_errno(context, BASE_MACHINE, "cannot map %lld bytes", (long long)bytes);
    *memory = mapped;
    return BASE_OK;
}
