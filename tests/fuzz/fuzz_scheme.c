/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes in the formats in which others publish them. */
#include "check.h"
#include "flip/formats/formats.h"
#include "flip/scheme/verify.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    bool found = true;
    base_context_init(&context);
    context.memory_bytes = 1 << 26;
    for (int64_t index = 0; found && index < 4; index++) {
        flip_scheme scheme = {0};
        if (flip_import(&context, (const char *)data, size, index, &scheme, &found) != BASE_OK)
            found = false;
        flip_scheme_free(&scheme);
    }
    return 0;
}
