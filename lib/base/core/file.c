/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/file.h"
#include "base/core/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe holds 64 KiB by default. With more its two programs work side by side and change places less often:
 * of cat | cat, 256 KiB made 3.1 GB/s of 2.2, and a megabyte no more. Where it is refused, all works as
 * before. */
static void enlarge_pipe(int descriptor) {
    enum { PIPE_BYTES = 256 << 10 };
    const int bytes = fcntl(descriptor, F_GETPIPE_SZ);
    if (bytes > 0 && bytes < PIPE_BYTES)
        fcntl(descriptor, F_SETPIPE_SZ, PIPE_BYTES);
}

base_status base_open_read(base_context *context, const char *path, int *descriptor) {
    if (strcmp(path, "-") == 0) {
        *descriptor = STDIN_FILENO;
        enlarge_pipe(*descriptor);
        return BASE_OK;
    }
    struct stat about;
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor >= 0 && fstat(*descriptor, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(*descriptor);
        *descriptor = -1;
        errno = EISDIR;
    }
    if (*descriptor >= 0) {
        enlarge_pipe(*descriptor);
        return BASE_OK;
    }
    const bool is_machine = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;
    return base_fail_errno(context, is_machine ? BASE_MACHINE : BASE_USAGE, "cannot open");
}

ssize_t base_read(int descriptor, void *buffer, size_t size) {
    if (base_fault(BASE_FAULT_READ)) {
        errno = EIO;
        return -1;
    }
    ssize_t count;
    do
        count = read(descriptor, buffer, size);
    while (count < 0 && errno == EINTR);
    return count;
}

ssize_t base_read_all(int descriptor, void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t count = base_read(descriptor, (char *)buffer + done, size - done);
        if (count < 0)
            return -1;
        if (count == 0)
            break;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

ssize_t base_read_at(int descriptor, void *buffer, size_t size, off_t offset) {
    size_t done = 0;
    if (base_fault(BASE_FAULT_READ)) {
        errno = EIO;
        return -1;
    }
    while (done < size) {
        ssize_t count = pread(descriptor, (char *)buffer + done, size - done, offset + (off_t)done);
        if (count < 0 && errno != EINTR)
            return -1;
        if (count == 0)
            break;
        if (count > 0)
            done += (size_t)count;
    }
    return (ssize_t)done;
}

ssize_t base_read_threads(int descriptor, void *buffer, size_t size, int threads) {
    enum { LEAST_BYTES = 1 << 20, PARTS = 64 };
    struct stat about;
    struct {
        ssize_t count;
        int error;
    } parts[PARTS];
    off_t offset;
    if (threads < 2 || size < LEAST_BYTES || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) ||
        (offset = lseek(descriptor, 0, SEEK_CUR)) < 0 || about.st_size - offset < LEAST_BYTES)
        return base_read(descriptor, buffer, size);
    if ((off_t)size > about.st_size - offset)
        size = (size_t)(about.st_size - offset);
    int count = threads < PARTS ? threads : PARTS;
    size_t part_bytes = (size + (size_t)count - 1) / (size_t)count;
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) {
        size_t begin = (size_t)i * part_bytes < size ? (size_t)i * part_bytes : size;
        size_t bytes = size - begin < part_bytes ? size - begin : part_bytes;
        parts[i].count = base_read_at(descriptor, (char *)buffer + begin, bytes, offset + (off_t)begin);
        parts[i].error = errno;
    }
    /* What lies behind a part that the file was too short for, or that failed, is left for the next call. */
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].count < 0 && total == 0) {
            errno = parts[i].error;
            return -1;
        }
        if (parts[i].count > 0)
            total += parts[i].count;
        if (parts[i].count < (ssize_t)part_bytes)
            break;
    }
    return lseek(descriptor, offset + total, SEEK_SET) < 0 ? -1 : total;
}

int base_write(int descriptor, const void *buffer, size_t size) {
    if (base_fault(BASE_FAULT_WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    const char *next = buffer;
    while (size > 0) {
        ssize_t count = write(descriptor, next, size);
        if (count < 0 && errno != EINTR)
            return -1;
        if (count > 0) {
            next += count;
            size -= (size_t)count;
        }
    }
    return 0;
}

int base_sync(int descriptor) {
    if (base_fault(BASE_FAULT_SYNC)) {
        errno = EIO;
        return -1;
    }
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
        return 0;
    return -1;
}

int base_rename(const char *from, const char *to) {
    if (base_fault(BASE_FAULT_RENAME)) {
        errno = EACCES;
        return -1;
    }
    return rename(from, to);
}
