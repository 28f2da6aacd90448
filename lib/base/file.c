#include "base/file.h"
#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

base_status base_open_read(base_context *context, const char *path, int *descriptor) {
    if (strcmp(path, "-") == 0) {
        *descriptor = STDIN_FILENO;
        return BASE_OK;
    }
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0)
        return base_fail_errno(context, BASE_USAGE, "cannot open");
    return BASE_OK;
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
