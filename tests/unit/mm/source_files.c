/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/mm/source_files.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

base_context context;
char folder[] = "/tmp/mmpipe-source.XXXXXX";

text make_text(size_t size) {
    text made = {malloc(size + 1), size};
    base_random random;
    base_random_init(&random, context.seed, 1);
    for (size_t i = 0; i < size; i++)
        made.data[i] = (char)('a' + base_random_below(&random, i % 1000 < 500 ? 2 : 26));
    return made;
}

char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void write_file(const char *name, const void *data, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

text read_file(const char *name) {
    struct stat about;
    text made = {0};
    FILE *file = fopen(path_of(name), "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0)
        return made;
    made.data = malloc((size_t)about.st_size + 1);
    made.size = fread(made.data, 1, (size_t)about.st_size, file);
    fclose(file);
    return made;
}

bool shell(const char *format, ...) {
    char command[1024], whole[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd %s && { %s ; } >/dev/null 2>&1", folder, command);
    return system(whole) == 0;
}

base_status read_part(mm_source *source, const text *expected, bool *equal, uint64_t largest) {
    base_random random;
    base_random_init(&random, context.seed, 2);
    size_t offset = 0, size;
    const char *data;
    *equal = true;
    while (!mm_source_at_end(source)) {
        size_t wanted = 1 + base_random_below(&random, largest);
        base_status status = mm_source_peek(&context, source, wanted, &data, &size);
        if (status != BASE_OK)
            return status;
        size_t take = size < wanted ? size : 1 + base_random_below(&random, wanted);
        if (expected != NULL &&
            (offset + size > expected->size || memcmp(data, expected->data + offset, size) != 0 ||
             (size < wanted && offset + size != expected->size)))
            *equal = false;
        mm_source_skip(source, take);
        offset += take;
    }
    if (expected != NULL && offset != expected->size)
        *equal = false;
    return BASE_OK;
}

int read_all(mm_source *source, const text *expected, base_status *status) {
    int parts = 0;
    bool found = true, equal;
    const char *name;
    while ((*status = mm_source_next_part(&context, source, &name, &found)) == BASE_OK && found) {
        if ((*status = read_part(source, expected, &equal, 300000)) != BASE_OK)
            return -1;
        if (!equal)
            return -2;
        parts++;
    }
    return *status == BASE_OK ? parts : -1;
}

base_status status_of_bytes(const char *data, size_t size, const text *expected, int *parts) {
    mm_source *source;
    base_status status = mm_source_open_memory(&context, data, size, &source);
    if (status != BASE_OK)
        return status;
    *parts = read_all(source, expected, &status);
    mm_source_close(source);
    return status;
}

bool source_files_open(void) {
    base_context_init(&context);
    context.seed = 20240607;
    tap_note("seed %llu", (unsigned long long)context.seed);
    return mkdtemp(folder) != NULL;
}

bool source_files_close(void) {
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0;
}
