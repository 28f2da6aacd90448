/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices that lib/mm/generate makes, for its tests. */
#ifndef TESTS_SUPPORT_GENERATED_H
#define TESTS_SUPPORT_GENERATED_H

#include "mm/generate/generate.h"

/* The options of a family and a size, the others at their defaults. */
mm_generate_options generated_options(const char *family, const char *size);

/* Makes matrix number `index`. */
base_status generated_make(base_context *context, mm_generate_options options, int64_t index,
                           mm_record *record);

/* Whether two matrices have the same entries, bit by bit. */
bool generated_same(const mm_record *a, const mm_record *b);

#endif
