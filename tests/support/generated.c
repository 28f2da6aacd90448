/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/generated.h"

#include <string.h>

mm_generate_options generated_options(const char *family, const char *size) {
    mm_generate_options options;
    mm_generate_options_init(&options);
    options.family = family;
    options.size = size;
    return options;
}

base_status generated_make(base_context *context, mm_generate_options options, int64_t index,
                           mm_record *record) {
    mm_generator *generator = NULL;
    base_status status = mm_generator_open(context, &options, &generator);
    if (status == BASE_OK)
        status = mm_generate(context, generator, index, record);
    mm_generator_close(generator);
    return status;
}

bool generated_same(const mm_record *a, const mm_record *b) {
    size_t n = (size_t)a->nnz, width = a->field == MM_COMPLEX ? 16 : 8;
    return a->nnz == b->nnz && a->nrow == b->nrow && a->ncol == b->ncol &&
           (a->row == NULL || memcmp(a->row, b->row, 8 * n) == 0) &&
           (a->col == NULL || memcmp(a->col, b->col, 8 * n) == 0) &&
           (a->real == NULL || memcmp(a->real, b->real, width * n) == 0) &&
           (a->integer == NULL || memcmp(a->integer, b->integer, 8 * n) == 0);
}
