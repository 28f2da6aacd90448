/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/source.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/coding/detect.h"
#include "mm/source/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 256 * 1024,
    PIPE_BYTES = 256 * 1024,
    BINARY_BYTES = 12,
    DETECT_BYTES = MM_TAR_BLOCK_BYTES
};

struct mm_source {
    int descriptor;    /* -1: memory */
    base_taker *taker; /* of a pipe */

    /* The visible bytes are window[begin] … window[end - 1]. */
    const char *window;
    size_t begin, end;
    char *buffer; /* the window, unless it is the caller's memory */
    char *head;   /* first bytes, given to the unpacking thread */
    int64_t capacity;

    bool started; /* the first part was asked for */
    bool part_ended;
    bool has_failed;
    bool is_binary;
    bool is_pipe;       /* has no place; known since it was asked for */
    off_t place;        /* of a file, behind the last bytes that were read; -1: not known */
    int64_t told_bytes; /* of a file: its progress is its place, also where it is unpacked */
    mm_unpack *unpack;  /* NULL: the bytes are taken as they are */
    mm_team *team;      /* NULL: not asked for yet, or there is none */

    mm_source_wait *before_wait; /* NULL: nothing is called */
    void *data;                  /* of it */
};

static base_status new_source(base_context *context, mm_source **source) {
    *source = base_alloc_zero(context, 1, sizeof **source);
    if (*source == NULL)
        return BASE_MACHINE;
    (*source)->descriptor = -1;
    (*source)->place = -1;
    return BASE_OK;
}

base_status mm_source_open(base_context *context, const char *path, mm_source **source) {
    base_status status;
    mm_source *made = NULL;
    snprintf(context->place.file, sizeof context->place.file, "%s",
             strcmp(path, "-") == 0 ? "standard input" : path);
    context->place.line = context->place.member = 0;
    BASE_TRY(new_source(context, &made));
    BASE_TRY(base_open_read(context, path, &made->descriptor));
    made->taker = base_taker_open(made->descriptor);
done:
    if (status != BASE_OK) {
        mm_source_close(made);
        made = NULL;
    }
    *source = made;
    return status;
}

base_status mm_source_open_memory(base_context *context, const void *data, size_t size, mm_source **source) {
    base_status status = new_source(context, source);
    if (status == BASE_OK) {
        (*source)->window = size > 0 ? data : "";
        (*source)->end = size;
    }
    return status;
}

void mm_source_before_wait(mm_source *source, mm_source_wait *call, void *data) {
    source->before_wait = call;
    source->data = data;
}

void mm_source_close(mm_source *source) {
    if (source == NULL)
        return;
    mm_unpack_close(source->unpack);
    mm_team_close(source->team);
    base_taker_close(source->taker);
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source->buffer);
    free(source->head);
    free(source);
}

/* Room for more bytes behind the window's end. Unread bytes move only when fewer than were read since they
 * last moved, so a byte is copied once on average; the buffer doubles only when it is full. */
static base_status make_room(base_context *context, mm_source *source) {
    size_t unread = source->end - source->begin;
    if (source->buffer != NULL && source->begin >= unread && source->begin > 0) {
        memmove(source->buffer, source->buffer + source->begin, unread);
        source->begin = 0;
        source->end = unread;
    }
    if ((int64_t)source->end < source->capacity)
        return BASE_OK;
    int64_t capacity = source->capacity > 0 ? 2 * source->capacity : WINDOW_BYTES;
    base_status status = base_resize(context, &source->buffer, capacity, 1);
    if (status != BASE_OK)
        return status;
    source->capacity = capacity;
    source->window = source->buffer;
    return BASE_OK;
}

/* Asks the system where a file is. */
static void find_place(mm_source *source) {
    if (source->descriptor >= 0 && !source->is_pipe)
        source->place = lseek(source->descriptor, 0, SEEK_CUR);
    source->is_pipe = source->place < 0;
}

/* Says how far a file is; of one that is unpacked, how far the unpacking is. False: it is no file. */
static bool tell_place(base_context *context, mm_source *source) {
    const off_t place = source->place;
    if (place < 0)
        return false;
    const int64_t unread = source->unpack == NULL ? (int64_t)(source->end - source->begin) : 0;
    const int64_t bytes = (int64_t)place - unread - source->told_bytes;
    source->told_bytes += bytes;
    base_progress_read(context, bytes);
    return true;
}

/* Between two reads a file stays where it is, unless a thread unpacks it. */
void mm_source_tell_progress(base_context *context, mm_source *source) {
    if (source->unpack != NULL)
        find_place(source);
    tell_place(context, source);
}

/* The next bytes of the part, at most `room`. */
static base_status take(base_context *context, mm_source *source, char *to, size_t room, size_t *count) {
    base_status status = BASE_OK;
    if (source->before_wait != NULL)
        BASE_TRY(source->before_wait(context, source->data));
    if (source->unpack != NULL) {
        BASE_TRY(mm_unpack_read(context, source->unpack, to, room, count));
    } else {
        ssize_t read = base_read_threads(source->descriptor, to, room, context->threads);
        if (read < 0)
            BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read"));
        *count = (size_t)read;
    }
    source->part_ended = *count == 0;
    find_place(source);
done:
    return status;
}

