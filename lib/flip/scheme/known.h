/* SPDX-License-Identifier: BSD-3-Clause */
/* The least ranks that are known for the formats from 2x2x2 to 8x8x8. */
#ifndef FLIP_SCHEME_KNOWN_H
#define FLIP_SCHEME_KNOWN_H

#include "flip/scheme/scheme.h"

/* The sizes of a format in ascending order: ranks do not depend on it. */
void flip_sort_size(const int64_t size[3], int64_t sorted[3]);

/* The least published rank of a scheme for that format, in any order of its sizes; 0 if the table has none.
 * `source`, which may be NULL, says where it was published. */
int64_t flip_known_rank(const int64_t size[3], flip_field field, const char **source);

#endif
