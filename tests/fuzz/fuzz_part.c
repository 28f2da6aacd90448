/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of parts, as they are and with their checksum made right, and what a state holds of a record. */
#include "base/core/memory.h"
#include "check.h"
#include "perm/report/part_line.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_line(base_context *context, char *text, size_t length) {
    perm_part_line line;
    perm_part_line_init(&line);
    (void)perm_part_line_read(context, text, length, &line);
    perm_part_line_free(&line);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    json_error_t error;
    perm_partial_result partial_result;
    base_context_init(&context);
    char *text = base_copy_text(&context, (const char *)data, (int64_t)size);
    if (text != NULL)
        read_line(&context, text, size);
    free(text);
    json_t *object = json_loadb((const char *)data, size, 0, &error);
    if (object == NULL)
        return 0;
    perm_partial_result_init(&partial_result);
    (void)perm_partial_result_from_json(&context, object, &partial_result);
    perm_partial_result_free(&partial_result);
    if (!json_is_object(object)) {
        json_decref(object);
        return 0;
    }
    json_object_del(object, "checksum");
    char *sealed = perm_part_line_seal(&context, object);
    if (sealed != NULL)
        read_line(&context, sealed, strcspn(sealed, "\n"));
    free(sealed);
    return 0;
}
