/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/archive.h"
#include "base/core/memory.h"
#include "mm/coding/libarchive.h"

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

const char *mm_archive_missing(void) {
    return mm_libarchive_missing();
}

static mm_archive *open_archive(mm_bytes from, int filter) {
    mm_archive *archive = base_alloc_silent(1, sizeof *archive);
    if (archive == NULL)
        return NULL;
    memset(archive, 0, sizeof *archive);
    archive->from = from;
    archive->filter = filter;
    archive->reader = mm_libarchive.archive_read_new();
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
        mm_libarchive.archive_read_free(archive->reader);
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
        mm_libarchive.archive_set_error(reader, EIO, "input");
        return -1;
    }
    archive->from_at_end = count == 0;
    count_tail_zeros(archive, (size_t)count);
    *buffer = archive->buffer;
    return count;
}

/* Turns libarchive's failure, or that of the stage below, into ours. */
static int fail(mm_archive *archive, const char **damage) {
    const char *cause = mm_libarchive.archive_error_string(archive->reader);
    *damage = archive->from_damage;
    if (*damage != NULL)
        return -1;
    errno = archive->from_errno != 0 ? archive->from_errno : ENOMEM;
    if (archive->from_errno != 0 || mm_libarchive.archive_errno(archive->reader) == ENOMEM)
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
    if (mm_libarchive.archive_read_support_format_empty(reader) != ARCHIVE_OK ||
        (tar ? mm_libarchive.archive_read_support_format_tar(reader)
             : mm_libarchive.archive_read_support_format_raw(reader)) != ARCHIVE_OK ||
        mm_libarchive.archive_read_append_filter(reader, archive->filter) != ARCHIVE_OK ||
        mm_libarchive.archive_read_open(reader, archive, NULL, give_libarchive, NULL) != ARCHIVE_OK ||
        mm_libarchive.archive_errno(reader) !=
            0) /* it finds an archive empty also when its first read failed */
        return fail(archive, damage);
    if (tar)
        return 0;
    struct archive_entry *entry;
    int result = mm_libarchive.archive_read_next_header(reader, &entry);
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
    ssize_t count = mm_libarchive.archive_read_data(archive->reader, buffer, size);
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
        int result = mm_libarchive.archive_read_next_header(archive->reader, &entry);
        if (result == ARCHIVE_EOF) {
            /* libarchive takes the end of its input between two members for the end of the archive. */
            if (!archive->from_at_end || archive->tail_zeros >= MM_TAR_BLOCK_BYTES)
                return 0;
            *damage = "the archive is cut off: it has no end mark";
            return -1;
        }
        if (result < ARCHIVE_WARN)
            return fail(archive, damage);
    } while (mm_libarchive.archive_entry_filetype(entry) != AE_IFREG ||
             mm_libarchive.archive_entry_hardlink(entry) != NULL);
    *name = mm_libarchive.archive_entry_pathname(entry);
    if (*name == NULL)
        *name = mm_libarchive.archive_entry_pathname_utf8(entry);
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
