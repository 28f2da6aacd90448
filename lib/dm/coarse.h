/* SPDX-License-Identifier: BSD-3-Clause */
/* The coarse decomposition: the parts H, S and V as marks on rows and columns; internal to lib/dm. */
#ifndef DM_COARSE_H
#define DM_COARSE_H

#include "dm/matching.h"

typedef enum dm_part { DM_SQUARE = 0, DM_HORIZONTAL, DM_VERTICAL } dm_part;

/* The arrays are the caller's. */
typedef struct dm_coarse {
    dm_matching matching;
    unsigned char *row_part, *column_part; /* of dm_part */
} dm_coarse;

/* Finds a maximum matching and what alternating paths reach from the unmatched columns (H) and the unmatched
 * rows (V). `work`: dm_match_words. */
base_status dm_coarse_find(base_context *context, const mm_sparse *matrix, int64_t *work, dm_coarse *coarse);

#endif
