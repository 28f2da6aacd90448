/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/metadata.h"
#include "base/core/control.h"
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Where the line begins whose first word, behind the sign of a comment, is at `text`; NULL: it is not the
 * first. `first` is a line's beginning. */
static char *find_begin(char *first, char *text) {
    while (text > first && (text[-1] == '%' || is_blank(text[-1])))
        text--;
    return text == first || text[-1] == '\n' ? text : NULL;
}

/* The line with this key at or behind `line`; its value begins at *value. NULL if there is none, which is
 * what most searches find: so the key is looked for, not line after line. */
static char *find_line(char *line, const char *key, char **value) {
    const size_t length = strlen(key);
    for (char *seen = line != NULL ? strstr(line, key) : NULL; seen != NULL; seen = strstr(seen + 1, key)) {
        char *text = seen + length;
        while (is_blank(*text))
            text++;
        char *begin = *text == ':' ? find_begin(line, seen) : NULL;
        if (begin != NULL) {
            *value = text + 1;
            return begin;
        }
    }
    return NULL;
}

/* The value of a line without blanks around it. */
static char *trim(char *text, size_t *length) {
    while (is_blank(*text))
        text++;
    *length = strcspn(text, "\n");
    while (*length > 0 && is_blank(text[*length - 1]))
        --*length;
    return text;
}

bool mm_metadata_get(const mm_record *record, const char *key, char *value, size_t size) {
    char *text;
    if (find_line(record->comments, key, &text) == NULL)
        return false;
    size_t length;
    text = trim(text, &length);
    if (size > 0) {
        if (length >= size)
            length = size - 1;
        memcpy(value, text, length);
        value[length] = '\0';
    }
    return true;
}

const char *mm_metadata_find(const mm_record *record, const char *key, size_t *length) {
    char *text;
    if (find_line(record->comments, key, &text) == NULL)
        return NULL;
    return trim(text, length);
}

/* Replaces `removed` bytes at `offset` of the comments by the line `% key: value`; `value` has so many bytes.
 */
static base_status splice_value(base_context *context, mm_record *record, size_t offset, size_t removed,
                                const char *key, const char *value, size_t bytes) {
    const size_t old = record->comments != NULL ? strlen(record->comments) : 0, key_bytes = strlen(key);
    const size_t line = strlen("% : \n") + key_bytes + bytes;
    char *comments = base_alloc(context, (int64_t)(old - removed + line + 1), 1);
    if (comments == NULL)
        return BASE_MACHINE;
    if (old > 0)
        memcpy(comments, record->comments, offset);
    char *next = comments + offset;
    next = mempcpy(next, "% ", 2);
    next = mempcpy(next, key, key_bytes);
    next = mempcpy(next, ": ", 2);
    memcpy(next, value, bytes);
    next[bytes] = '\0';
    base_control_flatten(next);
    next += bytes;
    *next++ = '\n';
    if (old > 0)
        memcpy(next, record->comments + offset + removed, old - offset - removed);
    comments[old - removed + line] = '\0';
    free(record->comments);
    record->comments = comments;
    return BASE_OK;
}

/* The same with the value printf-style. Most values are a text as it is, or a number. */
static base_status splice_line(base_context *context, mm_record *record, size_t offset, size_t removed,
                               const char *key, const char *format, va_list arguments) {
    char few[256], *value = few;
    va_list again;
    if (strcmp(format, "%s") == 0) {
        const char *text = va_arg(arguments, const char *);
        if (text == NULL)
            text = "(null)"; /* as printf has it */
        return splice_value(context, record, offset, removed, key, text, strlen(text));
    }
    if (strcmp(format, "%lld") == 0) {
        const size_t bytes = (size_t)mm_decimal_write_int64(few, va_arg(arguments, long long));
        return splice_value(context, record, offset, removed, key, few, bytes);
    }
    va_copy(again, arguments);
    const size_t bytes = (size_t)vsnprintf(few, sizeof few, format, arguments);
    if (bytes >= sizeof few) {
        value = base_alloc(context, (int64_t)bytes + 1, 1);
        if (value != NULL)
            vsnprintf(value, bytes + 1, format, again);
    }
    va_end(again);
    const base_status status =
        value != NULL ? splice_value(context, record, offset, removed, key, value, bytes) : BASE_MACHINE;
    if (value != few)
        free(value);
    return status;
}

base_status mm_metadata_set(base_context *context, mm_record *record, const char *key, const char *format,
                            ...) {
    char *value;
    size_t offset = record->comments != NULL ? strlen(record->comments) : 0, removed = 0;
    char *line = find_line(record->comments, key, &value);
    if (line != NULL) {
        offset = (size_t)(line - record->comments);
        removed = strcspn(line, "\n");
        removed += line[removed] == '\n';
    }
    va_list arguments;
    va_start(arguments, format);
    base_status status = splice_line(context, record, offset, removed, key, format, arguments);
    va_end(arguments);
    return status;
}

