/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of --where, lists of names, lists of rows: each on a small record. */
#include "base/core/memory.h"
#include "check.h"
#include "mm/metadata/metadata.h"
#include "mm/where/where.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    mm_where *where = NULL;
    mm_names *names = NULL;
    mm_record record;
    bool holds = false;
    base_context_init(&context);
    mm_record_init(&record);
    record.nrow = record.ncol = 3;
    char *text = base_copy_text(&context, (const char *)data, (int64_t)size);
    if (text == NULL)
        return 0;
    check_that(mm_metadata_set(&context, &record, "name", "HB/can_24") == BASE_OK);
    if (mm_where_compile(&context, text, NULL, &where) == BASE_OK)
        (void)mm_where_test(&context, where, &record, NULL, NULL, &holds);
    mm_where_free(where);
    if (mm_names_open(&context, text, &names) == BASE_OK)
        (void)mm_names_test(&context, names, &record, &holds);
    mm_names_close(names);
    mm_record_free(&record);
    free(text);
    return 0;
}
