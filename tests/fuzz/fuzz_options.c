/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: arguments with a newline between them, for options of every kind. */
#include "base/core/memory.h"
#include "base/run/options.h"
#include "check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { ARGUMENTS = 16 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bool flag = false;
    int64_t integer = 0, bytes = 0;
    double seconds = 0, real = 0;
    const char *word = NULL;
    int choice = 0, operands = 0, count = 1;
    base_part part = {0, 0};
    const base_option table[] = {{"flag", 'f', BASE_FLAG, NULL, "", &flag},
                                 {"integer", 'i', BASE_INTEGER, "N", "", &integer},
                                 {"bytes", 'b', BASE_BYTES, "BYTES", "", &bytes},
                                 {"seconds", 's', BASE_SECONDS, "TIME", "", &seconds},
                                 {"real", 'r', BASE_REAL, "X", "", &real},
                                 {"text", 't', BASE_TEXT, "TEXT", "", &word},
                                 {"choice", 'c', BASE_CHOICE, "one|two|three", "", &choice},
                                 {"part", 'p', BASE_PART, "R/M", "", &part},
                                 BASE_OPTIONS_END};
    const base_option *tables[] = {table, NULL};
    char *argument[ARGUMENTS + 2] = {(char *)"fuzz"};
    base_context context;
    base_context_init(&context);
    char *text = base_copy_text(&context, (const char *)data, (int64_t)size);
    for (char *next = text; next != NULL && count <= ARGUMENTS; count++) {
        argument[count] = next;
        next = strchr(next, '\n');
        if (next != NULL)
            *next++ = '\0';
    }
    argument[count] = NULL;
    if (text != NULL &&
        base_options_parse(&context, tables, count, argument, &operands, NULL, NULL) == BASE_OK) {
        check_that(operands >= 0 && operands < count);
        check_that(integer >= 0 && bytes >= 0 && !(seconds < 0) && choice >= 0 && choice < 3);
        check_that(part.count == 0 || (part.index >= 1 && part.index <= part.count));
    }
    free(text);
    return 0;
}
