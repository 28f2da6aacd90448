/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/zip.h"
#include "base/core/memory.h"
#include "mm/coding/libarchive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static base_status find_libarchive(base_context *context) {
    const char *missing = mm_libarchive_missing();
    return missing == NULL ? BASE_OK : base_fail(context, BASE_MACHINE, "%s", missing);
}

static base_status fail_zip(base_context *context, struct archive *archive) {
    const char *cause = mm_libarchive.archive_error_string(archive);
    if (mm_libarchive.archive_errno(archive) == ENOMEM)
        return base_fail(context, BASE_MACHINE, "out of memory");
    return base_fail(context, BASE_DAMAGED, "zip: %s", cause != NULL ? cause : "damaged data");
}

/* Blocks that follow each other in the archive stay there; the first that does not has all copied. */
static base_status add_block(base_context *context, mm_zip_content *content, int64_t *capacity,
                             const void *data, size_t size, const char *block, size_t bytes) {
    base_status status = BASE_OK;
    const char *begin = data;
    const bool is_inside = (uintptr_t)block >= (uintptr_t)begin &&
                           (uintptr_t)block < (uintptr_t)begin + size &&
                           bytes <= size - (size_t)(block - begin);
    if (content->made == NULL && is_inside &&
        (content->bytes == 0 || block == content->at + content->bytes)) {
        content->at = content->bytes == 0 ? block : content->at;
        content->bytes += bytes;
        goto done;
    }
    const bool is_first = content->made == NULL;
    BASE_TRY(base_reserve(context, &content->made, capacity, (int64_t)(content->bytes + bytes), 1));
    if (is_first && content->bytes > 0)
        memcpy(content->made, content->at, content->bytes);
    memcpy(content->made + content->bytes, block, bytes);
    content->at = content->made;
    content->bytes += bytes;
done:
    return status;
}

static base_status read_content(base_context *context, struct archive *reader, const void *data, size_t size,
                                size_t most, mm_zip_content *content) {
    base_status status = BASE_OK;
    int64_t capacity = 0;
    *content = (mm_zip_content){.at = data};
    for (;;) {
        const void *block = NULL;
        size_t bytes = 0;
        la_int64_t offset;
        const int result = mm_libarchive.archive_read_data_block(reader, &block, &bytes, &offset);
        if (result == ARCHIVE_EOF)
            break;
        if (result != ARCHIVE_OK)
            BASE_TRY(fail_zip(context, reader));
        if (bytes > most - content->bytes)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "zip: a member of more than %zu bytes", most));
        if (bytes > 0)
            BASE_TRY(add_block(context, content, &capacity, data, size, block, bytes));
    }
done:
    return status;
}

base_status mm_zip_find(base_context *context, const void *data, size_t size, int64_t index, size_t most,
                        char **name, mm_zip_content *content, bool *found) {
    base_status status = BASE_OK;
    struct archive *reader;
    struct archive_entry *entry;
    *name = NULL;
    *content = (mm_zip_content){.at = NULL};
    *found = false;
    if (find_libarchive(context) != BASE_OK)
        return BASE_MACHINE;
    reader = mm_libarchive.archive_read_new();
    if (reader == NULL)
        return base_fail(context, BASE_MACHINE, "out of memory");
    if (mm_libarchive.archive_read_support_format_zip(reader) != ARCHIVE_OK ||
        mm_libarchive.archive_read_open_memory(reader, data, size) != ARCHIVE_OK)
        BASE_TRY(fail_zip(context, reader));
    for (int64_t k = 0; k <= index; k++) {
        int result = mm_libarchive.archive_read_next_header(reader, &entry);
        if (result == ARCHIVE_EOF)
            goto done;
        if (result < ARCHIVE_WARN)
            BASE_TRY(fail_zip(context, reader));
    }
    const char *path = mm_libarchive.archive_entry_pathname(entry);
    *name = base_copy_text(context, path != NULL ? path : "?", (int64_t)strlen(path != NULL ? path : "?"));
    if (*name == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(read_content(context, reader, data, size, most, content));
    *found = true;
done:
    mm_libarchive.archive_read_free(reader);
    if (status != BASE_OK) {
        free(*name);
        free(content->made);
        *name = content->made = NULL;
    }
    return status;
}

base_status mm_zip_read(base_context *context, const void *data, size_t size, int64_t index, size_t most,
                        char **name, char **content, size_t *content_bytes, bool *found) {
    mm_zip_content there;
    base_status status = mm_zip_find(context, data, size, index, most, name, &there, found);
    *content = there.made;
    *content_bytes = there.bytes;
    if (*found && there.made == NULL) {
        *content = base_copy_text(context, there.at, (int64_t)there.bytes);
        status = *content != NULL ? BASE_OK : BASE_MACHINE;
    }
    if (status != BASE_OK) {
        free(*name);
        *name = NULL;
    }
    return status;
}

typedef struct zip_output {
    base_context *context;
    base_output *output;
    base_status status;
} zip_output;

static la_ssize_t take_zip(struct archive *writer, void *data, const void *buffer, size_t size) {
    zip_output *to = data;
    to->status = base_output_write(to->context, to->output, buffer, size);
    if (to->status == BASE_OK)
        return (la_ssize_t)size;
    mm_libarchive.archive_set_error(writer, EIO, "output");
    return -1;
}

static bool write_bytes(struct archive *writer, const void *data, size_t bytes) {
    return bytes == 0 || mm_libarchive.archive_write_data(writer, data, bytes) == (la_ssize_t)bytes;
}

static bool write_member(struct archive *writer, const mm_zip_member *member) {
    struct archive_entry *entry = mm_libarchive.archive_entry_new();
    bool good = entry != NULL;
    if (good) {
        mm_libarchive.archive_entry_set_pathname(entry, member->name);
        mm_libarchive.archive_entry_set_size(entry, (la_int64_t)(member->head_bytes + member->bytes));
        mm_libarchive.archive_entry_set_filetype(entry, AE_IFREG);
        mm_libarchive.archive_entry_set_perm(entry, 0644);
        good = mm_libarchive.archive_write_header(writer, entry) >= ARCHIVE_WARN &&
               write_bytes(writer, member->head, member->head_bytes) &&
               write_bytes(writer, member->content, member->bytes);
    }
    mm_libarchive.archive_entry_free(entry);
    return good;
}

base_status mm_zip_write(base_context *context, base_output *output, const mm_zip_member *members,
                         int count) {
    zip_output to = {context, output, BASE_OK};
    if (find_libarchive(context) != BASE_OK)
        return BASE_MACHINE;
    struct archive *writer = mm_libarchive.archive_write_new();
    bool good = writer != NULL && mm_libarchive.archive_write_set_format_zip(writer) == ARCHIVE_OK &&
                mm_libarchive.archive_write_zip_set_compression_store(writer) == ARCHIVE_OK &&
                mm_libarchive.archive_write_set_bytes_per_block(writer, 0) == ARCHIVE_OK &&
                mm_libarchive.archive_write_open(writer, &to, NULL, take_zip, NULL) == ARCHIVE_OK;
    for (int k = 0; k < count && good; k++)
        good = write_member(writer, &members[k]);
    good = good && mm_libarchive.archive_write_close(writer) == ARCHIVE_OK;
    mm_libarchive.archive_write_free(writer);
    if (to.status != BASE_OK || good)
        return to.status;
    return base_fail(context, BASE_MACHINE, "cannot make a zip archive");
}
