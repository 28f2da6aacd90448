/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole input through the reader, whatever its form: text, binary, compressed, archive. The reader wants a
 * file, so the bytes go into one that exists only in memory. */
#include "check.h"
#include "mm/stream/reader.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    mm_reader *reader;
    mm_record record;
    bool found = true;
    char path[64];
    const char *paths[] = {path};
    int file = memfd_create("input", MFD_CLOEXEC);
    if (file < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    base_context_init(&context);
    mm_record_init(&record);
    if (write(file, data, size) == (ssize_t)size &&
        mm_reader_open(&context, paths, 1, false, &reader) == BASE_OK) {
        while (found && mm_reader_next(&context, reader, &record, &found) == BASE_OK)
            if (found)
                check_record(&record);
        mm_reader_close(reader);
    }
    mm_record_free(&record);
    close(file);
    return 0;
}