base_status mm_metadata_add(base_context *context, mm_record *record, const char *key, const char *format,
                            ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t end = record->comments != NULL ? strlen(record->comments) : 0;
    base_status status = splice_line(context, record, end, 0, key, format, arguments);
    va_end(arguments);
    return status;
}

void mm_metadata_remove(mm_record *record, const char *key) {
    char *value, *line = find_line(record->comments, key, &value), *to = line;
    while (line != NULL) {
        char *from = line + strcspn(line, "\n");
        from += *from == '\n';
        line = find_line(from, key, &value);
        size_t kept = line != NULL ? (size_t)(line - from) : strlen(from) + 1;
        memmove(to, from, kept);
        to += kept;
    }
}

void mm_metadata_strip(mm_record *record) {
    static const char *const kept[] = {"name", "scheme", "scheme.field"};
    char *to = record->comments, *value;
    for (char *line = to; line != NULL && *line != '\0';) {
        char *next = strchrnul(line, '\n');
        next += *next == '\n';
        char following = *next;
        bool keep = false;
        *next = '\0';
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            keep = keep || find_line(line, kept[i], &value) != NULL;
        *next = following;
        if (keep) {
            memmove(to, line, (size_t)(next - line));
            to += next - line;
        }
        line = next;
    }
    if (to != NULL)
        *to = '\0';
}

/* The part of a path behind the last slash, without .mtx, .gz and the like. */
/* The last of the folders in the first `length` bytes, which end behind a '/', or at 0: there is none. */
static const char *last_folder(const char *path, size_t length, int *bytes) {
    const size_t end = length > 0 ? length - 1 : 0;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    *bytes = (int)(end - begin);
    return path + begin;
}

/* "HB/bcspwr02.mtx" in any archive and "bcspwr02/bcspwr02.mtx" in HB/bcspwr02.tar.gz are HB/bcspwr02. `path`
 * has `path_bytes` bytes, `member` as many as it has. */
static char *copy_member_name(base_context *context, const char *path, size_t path_bytes, const char *member,
                              size_t member_bytes) {
    const char *slash = memrchr(member, '/', member_bytes);
    const char *file = slash != NULL ? slash + 1 : member;
    const char *dot = memchr(file, '.', member_bytes - (size_t)(file - member));
    const int file_bytes = (int)((dot != NULL ? dot : member + member_bytes) - file);
    int group_bytes;
    const char *group = last_folder(member, (size_t)(file - member), &group_bytes);
    if (group_bytes <= file_bytes && strncmp(file, group, (size_t)group_bytes) == 0) {
        const char *end = memrchr(path, '/', path_bytes); /* the folder that the archive lies in */
        group = last_folder(path, end != NULL ? (size_t)(end + 1 - path) : 0, &group_bytes);
    }
    char *name = base_alloc(context, (int64_t)group_bytes + file_bytes + 2, 1);
    if (name != NULL)
        sprintf(name, "%.*s%s%.*s", group_bytes, group, group_bytes > 0 ? "/" : "", file_bytes, file);
    return name;
}

base_status mm_metadata_name_member(base_context *context, mm_record *record, const char *path,
                                    const char *member) {
    char *name = copy_member_name(context, path, strlen(path), member, strlen(member));
    const base_status status =
        name != NULL ? mm_metadata_set(context, record, "name", "%s", name) : BASE_MACHINE;
    free(name);
    return status;
}

static char *copy_base_name(base_context *context, const base_place *place) {
    static const char *const suffixes[] = {".gz",  ".zst", ".tar", ".mtx", ".smtx", ".rb",  ".h5",
                                           ".bsp", ".npz", ".npy", ".mat", ".csv",  ".txt", ".graph"};
    const char *path = place->file;
    const size_t length = strlen(path), member = (size_t)place->member;
    if (member > 0 && member < length) /* ARCHIVE(MEMBER) */
        return copy_member_name(context, path, member - 1, path + member, length - 1 - member);
    const char *slash = strrchr(path, '/'), *start = slash != NULL ? slash + 1 : path;
    char *name = base_copy_text(context, start, (int64_t)strlen(start));
    for (size_t i = 0; name != NULL && i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(name), suffix = strlen(suffixes[i]);
        if (length > suffix && strcmp(name + length - suffix, suffixes[i]) == 0)
            name[length - suffix] = '\0';
    }
    return name;
}

base_status mm_record_name(base_context *context, const mm_record *record, char **name) {
    size_t length = 0;
    const char *text = mm_metadata_find(record, "name", &length);
    *name = length > 0 ? base_copy_text(context, text, (int64_t)length)
                       : copy_base_name(context, &context->place);
    if (*name == NULL)
        return BASE_MACHINE;
    base_control_flatten(*name);
    return BASE_OK;
}

void mm_metadata_set_place(base_context *context, const mm_record *record) {
    if (!mm_metadata_get(record, "name", context->place.name, sizeof context->place.name))
        context->place.name[0] = '\0';
    base_control_flatten(context->place.name);
}
