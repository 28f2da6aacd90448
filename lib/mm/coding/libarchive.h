/* SPDX-License-Identifier: BSD-3-Clause */
/* libarchive, loaded when the first archive is met: it brings a dozen libraries, whose start takes longer
 * than most matrices. MMPIPE_LIBARCHIVE names another. Private to archive.c and zip.c. */
#ifndef MM_CODING_LIBARCHIVE_H
#define MM_CODING_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/* F(name): the functions that are used, without their "archive_". */
#define MM_LIBARCHIVE_FUNCTIONS(F)                                                                           \
    F(entry_filetype)                                                                                        \
    F(entry_free)                                                                                            \
    F(entry_hardlink)                                                                                        \
    F(entry_new)                                                                                             \
    F(entry_pathname)                                                                                        \
    F(entry_pathname_utf8)                                                                                   \
    F(entry_set_filetype)                                                                                    \
    F(entry_set_pathname)                                                                                    \
    F(entry_set_perm)                                                                                        \
    F(entry_set_size)                                                                                        \
    F(errno)                                                                                                 \
    F(error_string)                                                                                          \
    F(read_append_filter)                                                                                    \
    F(read_data)                                                                                             \
    F(read_data_block)                                                                                       \
    F(read_free)                                                                                             \
    F(read_new)                                                                                              \
    F(read_next_header)                                                                                      \
    F(read_open)                                                                                             \
    F(read_open_memory)                                                                                      \
    F(read_support_format_empty)                                                                             \
    F(read_support_format_raw)                                                                               \
    F(read_support_format_tar)                                                                               \
    F(read_support_format_zip)                                                                               \
    F(set_error)                                                                                             \
    F(write_close)                                                                                           \
    F(write_data)                                                                                            \
    F(write_free)                                                                                            \
    F(write_header)                                                                                          \
    F(write_new)                                                                                             \
    F(write_open)                                                                                            \
    F(write_set_bytes_per_block)                                                                             \
    F(write_set_format_zip)                                                                                  \
    F(write_zip_set_compression_store)

typedef struct mm_libarchive_functions {
#define MM_LIBARCHIVE_MEMBER(name) __typeof__(archive_##name) *archive_##name;
    MM_LIBARCHIVE_FUNCTIONS(MM_LIBARCHIVE_MEMBER)
#undef MM_LIBARCHIVE_MEMBER
} mm_libarchive_functions;

extern mm_libarchive_functions mm_libarchive;

/* NULL, or why it cannot be loaded. Comes before any use. Any thread. */
const char *mm_libarchive_missing(void);

#endif
