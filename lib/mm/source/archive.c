#include "mm/source/archive.h"
#include "base/core/memory.h"
#include "mm/source/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES = 256 * 1024 };

struct mm_archive {
    mm_bytes from;
    struct archive *reader;
    int filter;         /* libarchive's code; none for a tar archive */
    bool opened, empty; /* `empty`: there are no data at all */
    bool from_at_end;
    size_t tail_zeros;       /* zeros at the end of what libarchive got, counted up to a tar block */
    const char *from_damage; /* the stage below failed: with this … */
    int from_errno;          /* … or with this */
    char message[400];
    char buffer[INPUT_BYTES];
};

static mm_archive *open_archive(mm_bytes from, int filter) {
    mm_archive *archive = base_alloc_silent(1, sizeof *archive);
    if (archive == NULL)
        return NULL;
    memset(archive, 0, sizeof *archive);
    archive->from = from;
    archive->filter = filter;
    archive->reader = archive_read_new();
    if (archive->reader == NULL) {
        free(archive);
        return NULL;
    }
    return archive;
}

mm_archive *mm_archive_open_coded(mm_bytes from, mm_coding coding) {
    int filter = coding == MM_CODING_ZSTD ? ARCHIVE_FILTER_ZSTD
                 : coding == MM_CODING_XZ ? ARCHIVE_FILTER_XZ
                                          : ARCHIVE_FILTER_BZIP2;
    return open_archive(from, filter);
}

mm_archive *mm_archive_open_tar(mm_bytes from) {
    return open_archive(from, ARCHIVE_FILTER_NONE);
}

void mm_archive_close(mm_archive *archive) {
    if (archive != NULL)
        archive_read_free(archive->reader);
    free(archive);
}

static void count_tail_zeros(mm_archive *archive, size_t size) {
    size_t zeros = 0;
    while (zeros < size && zeros < MM_TAR_BLOCK_BYTES && archive->buffer[size - 1 - zeros] == 0)
        zeros++;
    archive->tail_zeros = zeros == size ? archive->tail_zeros + zeros : zeros;
}

static la_ssize_t give_libarchive(struct archive *reader, void *data, const void **buffer) {
    mm_archive *archive = data;
    ssize_t count =
        archive->from.read(archive->from.self, archive->buffer, INPUT_BYTES, &archive->from_damage);
    if (count < 0) {
        archive->from_errno = archive->from_damage == NULL ? errno : 0;
        archive_set_error(reader, EIO, "input");
        return -1;
    }
    archive->from_at_end = count == 0;
    count_tail_zeros(archive, (size_t)count);
    *buffer = archive->buffer;
    return count;
}

/* Turns libarchive's failure, or that of the stage below, into ours. */
static int fail(mm_archive *archive, const char **damage) {
    const char *cause = archive_error_string(archive->reader);
    *damage = archive->from_damage;
    if (*damage != NULL)
        return -1;
    errno = archive->from_errno != 0 ? archive->from_errno : ENOMEM;
    if (archive->from_errno != 0 || archive_errno(archive->reader) == ENOMEM)
        return -1;
    snprintf(archive->message, sizeof archive->message, "cannot unpack: %s",
             cause != NULL ? cause : "damaged data");
    *damage = archive->message;
    return -1;
}

static int open_reader(mm_archive *archive, const char **damage) {
    struct archive *reader = archive->reader;
    bool tar = archive->filter == ARCHIVE_FILTER_NONE;
    archive->opened = true;
    if (archive_read_support_format_empty(reader) != ARCHIVE_OK ||
        (tar ? archive_read_support_format_tar(reader) : archive_read_support_format_raw(reader)) !=
            ARCHIVE_OK ||
        archive_read_append_filter(reader, archive->filter) != ARCHIVE_OK ||
        archive_read_open(reader, archive, NULL, give_libarchive, NULL) != ARCHIVE_OK ||
        archive_errno(reader) != 0) /* it finds an archive empty also when its first read failed */
        return fail(archive, damage);
    if (tar)
        return 0;
    struct archive_entry *entry;
    int result = archive_read_next_header(reader, &entry);
    archive->empty = result == ARCHIVE_EOF;
    return archive->empty || result >= ARCHIVE_WARN ? 0 : fail(archive, damage);
}

static ssize_t read_bytes(void *self, void *buffer, size_t size, const char **damage) {
    mm_archive *archive = self;
    *damage = NULL;
    if (!archive->opened && open_reader(archive, damage) != 0)
        return -1;
    if (archive->empty)
        return 0;
    ssize_t count = archive_read_data(archive->reader, buffer, size);
    return count < 0 ? fail(archive, damage) : count;
}

mm_bytes mm_archive_bytes(mm_archive *archive) {
    return (mm_bytes){read_bytes, archive};
}

/* NULL when the name stays inside the archive, else what is wrong with it. */
static const char *name_fault(const char *name) {
    if (*name == '/')
        return "an absolute name";
    if (strlen(name) >= BASE_PLACE_MEMBER)
        return "a name of more than 1023 bytes";
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0))
            return "'..' in its name";
    }
    return NULL;
}

