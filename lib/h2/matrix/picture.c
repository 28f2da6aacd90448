/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/picture.h"
#include "mm/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>

enum { DENSE_COLOUR = 0xd55e00, LINE_COLOUR = 0xffffff };

/* The colour of a rank, from a light yellow by a green to a dark blue; the lightness falls all the way. */
static unsigned rank_colour(int64_t rank, int64_t most) {
    static const int anchor[][3] = {
        {0xf5, 0xe6, 0x8c}, {0x8c, 0xc0, 0x9a}, {0x2f, 0x8a, 0xa8}, {0x14, 0x2c, 0x6e}};
    const double place = most > 0 ? 3.0 * (double)rank / (double)most : 0;
    const int k = place >= 2 ? 2 : (int)place;
    unsigned colour = 0;
    for (int c = 0; c < 3; c++)
        colour =
            colour << 8 | (unsigned)(anchor[k][c] + (place - k) * (anchor[k + 1][c] - anchor[k][c]) + 0.5);
    return colour;
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

base_status h2_picture_annotate(base_context *context, const h2_matrix *matrix, const mm_record *record,
                                int size, mm_picture *picture) {
    enum { STEPS = 4 };
    base_status status;
    char *name = NULL, text[STEPS][48];
    mm_legend legend[STEPS + 1];
    int height, width, count = 0;
    const int64_t most = h2_most_rank(matrix);
    const double scale = mm_picture_scale(matrix->tree.n, matrix->tree.n, size, &height, &width);
    for (int k = 0; k < STEPS && matrix->coupling.count > 0; k++) {
        const int64_t rank = most * k / (STEPS - 1);
        if (k > 0 && rank == most * (k - 1) / (STEPS - 1))
            continue;
        snprintf(text[k], sizeof text[k], "coupling block of rank %lld", (long long)rank);
        legend[count++] = (mm_legend){rank_colour(rank, most), false, text[k]};
    }
    if (matrix->dense.count > 0)
        legend[count++] = (mm_legend){DENSE_COLOUR, false, "dense block"};
    BASE_TRY(mm_record_name(context, record, &name));
    BASE_TRY(mm_picture_add_title(context, picture, name, matrix->tree.n, matrix->tree.n, -1, scale, legend,
                                  count));
done:
    free(name);
    return status;
}
