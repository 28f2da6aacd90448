/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash of a record's content. */
#ifndef MM_RECORD_HASH_H
#define MM_RECORD_HASH_H

#include "base/core/hash.h"
#include "mm/record/record.h"

/* 128 bits of XXH3 as 32 hexadecimal digits and a NUL, over kind, sizes, entries, values and comments: the
 * same for both forms of a record. */
void mm_record_hash(const mm_record *record, char hash[BASE_HASH_TEXT]);

#endif
