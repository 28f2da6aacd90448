/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/context.h"
#include "base/core/cpu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void base_context_init(base_context *context) {
    memset(context, 0, sizeof *context);
    context->threads = 1;
    context->seed = 1;
    context->memory_bytes = base_memory_size_bytes() / 2;
}

void base_place_copy(base_place *to, const base_place *from) {
    strcpy(to->file, from->file);
    strcpy(to->name, from->name);
    to->member = from->member;
    to->record = from->record;
    to->line = from->line;
}

static void record_failure(base_context *context, base_status status, const char *format, va_list arguments) {
    context->error.status = status;
    context->error.place = context->place;
    const size_t room = sizeof context->error.cause;
    if (vsnprintf(context->error.cause, room, format, arguments) >= (int)room)
        memcpy(context->error.cause + room - 4, "...", 4);
}

base_status base_fail(base_context *context, base_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_failure(context, status, format, arguments);
    va_end(arguments);
    return status;
}

base_status base_fail_after(base_context *context, const char *format, ...) {
    const size_t length = strlen(context->error.cause);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->error.cause + length, sizeof context->error.cause - length, format, arguments);
    va_end(arguments);
    return context->error.status;
}

base_status base_fail_errno(base_context *context, base_status status, const char *format, ...) {
    int number = errno;
    va_list arguments;
    va_start(arguments, format);
    record_failure(context, status, format, arguments);
    va_end(arguments);
    char buffer[128];
    const char *reason = strerror_r(number, buffer, sizeof buffer); /* GNU: it may leave the buffer alone */
    size_t length = strlen(context->error.cause);
    snprintf(context->error.cause + length, sizeof context->error.cause - length, ": %s", reason);
    return status;
}

/* Whether the file, or the member of an archive, has the record's name, up to folders and suffixes. */
static bool is_named_by_file(const base_place *place) {
    const char *file = strrchr(place->file, '/'), *name = strrchr(place->name, '/');
    file = file != NULL ? file + 1 : place->file;
    name = name != NULL ? name + 1 : place->name;
    const size_t length = strlen(name);
    return strncmp(file, name, length) == 0 && (file[length] == '\0' || file[length] == '.');
}

void base_error_print(const base_error *error, char text[BASE_ERROR_TEXT]) {
    const base_place *place = &error->place;
    const char *const end = place->line > 0 ? ", " : ": ";
    size_t length = 0;
    if (strcmp(place->file, "-") == 0)
        length = (size_t)snprintf(text, BASE_ERROR_TEXT, "standard input: ");
    else if (place->file[0] != '\0')
        length = (size_t)snprintf(text, BASE_ERROR_TEXT, "%s: ", place->file);
    if (place->name[0] != '\0' && !is_named_by_file(place))
        length += (size_t)snprintf(text + length, BASE_ERROR_TEXT - length, "matrix %s%s", place->name,
                                   place->record > 0 ? ", " : end);
    if (place->record > 0)
        length += (size_t)snprintf(text + length, BASE_ERROR_TEXT - length, "record %lld%s",
                                   (long long)place->record, end);
    if (place->line > 0)
        length +=
            (size_t)snprintf(text + length, BASE_ERROR_TEXT - length, "line %lld: ", (long long)place->line);
    snprintf(text + length, BASE_ERROR_TEXT - length, "%s", error->cause);
}
