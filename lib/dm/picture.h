/* SPDX-License-Identifier: BSD-3-Clause */
/* The diagonal blocks of a permuted matrix in its picture. */
#ifndef DM_PICTURE_H
#define DM_PICTURE_H

#include "dm/dm.h"
#include "mm/picture/annotate.h"

enum { DM_LEGEND = 3 };

/* Outlines around the blocks of a picture that mm_spy_draw made at `size`: horizontal part blue, blocks of
 * the square part vermilion, vertical part green, colours of Okabe and Ito (2008). A block of less than three
 * pixels has none. `legend` gets an entry for each part that there is, *count of them. */
base_status dm_picture_outline(base_context *context, const dm_decomposition *dm, int size,
                               mm_picture *picture, mm_legend legend[DM_LEGEND], int *count);

#endif
