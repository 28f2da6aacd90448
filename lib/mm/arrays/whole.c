/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/whole.h"
#include "base/core/file.h"
#include "base/core/map.h"
#include "base/core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

static void set_path(mm_whole *whole) {
    snprintf(whole->path, sizeof whole->path, "/proc/self/fd/%d", whole->descriptor);
}

base_status mm_whole_create(base_context *context, mm_whole *whole) {
    *whole = (mm_whole){.descriptor = memfd_create("mmpipe", MFD_CLOEXEC), .owned = true};
    if (whole->descriptor < 0) {
        whole->owned = false;
        return base_fail_errno(context, BASE_MACHINE, "cannot make a file in memory");
    }
    set_path(whole);
    return BASE_OK;
}

static base_status copy_source(base_context *context, mm_source *source, mm_whole *whole) {
    base_status status;
    const char *data;
    size_t size;
    BASE_TRY(mm_whole_create(context, whole));
    for (;;) {
        BASE_TRY(mm_source_peek(context, source, 1, &data, &size));
        if (size == 0)
            break;
        if (whole->bytes + (int64_t)size > context->memory_bytes)
            BASE_TRY(base_fail(context, BASE_MACHINE,
                               "more than the %lld bytes of --memory arrive in a pipe or archive",
                               (long long)context->memory_bytes));
        if (base_write(whole->descriptor, data, size) != 0)
            BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write a file in memory"));
        whole->bytes += (int64_t)size;
        mm_source_skip(source, size);
    }
done:
    return status;
}

base_status mm_whole_open(base_context *context, mm_source *source, mm_whole *whole) {
    int64_t offset;
    struct stat about;
    *whole = (mm_whole){.descriptor = -1};
    if (!mm_source_get_file(source, &whole->descriptor, &offset) || offset != 0 ||
        fstat(whole->descriptor, &about) != 0)
        return copy_source(context, source, whole);
    whole->bytes = about.st_size;
    set_path(whole);
    return mm_source_jump(context, source, whole->bytes);
}

base_status mm_whole_read(base_context *context, const mm_whole *whole, int64_t offset, char *to,
                          size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t count = pread(whole->descriptor, to + done, bytes - done, (off_t)offset + (off_t)done);
        if (count < 0 && errno != EINTR)
            return base_fail_errno(context, BASE_MACHINE, "cannot read");
        if (count == 0)
            return base_fail(context, BASE_DAMAGED, "the file is cut off");
        if (count > 0)
            done += (size_t)count;
    }
    return BASE_OK;
}

char *mm_whole_map(const base_context *context, const mm_whole *whole) {
    char *memory = context->copies_files ? NULL : base_map_reserve(context->place.file, whole->bytes);
    if (memory == NULL || base_map_part(memory, whole->descriptor, 0, whole->bytes))
        return memory;
    base_free_mapped(memory, whole->bytes);
    return NULL;
}

base_status mm_whole_copy(base_context *context, const mm_whole *whole, int64_t offset, int64_t bytes,
                          base_output *output) {
    base_status status = BASE_OK;
    for (int64_t done = 0; done < bytes;) {
        const size_t some = (size_t)(bytes - done < BLOCK_BYTES ? bytes - done : BLOCK_BYTES);
        char *room = base_output_room(context, output, some);
        if (room == NULL)
            BASE_TRY(BASE_MACHINE);
        BASE_TRY(mm_whole_read(context, whole, offset + done, room, some));
        base_output_advance(output, some);
        done += (int64_t)some;
    }
done:
    return status;
}

void mm_whole_close(mm_whole *whole) {
    if (whole != NULL && whole->owned)
        close(whole->descriptor);
    if (whole != NULL)
        *whole = (mm_whole){.descriptor = -1};
}
