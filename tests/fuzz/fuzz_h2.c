/* SPDX-License-Identifier: BSD-3-Clause */
/* The payload of H² matrices. */
#include "base/core/memory.h"
#include "check.h"
#include "h2/matrix/io.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    mm_record record;
    h2_matrix matrix = {0};
    base_context_init(&context);
    mm_record_init(&record);
    record.kind = MM_H2;
    record.payload = base_alloc(&context, (int64_t)size, 1);
    record.payload_bytes = (int64_t)size;
    if (record.payload != NULL && size > 0)
        memcpy(record.payload, data, size);
    if (record.payload != NULL)
        (void)h2_from_record(&context, &record, &matrix);
    h2_matrix_free(&matrix); /* also after a failure */
    mm_record_free(&record);
    return 0;
}
