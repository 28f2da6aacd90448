/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes of one format that one search starts from, all together. */
#ifndef FLIP_SEARCH_STARTS_H
#define FLIP_SEARCH_STARTS_H

#include "flip/search/pool.h"
#include "mm/record/record.h"

typedef struct flip_starts {
    int64_t count;      /* schemes that were added; 0: nothing below is set */
    mm_record record;   /* of the first one */
    flip_scheme scheme; /* the first one of the largest rank */
    flip_pools pools;   /* all of them, over F2 */
    char hash[33];      /* of all records, in their order */
} flip_starts;

/* Adds a scheme; `record` and `scheme` may be moved away. Fails with BASE_USAGE when its format is another
 * one than that of those before, as flip_pools_add_scheme otherwise. */
base_status flip_starts_add(base_context *context, flip_starts *starts, mm_record *record,
                            flip_scheme *scheme);
void flip_starts_free(flip_starts *starts); /* leaves none; all zero is allowed */

#endif
