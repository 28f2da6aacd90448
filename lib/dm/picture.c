/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/picture.h"

static const mm_legend parts[DM_LEGEND] = {{0x0072b2, true, "horizontal part: more columns than rows"},
                                           {0xd55e00, true, "diagonal blocks of the square part"},
                                           {0x009e73, true, "vertical part: more rows than columns"}};

base_status dm_picture_outline(base_context *context, const dm_decomposition *dm, int size,
                               mm_picture *picture, mm_legend legend[DM_LEGEND], int *count) {
    base_status status = BASE_OK;
    int height, width;
    bool is_there[DM_LEGEND] = {false};
    const double scale = mm_picture_scale(dm->nrow, dm->ncol, size, &height, &width);
    for (int64_t b = 0; b < dm->nblock; b++) {
        const int part = b < dm->square_first ? 0 : b < dm->square_end ? 1 : 2;
        const mm_rectangle block = {scale * (double)dm->col_start[b], scale * (double)dm->row_start[b],
                                    scale * (double)(dm->col_start[b + 1] - dm->col_start[b]),
                                    scale * (double)(dm->row_start[b + 1] - dm->row_start[b]),
                                    parts[part].colour};
        is_there[part] = true;
        if (block.width >= 3 && block.height >= 3)
            BASE_TRY(mm_picture_add_outline(context, picture, block));
    }
    *count = 0;
    for (int part = 0; part < DM_LEGEND; part++)
        if (is_there[part])
            legend[(*count)++] = parts[part];
done:
    return status;
}
