/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/output.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "base/resident/tmpfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct base_output {
    int descriptor;
    char *path;      /* NULL: standard output */
    char *temporary; /* where a file is written until it is complete */
    char *buffer;
    int64_t capacity;
    size_t used;
    pthread_mutex_t lock; /* of print, write and flush */
    int64_t flushed;      /* bytes that left the buffer or passed it */
    base_tmpfs_part part; /* that is mapped */
};

enum { BUFFER_BYTES = 1 << 18, TRIES = 100 /* of names for a temporary file */ };

/* What base_output_remove_unfinished removes; one program has one output. */
static _Atomic(char *) unfinished;

/* Held while its file comes to be; for ever by base_output_create_no_more. */
static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

/* A file that exists and is no regular file (a device, a FIFO) is written in place: it cannot be replaced. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static base_status open_temporary(base_context *context, base_output *output) {
    int64_t size = (int64_t)strlen(output->path) + 16;
    output->temporary = base_alloc(context, size, 1);
    if (output->temporary == NULL)
        return BASE_MACHINE;
    /* mkstemp's permissions would have to be widened by the umask, which cannot be asked for without changing
     * it for all threads. */
    output->descriptor = -1;
    errno = EEXIST;
    for (int try = 0; try < TRIES && output->descriptor < 0 && errno == EEXIST; try++) {
        uint32_t word = 0;
        if (getentropy(&word, sizeof word) != 0)
            break;
        snprintf(output->temporary, (size_t)size, "%s.%06x", output->path, word & 0xffffff);
        /* Known before it exists, so that a signal in between leaves nothing. */
        pthread_mutex_lock(&creation);
        unfinished = output->temporary;
        output->descriptor = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        pthread_mutex_unlock(&creation);
    }
    if (output->descriptor < 0) {
        const base_status status = errno == ENOENT || errno == ENOTDIR ? BASE_USAGE : BASE_MACHINE;
        base_fail_errno(context, status, "cannot create %s", output->path);
        unfinished = NULL;
        free(output->temporary);
        output->temporary = NULL;
        return status;
    }
    struct stat old;
    if (stat(output->path, &old) == 0)
        fchmod(output->descriptor, old.st_mode & 0777);
    return BASE_OK;
}

base_status base_output_open_descriptor(base_context *context, int descriptor, base_output **result) {
    base_output *output = base_alloc_zero(context, 1, sizeof *output);
    *result = output;
    if (output == NULL)
        return BASE_MACHINE;
    pthread_mutex_init(&output->lock, NULL);
    output->descriptor = descriptor;
    output->capacity = BUFFER_BYTES;
    output->buffer = base_alloc(context, BUFFER_BYTES, 1);
    if (output->buffer == NULL) {
        base_output_discard(output);
        *result = NULL;
        return BASE_MACHINE;
    }
    return BASE_OK;
}

base_status base_output_open(base_context *context, const char *path, base_output **result) {
    base_output *output;
    *result = NULL;
    if (path != NULL && path[0] == '\0')
        return base_fail(context, BASE_USAGE, "--output: no name of a file");
    base_status status = base_output_open_descriptor(context, STDOUT_FILENO, &output);
    *result = output;
    if (status != BASE_OK)
        return status;
    if (path != NULL && strcmp(path, "-") != 0) {
        output->path = base_copy_text(context, path, (int64_t)strlen(path));
        if (output->path == NULL) {
            status = BASE_MACHINE;
        } else if (is_special(path)) {
            output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
            if (output->descriptor < 0)
                status = base_fail_errno(context, BASE_MACHINE, "cannot open %s", path);
        } else {
            status = open_temporary(context, output);
        }
    }
    if (status != BASE_OK) {
        base_output_discard(output);
        output = NULL;
    }
    *result = output;
    return status;
}

base_status base_output_refuse_terminal(base_context *context, const base_output *output) {
    if (!isatty(output->descriptor))
        return BASE_OK;
    return base_fail(
        context, BASE_USAGE,
        "the output is no text and would go to a terminal: name a file with --output, or redirect it");
}

static const char *name_of(const base_output *output) {
    return output->path != NULL ? output->path : "standard output";
}

/* The reader's place in the input has nothing to do with it. */
static base_status cannot_write(base_context *context, const base_output *output) {
    base_place place = context->place;
    context->place = (base_place){0};
    base_status status = base_fail_errno(context, BASE_MACHINE, "cannot write %s", name_of(output));
    context->place = place;
    return status;
}

static base_status flush(base_context *context, base_output *output) {
    size_t used = output->used;
    output->used = 0;
    if (used > 0 && base_write(output->descriptor, output->buffer, used) != 0)
        return cannot_write(context, output);
    output->flushed += (int64_t)used;
    return BASE_OK;
}