int mm_archive_next(mm_archive *archive, const char **name, const char **damage) {
    struct archive_entry *entry;
    *damage = NULL;
    if (!archive->opened && open_reader(archive, damage) != 0)
        return -1;
    do {
        int result = archive_read_next_header(archive->reader, &entry);
        if (result == ARCHIVE_EOF) {
            /* libarchive takes the end of its input between two members for the end of the archive. */
            if (!archive->from_at_end || archive->tail_zeros >= MM_TAR_BLOCK_BYTES)
                return 0;
            *damage = "the archive is cut off: it has no end mark";
            return -1;
        }
        if (result < ARCHIVE_WARN)
            return fail(archive, damage);
    } while (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL);
    *name = archive_entry_pathname(entry);
    if (*name == NULL)
        *name = archive_entry_pathname_utf8(entry);
    if (*name == NULL)
        *name = "?";
    while ((*name)[0] == '.' && (*name)[1] == '/')
        *name += 2;
    const char *fault = name_fault(*name);
    if (fault == NULL)
        return 1;
    snprintf(archive->message, sizeof archive->message, "archive member '%.300s' has %s", *name, fault);
    *damage = archive->message;
    return -1;
}

/* ---- zip ---- */

static base_status fail_zip(base_context *context, struct archive *archive) {
    const char *cause = archive_error_string(archive);
    if (archive_errno(archive) == ENOMEM)
        return base_fail(context, BASE_MACHINE, "out of memory");
    return base_fail(context, BASE_DAMAGED, "zip: %s", cause != NULL ? cause : "damaged data");
}

base_status mm_zip_read(base_context *context, const void *data, size_t size, int64_t index, size_t most,
                        char **name, char **content, size_t *content_bytes, bool *found) {
    base_status status = BASE_OK;
    struct archive *reader = archive_read_new();
    struct archive_entry *entry;
    *name = *content = NULL;
    *content_bytes = 0;
    *found = false;
    if (reader == NULL)
        return base_fail(context, BASE_MACHINE, "out of memory");
    if (archive_read_support_format_zip(reader) != ARCHIVE_OK ||
        archive_read_open_memory(reader, data, size) != ARCHIVE_OK)
        BASE_TRY(fail_zip(context, reader));
    for (int64_t k = 0; k <= index; k++) {
        int result = archive_read_next_header(reader, &entry);
        if (result == ARCHIVE_EOF)
            goto done;
        if (result < ARCHIVE_WARN)
            BASE_TRY(fail_zip(context, reader));
    }
    const char *path = archive_entry_pathname(entry);
    *name = base_copy_text(context, path != NULL ? path : "?", (int64_t)strlen(path != NULL ? path : "?"));
    int64_t capacity = 0;
    if (*name == NULL)
        BASE_TRY(BASE_MACHINE);
    for (la_ssize_t count = 1; count > 0; *content_bytes += (size_t)count) {
        BASE_TRY(base_reserve(context, content, &capacity, (int64_t)*content_bytes + INPUT_BYTES, 1));
        count = archive_read_data(reader, *content + *content_bytes, INPUT_BYTES);
        if (count < 0)
            BASE_TRY(fail_zip(context, reader));
        if (*content_bytes + (size_t)count > most)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "zip: a member of more than %zu bytes", most));
    }
    *found = true;
done:
    archive_read_free(reader);
    if (status != BASE_OK) {
        free(*name);
        free(*content);
        *name = *content = NULL;
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
    archive_set_error(writer, EIO, "output");
    return -1;
}

static bool write_member(struct archive *writer, const mm_zip_member *member) {
    struct archive_entry *entry = archive_entry_new();
    bool good = entry != NULL;
    if (good) {
        archive_entry_set_pathname(entry, member->name);
        archive_entry_set_size(entry, (la_int64_t)member->bytes);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        good = archive_write_header(writer, entry) >= ARCHIVE_WARN &&
               archive_write_data(writer, member->content, member->bytes) == (la_ssize_t)member->bytes;
    }
    archive_entry_free(entry);
    return good;
}

base_status mm_zip_write(base_context *context, base_output *output, const mm_zip_member *members,
                         int count) {
    zip_output to = {context, output, BASE_OK};
    struct archive *writer = archive_write_new();
    bool good = writer != NULL && archive_write_set_format_zip(writer) == ARCHIVE_OK &&
                archive_write_zip_set_compression_store(writer) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(writer, 0) == ARCHIVE_OK &&
                archive_write_open(writer, &to, NULL, take_zip, NULL) == ARCHIVE_OK;
    for (int k = 0; k < count && good; k++)
        good = write_member(writer, &members[k]);
    good = good && archive_write_close(writer) == ARCHIVE_OK;
    archive_write_free(writer);
    if (to.status != BASE_OK || good)
        return to.status;
    return base_fail(context, BASE_MACHINE, "cannot make a zip archive");
}
