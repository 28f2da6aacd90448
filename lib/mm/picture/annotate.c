/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/picture/annotate.h"
#include "base/core/memory.h"

#include <stdio.h>
#include <string.h>

enum { INK = 0x202124, FRAME = 0x8c8c8c, LINE = 18, SAMPLE = 10, LEAST_LETTERS = 50 };

/* Cut to what fits from x on, with dots at its end. */
static base_status add_line(base_context *context, mm_picture *picture, int x, int y, const char *text) {
    char line[256];
    size_t most = (size_t)(picture->width - x) / MM_TEXT_WIDTH;
    most = most < sizeof line ? most : sizeof line - 1;
    snprintf(line, most + 1, "%s", text);
    if (strlen(text) > most && most > 3)
        memcpy(line + most - 3, "...", 3);
    return mm_picture_add_text(context, picture, x, y, INK, line);
}

static base_status add_sample(base_context *context, mm_picture *picture, int y, const mm_legend *entry) {
    const mm_rectangle sample = {1, y + 2, SAMPLE, SAMPLE, entry->colour};
    return entry->is_outline ? mm_picture_add_outline(context, picture, sample)
                             : mm_picture_add(context, picture, sample);
}

base_status mm_picture_annotate(base_context *context, mm_picture *picture, const char *const *lines,
                                const mm_legend *legend, int legend_count) {
    base_status status = BASE_OK;
    int count = 0;
    while (lines[count] != NULL)
        count++;
    const int top = count * LINE + 5, right = picture->width + 2, bottom = top + picture->height + 2;
    for (int64_t i = 0; i < picture->count; i++) {
        picture->rectangle[i].x += 1;
        picture->rectangle[i].y += top + 1;
    }
    BASE_TRY(
        mm_picture_add_outline(context, picture, (mm_rectangle){0, top, right, picture->height + 2, FRAME}));
    picture->width = right > LEAST_LETTERS * MM_TEXT_WIDTH ? right : LEAST_LETTERS * MM_TEXT_WIDTH;
    picture->height = bottom + (legend_count > 0 ? 5 + legend_count * LINE : 0);
    for (int k = 0; k < count; k++)
        BASE_TRY(add_line(context, picture, 0, k * LINE, lines[k]));
    for (int k = 0; k < legend_count; k++) {
        BASE_TRY(add_sample(context, picture, bottom + 5 + k * LINE, &legend[k]));
        BASE_TRY(add_line(context, picture, SAMPLE + 6, bottom + 5 + k * LINE, legend[k].text));
    }
done:
    return status;
}

static void print_scale(double scale, char *text, size_t size) {
    if (scale >= 1)
        snprintf(text, size, "%.0f pixel%s an entry", scale, scale > 1 ? "s" : "");
    else
        snprintf(text, size, "a pixel is %.3g rows and columns", 1 / scale);
}

base_status mm_picture_add_title(base_context *context, mm_picture *picture, const char *name, int64_t nrow,
                                 int64_t ncol, int64_t nnz, double scale, const mm_legend *legend,
                                 int legend_count) {
    char sizes[96], pixels[64];
    const char *const lines[] = {name, sizes, pixels, NULL};
    if (nnz >= 0)
        snprintf(sizes, sizeof sizes, "%lld x %lld, %lld entries", (long long)nrow, (long long)ncol,
                 (long long)nnz);
    else
        snprintf(sizes, sizeof sizes, "%lld x %lld", (long long)nrow, (long long)ncol);
    print_scale(scale, pixels, sizeof pixels);
    return mm_picture_annotate(context, picture, lines, legend, legend_count);
}
