#include "h2/matrix/picture.h"

enum { DENSE_COLOUR = 0xd04030, LINE_COLOUR = 0xffffff };

/* Light to dark blue as the rank goes from 0 to the largest. */
static unsigned rank_colour(int64_t rank, int64_t most) {
    const unsigned fade = (unsigned)(most > 0 ? 200 - 200 * rank / most : 200);
    return fade << 16 | fade << 8 | (fade + 70 < 255 ? fade + 70 : 255);
}

static base_status draw_block(base_context *context, const h2_tree *tree, int64_t row, int64_t col,
                              double scale, unsigned colour, mm_picture *picture) {
    const mm_rectangle block = {scale * (double)tree->begin[col], scale * (double)tree->begin[row],
                                scale * (double)(tree->end[col] - tree->begin[col]),
                                scale * (double)(tree->end[row] - tree->begin[row]), colour};
    mm_rectangle line = block;
    base_status status = mm_picture_add(context, picture, block);
    line.colour = LINE_COLOUR;
    /* Lines between blocks, where they leave something to see. */
    if (status == BASE_OK && block.width >= 4 && block.height >= 4)
        status = mm_picture_add_outline(context, picture, line);
    return status;
}

static base_status draw_list(base_context *context, const h2_matrix *matrix, const h2_block_list *list,
                             double scale, mm_picture *picture) {
    const int64_t most = h2_most_rank(matrix);
    base_status status = BASE_OK;
    for (int64_t b = 0; b < list->count; b++) {
        const int64_t row = list->row[b], col = list->col[b];
        const int64_t rank =
            matrix->row.rank[row] > matrix->col.rank[col] ? matrix->row.rank[row] : matrix->col.rank[col];
        const unsigned colour = list == &matrix->dense ? DENSE_COLOUR : rank_colour(rank, most);
        BASE_TRY(draw_block(context, &matrix->tree, row, col, scale, colour, picture));
        if (h2_is_symmetric(matrix) && row != col)
            BASE_TRY(draw_block(context, &matrix->tree, col, row, scale, colour, picture));
    }
done:
    return status;
}

base_status h2_picture_draw(base_context *context, const h2_matrix *matrix, int size, mm_picture *picture) {
    base_status status = BASE_OK;
    const double scale =
        mm_picture_scale(matrix->tree.n, matrix->tree.n, size, &picture->height, &picture->width);
    BASE_TRY(draw_list(context, matrix, &matrix->coupling, scale, picture));
    BASE_TRY(draw_list(context, matrix, &matrix->dense, scale, picture));
done:
    return status;
}
