/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/part_input.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

base_status perm_part_input_open(base_context *context, const char *path, perm_part_input *input) {
    *input = (perm_part_input){.path = strcmp(path, "-") != 0 ? path : "standard input", .descriptor = -1};
    context->place = (base_place){.record = 0};
    snprintf(context->place.file, sizeof context->place.file, "%s", input->path);
    return base_open_read(context, path, &input->descriptor);
}

void perm_part_input_close(perm_part_input *input) {
    if (input->descriptor > 0)
        close(input->descriptor);
    free(input->text);
    *input = (perm_part_input){.descriptor = -1};
}

bool perm_part_input_is_over(const perm_part_input *input) {
    return input->at_end && input->start == input->used;
}

/* Moves what is left to the front, and reads more behind it. */
static base_status fill(base_context *context, perm_part_input *input) {
    base_status status;
    input->used -= input->start;
    if (input->used > 0)
        memmove(input->text, input->text + input->start, (size_t)input->used);
    input->start = 0;
    BASE_TRY(base_reserve(context, &input->text, &input->capacity, input->used + (1 << 16), 1));
    const ssize_t count =
        base_read(input->descriptor, input->text + input->used, (size_t)(input->capacity - input->used));
    if (count < 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read"));
    input->at_end = count == 0;
    input->used += count;
    base_progress_add(context, 0);
done:
    return status;
}

base_status perm_part_input_next(base_context *context, perm_part_input *input, char **text, size_t *length) {
    base_status status = BASE_OK;
    char *end = NULL;
    int64_t searched = 0; /* bytes without an end of line */
    *text = NULL;
    context->place = (base_place){.record = 0};
    snprintf(context->place.file, sizeof context->place.file, "%s", input->path);
    context->place.line = input->lines + 1;
    for (;;) {
        const int64_t left = input->used - input->start - searched;
        end = left > 0 ? memchr(input->text + input->start + searched, '\n', (size_t)left) : NULL;
        searched += left;
        if (end != NULL || input->at_end)
            break;
        BASE_TRY(fill(context, input));
    }
    if (end == NULL && searched > 0) {
        context->place.line = input->lines;
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the last line is cut off"));
    }
    if (end != NULL) {
        *text = input->text + input->start;
        *length = (size_t)(end - *text);
        input->start = end + 1 - input->text;
        input->lines++;
    }
done:
    return status;
}