static base_status fetch(base_context *context, mm_source *source) {
    base_status status = BASE_OK;
    size_t count;
    if ((int64_t)source->end == source->capacity)
        BASE_TRY(make_room(context, source));
    BASE_TRY(
        take(context, source, source->buffer + source->end, (size_t)source->capacity - source->end, &count));
    source->end += count;
    if (!tell_place(context, source))
        base_progress_read(context, (int64_t)count);
done:
    return status;
}

base_status mm_source_peek(base_context *context, mm_source *source, size_t wanted, const char **data,
                           size_t *size) {
    base_status status = BASE_OK;
    bool memory = source->descriptor < 0 && source->unpack == NULL;
    while (source->end - source->begin < wanted && !source->part_ended) {
        if (memory)
            source->part_ended = true;
        else
            BASE_TRY(fetch(context, source));
    }
done:
    source->has_failed |= status != BASE_OK;
    *data = source->window != NULL ? source->window + source->begin : "";
    *size = status == BASE_OK ? source->end - source->begin : 0;
    return status;
}

base_status mm_source_read(base_context *context, mm_source *source, void *to, size_t wanted, size_t *size) {
    base_status status = BASE_OK;
    const size_t visible = source->end - source->begin;
    char *place = to;
    size_t done = visible < wanted ? visible : wanted, count;
    if (done > 0)
        memcpy(place, source->window + source->begin, done);
    source->begin += done;
    source->part_ended |= done < wanted && source->descriptor < 0 && source->unpack == NULL; /* memory */
    while (done < wanted && !source->part_ended) {
        BASE_TRY(take(context, source, place + done, wanted - done, &count));
        done += count;
        if (!tell_place(context, source))
            base_progress_read(context, (int64_t)count);
    }
done:
    source->has_failed |= status != BASE_OK;
    *size = done;
    return status;
}

bool mm_source_has_failed(const mm_source *source) {
    return source->has_failed;
}

void mm_source_skip(mm_source *source, size_t count) {
    source->begin += count;
}

bool mm_source_get_file(const mm_source *source, int *descriptor, int64_t *offset) {
    struct stat about;
    if (source->unpack != NULL || source->descriptor < 0 || fstat(source->descriptor, &about) != 0 ||
        !S_ISREG(about.st_mode))
        return false;
    const off_t place = lseek(source->descriptor, 0, SEEK_CUR);
    *descriptor = source->descriptor;
    *offset = (int64_t)place - (int64_t)(source->end - source->begin);
    return place >= 0;
}

base_status mm_source_jump(base_context *context, mm_source *source, int64_t count) {
    const int64_t visible = (int64_t)(source->end - source->begin);
    if (count <= visible) {
        source->begin += (size_t)count;
        return BASE_OK;
    }
    source->begin = source->end = 0;
    if (lseek(source->descriptor, (off_t)(count - visible), SEEK_CUR) < 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot read");
    find_place(source);
    tell_place(context, source);
    return BASE_OK;
}

base_taker *mm_source_get_taker(const mm_source *source) {
    return source->unpack == NULL ? source->taker : NULL;
}

mm_team *mm_source_team(const base_context *context, mm_source *source) {
    if (source->team == NULL)
        source->team = mm_team_open(context->threads);
    return source->team;
}

bool mm_source_at_end(const mm_source *source) {
    return source->part_ended && source->begin == source->end;
}

bool mm_source_is_binary(const mm_source *source) {
    return source->is_binary;
}

/* Looks at the first bytes and starts to unpack what is packed. */
static base_status start(base_context *context, mm_source *source) {
    base_status status;
    const char *data;
    size_t size;
    source->started = true;
    /* What begins like a banner or a frame is not made to wait for more to come. */
    BASE_TRY(mm_source_peek(context, source, 2, &data, &size));
    if (size >= 2 && memcmp(data, "%%", 2) == 0)
        goto done;
    BASE_TRY(mm_source_peek(context, source, BINARY_BYTES, &data, &size));
    if (mm_binary_detect(data, size))
        goto done;
    BASE_TRY(mm_source_peek(context, source, DETECT_BYTES, &data, &size));
    mm_coding coding = mm_coding_detect(data, size);
    if (coding == MM_CODING_PLAIN && !mm_tar_detect(data, size))
        goto done;
    mm_input input;
    mm_input_init(&input, data, size, source->descriptor);
    /* The thread reads these bytes from here on: the window starts anew in a buffer of its own. */
    char *head = source->buffer;
    source->buffer = NULL;
    source->window = NULL;
    source->capacity = 0;
    source->begin = source->end = 0;
    source->head = head;
    BASE_TRY(mm_unpack_open(context, &input, coding, &source->unpack));
done:
    return status;
}

base_status mm_source_next_part(base_context *context, mm_source *source, const char **name, bool *found) {
    base_status status = BASE_OK;
    const char *data;
    size_t size;
    bool first = !source->started;
    *name = NULL;
    *found = false;
    if (first)
        BASE_TRY(start(context, source));
    if (source->unpack != NULL) {
        source->begin = source->end = 0;
        source->part_ended = false;
        BASE_TRY(mm_unpack_next_part(context, source->unpack, name, found));
    } else {
        *found = first;
    }
    if (*found) {
        BASE_TRY(mm_source_peek(context, source, BINARY_BYTES, &data, &size));
        source->is_binary = mm_binary_detect(data, size);
    }
done:
    source->has_failed |= status != BASE_OK;
    return status;
}
