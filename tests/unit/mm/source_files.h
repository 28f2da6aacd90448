/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in a folder of their own, packed by programs of the shell, and what a source reads of them. */
#ifndef TESTS_UNIT_MM_SOURCE_FILES_H
#define TESTS_UNIT_MM_SOURCE_FILES_H

#include "mm/source/source.h"

extern base_context context; /* of the test */
extern char folder[];

/* The context with a fixed seed, which is noted, and the folder; false: it cannot be made. The latter removes
 * the folder. */
bool source_files_open(void);
bool source_files_close(void);

typedef struct text {
    char *data; /* to be freed */
    size_t size;
} text;

/* Random letters, some parts of which can be packed well. */
text make_text(size_t size);

/* The path of a file in the folder, until the next call. */
char *path_of(const char *name);
void write_file(const char *name, const void *data, size_t size);
text read_file(const char *name);

/* Runs commands in the folder, silently; false: one failed. */
bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the part in pieces of random size and compares it with what is expected, if that is not NULL. */
base_status read_part(mm_source *source, const text *expected, bool *equal, uint64_t largest);

/* Reads all parts to their end; their number, -1 with the status, or -2: a part is not what is expected. */
int read_all(mm_source *source, const text *expected, base_status *status);

/* The same of a source in memory. */
base_status status_of_bytes(const char *data, size_t size, const text *expected, int *parts);

#endif
