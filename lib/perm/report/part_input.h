/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a file of parts, one after the other. */
#ifndef PERM_REPORT_PART_INPUT_H
#define PERM_REPORT_PART_INPUT_H

#include "base/core/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct perm_part_input {
    const char *path; /* kept by pointer */
    int descriptor;
    char *text;
    int64_t start, used, capacity, lines;
    bool at_end;
} perm_part_input;

/* "-" is standard input. Close it in either case. */
base_status perm_part_input_open(base_context *context, const char *path, perm_part_input *input);
void perm_part_input_close(perm_part_input *input);

/* The next line, without its end, which stays until the next call; NULL behind the last. Sets context->place
 * to it. Fails with BASE_DAMAGED where the last line is cut off. */
base_status perm_part_input_next(base_context *context, perm_part_input *input, char **text, size_t *length);

/* Whether the end has been read. */
bool perm_part_input_is_over(const perm_part_input *input);

#endif
