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