int base_output_descriptor(const base_output *output) {
    return output->descriptor;
}

bool base_output_is_pipe(const base_output *output) {
    struct stat about;
    return fstat(output->descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

base_status base_output_flush(base_context *context, base_output *output) {
    pthread_mutex_lock(&output->lock);
    base_status status = flush(context, output);
    pthread_mutex_unlock(&output->lock);
    return status;
}

int64_t base_output_position(const base_output *output) {
    return output->flushed + (int64_t)output->used;
}

char *base_output_room(base_context *context, base_output *output, size_t size) {
    if (output->used + size > (size_t)output->capacity) {
        if (flush(context, output) != BASE_OK)
            return NULL;
        if (base_reserve(context, &output->buffer, &output->capacity, (int64_t)size, 1) != BASE_OK)
            return NULL;
    }
    return output->buffer + output->used;
}

void base_output_advance(base_output *output, size_t used) {
    output->used += used;
}

static base_status write_bytes(base_context *context, base_output *output, const void *data, size_t size) {
    if (size >= BUFFER_BYTES) {
        base_status status = flush(context, output);
        if (status == BASE_OK && base_write(output->descriptor, data, size) != 0)
            status = cannot_write(context, output);
        output->flushed += (int64_t)size;
        return status;
    }
    char *room = base_output_room(context, output, size);
    if (room == NULL)
        return BASE_MACHINE;
    memcpy(room, data, size);
    base_output_advance(output, size);
    return BASE_OK;
}

base_status base_output_write(base_context *context, base_output *output, const void *data, size_t size) {
    pthread_mutex_lock(&output->lock);
    base_status status = write_bytes(context, output, data, size);
    pthread_mutex_unlock(&output->lock);
    return status;
}

base_status base_output_print(base_context *context, base_output *output, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    base_status status = BASE_MACHINE;
    pthread_mutex_lock(&output->lock);
    /* In place where it fits; else again when its length is known. */
    const size_t left = (size_t)output->capacity - output->used;
    const size_t length = (size_t)vsnprintf(output->buffer + output->used, left, format, arguments);
    char *room = base_output_room(context, output, length + 1);
    if (room != NULL) {
        if (length >= left)
            vsnprintf(room, length + 1, format, again);
        base_output_advance(output, length);
        status = BASE_OK;
    }
    pthread_mutex_unlock(&output->lock);
    va_end(again);
    va_end(arguments);
    return status;
}

base_status base_output_map(base_context *context, base_output *output, int64_t bytes, char **memory) {
    const base_status status = base_output_flush(context, output);
    *memory = NULL;
    if (status == BASE_OK && !context->copies_files &&
        base_tmpfs_map(&output->part, output->descriptor, name_of(output), bytes))
        *memory = base_tmpfs_memory(&output->part);
    return status;
}

bool base_output_fill(base_output *output, int64_t first, int64_t bytes) {
    return base_tmpfs_fill(&output->part, first, bytes);
}

base_status base_output_unmap(base_context *context, base_output *output, bool is_whole) {
    const int64_t bytes = output->part.bytes;
    if (base_tmpfs_unmap(&output->part, is_whole) != 0)
        return cannot_write(context, output);
    output->flushed += is_whole ? bytes : 0;
    return BASE_OK;
}

static void output_free(base_output *output) {
    char *own = output->temporary;
    atomic_compare_exchange_strong(&unfinished, &own, NULL);
    pthread_mutex_destroy(&output->lock);
    free(output->temporary);
    free(output->path);
    free(output->buffer);
    free(output);
}

base_status base_output_commit(base_context *context, base_output *output) {
    base_status status = BASE_OK;
    BASE_TRY(base_output_flush(context, output));
    if (output->temporary != NULL && base_sync(output->descriptor) != 0)
        BASE_TRY(cannot_write(context, output));
    int descriptor = output->descriptor;
    output->descriptor = -1;
    if (close(descriptor) != 0)
        BASE_TRY(cannot_write(context, output));
    if (output->temporary != NULL && base_rename(output->temporary, output->path) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot rename %s to %s", output->temporary,
                                 output->path));
done:
    if (status == BASE_OK)
        output_free(output);
    else
        base_output_discard(output);
    return status;
}

void base_output_discard(base_output *output) {
    if (output == NULL)
        return;
    if (output->path != NULL && output->descriptor >= 0)
        close(output->descriptor);
    if (output->temporary != NULL)
        unlink(output->temporary);
    output_free(output);
}

void base_output_create_no_more(void) {
    pthread_mutex_lock(&creation);
}

void base_output_remove_unfinished(void) {
    char *path = unfinished;
    if (path != NULL)
        unlink(path);
}
