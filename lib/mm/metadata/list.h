/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of indices as metadata: `% key: 3 1 4:7 2`, counted from 1, where a:b stands for a, a + 1, …, b. A
 * long list goes on in further lines of the same key, since some readers of Matrix Market files take a line
 * beyond 1024 bytes for several. */
#ifndef MM_METADATA_LIST_H
#define MM_METADATA_LIST_H

#include "mm/record/record.h"

/* Replaces the list by `length` indices (from 0), at the end of the comments. O(comments + length). */
base_status mm_list_set(base_context *context, mm_record *record, const char *key, const int64_t *item,
                        int64_t length);

/* A list of `expected` indices (from 0), to be freed; NULL where there is none. Fails with BASE_DAMAGED when
 * it is malformed, with BASE_FAILED when it is not as long as expected. O(comments + expected). */
base_status mm_list_get(base_context *context, const mm_record *record, const char *key, int64_t expected,
                        int64_t **item);

/* Lists of counts, one for each row or column: `% key: 1 0 2`, the numbers being meant as they are. A
 * permanent counts rows and columns so many times (perm-gpu(1)). */
#define MM_ROW_COUNTS "perm.row_mult"
#define MM_COLUMN_COUNTS "perm.col_mult"
base_status mm_list_set_counts(base_context *context, mm_record *record, const char *key,
                               const int64_t *count, int64_t length);
base_status mm_list_get_counts(base_context *context, const mm_record *record, const char *key,
                               int64_t expected, int64_t **count);

/* The same from a text, where commas may stand for blanks. Fails with BASE_USAGE, naming `option`, when it is
 * malformed. */
base_status mm_list_parse_counts(base_context *context, const char *option, const char *text,
                                 int64_t expected, int64_t **count);

/* Indices of a submatrix, in any order and any number, each as often as it is meant. */
typedef struct mm_indices {
    int64_t *item; /* from 0 */
    int64_t length, capacity;
} mm_indices;

/* Replaces the indices by those of a text that ends at `end`, where commas may stand for blanks; `*end` is
 * readable and no digit. Fails with BASE_USAGE, naming `what`, when the text is malformed, and with
 * BASE_FAILED when an index exceeds `most`. O(text + indices). */
base_status mm_list_parse_indices(base_context *context, const char *what, const char *text, const char *end,
                                  int64_t most, mm_indices *indices);
void mm_indices_free(mm_indices *indices); /* NULL is allowed */

/* Fails with BASE_FAILED, saying so, when a record has lists of counts, which `doing` would make wrong. */
base_status mm_list_refuse_counts(base_context *context, const mm_record *record, const char *doing);

#endif
