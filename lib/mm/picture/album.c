/* SPDX-License-Identifier: BSD-3-Clause */
/* Several pictures laid out on one. */
#include "base/core/memory.h"
#include "mm/picture/picture.h"

#include <math.h>
#include <stdlib.h>

enum { MARGIN = 8, MOST_SIDE = 1 << 15 };

mm_picture *mm_album_add(base_context *context, mm_album *album) {
    if (base_reserve(context, &album->picture, &album->capacity, album->count + 1, sizeof *album->picture) !=
        BASE_OK)
        return NULL;
    album->picture[album->count] = (mm_picture){0};
    return &album->picture[album->count++];
}

void mm_album_remove_last(mm_album *album) {
    mm_picture_free(&album->picture[--album->count]);
}

/* Adds all of `part` at a place. */
static base_status place(base_context *context, mm_picture *picture, const mm_picture *part, int x, int y) {
    base_status status = BASE_OK;
    for (int64_t i = 0; i < part->count; i++) {
        mm_rectangle rectangle = part->rectangle[i];
        rectangle.x += x;
        rectangle.y += y;
        BASE_TRY(mm_picture_add(context, picture, rectangle));
    }
    for (int64_t i = 0; i < part->texts; i++) {
        const mm_text *text = &part->text[i];
        BASE_TRY(mm_picture_add_text(context, picture, text->x + x, text->y + y, text->colour, text->line));
    }
    picture->width = picture->width > x + part->width ? picture->width : x + part->width;
    picture->height = picture->height > y + part->height ? picture->height : y + part->height;
done:
    return status;
}

/* All pictures on one sheet. */
static base_status set_side_by_side(base_context *context, const mm_album *album, int size,
                                    mm_picture *sheet) {
    base_status status = BASE_OK;
    const int64_t across = (int64_t)ceil(sqrt((double)album->count));
    int64_t right = size + MARGIN, down = size + MARGIN;
    for (int64_t i = 0; i < album->count; i++) {
        right = album->picture[i].width + MARGIN > right ? album->picture[i].width + MARGIN : right;
        down = album->picture[i].height + MARGIN > down ? album->picture[i].height + MARGIN : down;
    }
    if (across * right > MOST_SIDE || across * down > MOST_SIDE)
        return base_fail(context, BASE_FAILED, "%lld pictures of size %d do not fit on a sheet",
                         (long long)album->count, size);
    for (int64_t i = 0; i < album->count; i++)
        BASE_TRY(
            place(context, sheet, &album->picture[i], (int)(i % across * right), (int)(i / across * down)));
done:
    return status;
}

base_status mm_album_write(base_context *context, const mm_album *album, int size, bool png,
                           base_output *output) {
    base_status status = BASE_OK;
    mm_picture sheet = {0};
    if (album->count == 0)
        goto done;
    if (png)
        BASE_TRY(base_output_refuse_terminal(context, output));
    BASE_TRY(set_side_by_side(context, album, size, &sheet));
    if (png)
        BASE_TRY(mm_picture_write_png(context, &sheet, output));
    else
        BASE_TRY(mm_picture_write_svg(context, &sheet, output));
done:
    mm_picture_free(&sheet);
    return status;
}

void mm_album_free(mm_album *album) {
    if (album == NULL)
        return;
    for (int64_t i = 0; i < album->count; i++)
        mm_picture_free(&album->picture[i]);
    free(album->picture);
    *album = (mm_album){0};
}
