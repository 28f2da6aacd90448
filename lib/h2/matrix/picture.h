/* Pictures of the blocks of an H² matrix. */
#ifndef H2_MATRIX_PICTURE_H
#define H2_MATRIX_PICTURE_H

#include "h2/matrix/matrix.h"
#include "mm/picture/picture.h"

/* Dense blocks red, coupling blocks from light to dark blue by the larger rank of their clusters, in the
 * tree's order; sets the sizes. The mirrored half of a symmetric matrix is drawn too. O(blocks). */
base_status h2_picture_draw(base_context *context, const h2_matrix *matrix, int size, mm_picture *picture);

#endif
