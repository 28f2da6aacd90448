/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/picture/spy.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>

/* Entries counted on a grid, height × width, row-major; to be freed. */
static base_status count_entries(base_context *context, const mm_sparse *matrix, int height, int width,
                                 int64_t **count) {
    const double down = (double)height / (double)(matrix->nrow > 0 ? matrix->nrow : 1);
    const double across = (double)width / (double)(matrix->ncol > 0 ? matrix->ncol : 1);
    *count = base_alloc_zero(context, (int64_t)height * width, sizeof **count);
    if (*count == NULL)
        return context->error.status;
    for (int64_t j = 0; j < matrix->ncol; j++) {
        const int64_t x = (int64_t)fmin((double)j * across, width - 1);
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            const int64_t y = (int64_t)fmin((double)matrix->index[k] * down, height - 1);
            (*count)[y * width + x]++;
        }
    }
    return BASE_OK;
}

/* The steps that darkness comes in: few, so that neighbours of one shade become one rectangle. */
enum { SHADES = 6 };

/* 0 for no entry, else 1 … SHADES by the logarithm of the share of the area that is filled. */
static int shade_of(int64_t count, double area) {
    double share;
    if (count == 0)
        return 0;
    share = fmin((double)count / fmax(area, 1), 1);
    return (int)fmax(1, SHADES + floor(log2(share)));
}

static unsigned shade_colour(int shade) {
    const unsigned level = (unsigned)(160 * (SHADES - shade) / (SHADES - 1));
    return level << 16 | level << 8 | (level + 64 < 255 ? level + 64 : 255);
}

int mm_spy_legend(double scale, mm_legend legend[MM_SPY_LEGEND]) {
    if (scale >= 1) {
        legend[0] = (mm_legend){shade_colour(SHADES), false, "an entry"};
        return 1;
    }
    legend[0] = (mm_legend){shade_colour(SHADES), false, "all places under the pixel are entries"};
    legend[1] = (mm_legend){shade_colour(1), false, "at most one in 32; a shade for each factor of 2"};
    return 2;
}

base_status mm_spy_draw(base_context *context, const mm_sparse *matrix, int size, mm_picture *picture) {
    base_status status = BASE_OK;
    int64_t *count = NULL;
    const double scale =
        mm_picture_scale(matrix->nrow, matrix->ncol, size, &picture->height, &picture->width);
    /* An entry's square, or a pixel if that is larger. */
    const double side = scale > 1 ? scale : 1, area = scale > 1 ? 1 : 1 / (scale * scale);
    const int rows = (int)(picture->height / side), cols = (int)(picture->width / side);
    BASE_TRY(count_entries(context, matrix, rows, cols, &count));
    for (int y = 0; y < rows; y++)
        for (int x = 0, end; x < cols; x = end) {
            const int shade = shade_of(count[(int64_t)y * cols + x], area);
            for (end = x + 1; end < cols && shade_of(count[(int64_t)y * cols + end], area) == shade;)
                end++;
            if (shade > 0)
                BASE_TRY(mm_picture_add(
                    context, picture,
                    (mm_rectangle){x * side, y * side, (end - x) * side, side, shade_colour(shade)}));
        }
done:
    free(count);
    return status;
}

base_status mm_spy_print(base_context *context, const mm_sparse *matrix, int width, base_output *output) {
    static const char mark[SHADES + 1] = " .:+*#@";
    base_status status = BASE_OK;
    int64_t *count = NULL;
    int rows, cols;
    double area;
    mm_picture_scale(matrix->nrow, matrix->ncol, width, &rows, &cols);
    if (cols > matrix->ncol)
        rows = (int)fmax(1, (double)matrix->nrow), cols = (int)fmax(1, (double)matrix->ncol);
    rows = (rows + 1) / 2;
    area = (double)matrix->nrow / rows * (double)matrix->ncol / cols;
    BASE_TRY(count_entries(context, matrix, rows, cols, &count));
    for (int y = 0; y < rows; y++) {
        char *line = base_output_room(context, output, (size_t)cols + 1);
        if (line == NULL) {
            status = context->error.status;
            goto done;
        }
        for (int x = 0; x < cols; x++)
            line[x] = mark[shade_of(count[(int64_t)y * cols + x], area)];
        line[cols] = '\n';
        base_output_advance(output, (size_t)cols + 1);
    }
done:
    free(count);
    return status;
}
