/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of the blocks of an H² matrix. */
#ifndef H2_MATRIX_PICTURE_H
#define H2_MATRIX_PICTURE_H

#include "h2/matrix/matrix.h"
#include "mm/picture/annotate.h"
#include "mm/record/record.h"

/* Dense blocks vermilion, coupling blocks from yellow to dark blue by the larger rank of their clusters, so
 * that they differ in lightness too; in the tree's order; sets the sizes. The mirrored half of a symmetric
 * matrix is drawn too. O(blocks). */
base_status h2_picture_draw(base_context *context, const h2_matrix *matrix, int size, mm_picture *picture);

/* Title, and a legend of ranks and dense blocks, beside such a picture. `record` has the name. */
base_status h2_picture_annotate(base_context *context, const h2_matrix *matrix, const mm_record *record,
                                int size, mm_picture *picture);

#endif
