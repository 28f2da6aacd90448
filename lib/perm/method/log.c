/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of what is done (method.h). */
#include "perm/method/method.h"

#include <stdarg.h>
#include <stdio.h>

void perm_log_line(const perm_log *log, bool detail, const char *format, ...) {
    char line[512];
    va_list arguments;
    if (log->line == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log->line(log->data, detail, line);
}
