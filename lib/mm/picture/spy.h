/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of where the entries of a matrix are. */
#ifndef MM_PICTURE_SPY_H
#define MM_PICTURE_SPY_H

#include "mm/matrix/sparse.h"
#include "mm/picture/annotate.h"

/* The pattern of a matrix by columns: the more entries under a pixel, the darker. Sets the sizes.
 * O(nnz). */
base_status mm_spy_draw(base_context *context, const mm_sparse *matrix, int size, mm_picture *picture);

/* The legend of such a picture: one entry where each entry is a square, two where many share a pixel. Returns
 * how many. */
enum { MM_SPY_LEGEND = 2 };
int mm_spy_legend(double scale, mm_legend legend[MM_SPY_LEGEND]);

/* The same in characters, at most `width` in a line, twice as high as wide. */
base_status mm_spy_print(base_context *context, const mm_sparse *matrix, int width, base_output *output);

#endif
