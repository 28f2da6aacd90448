/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures made of coloured rectangles, as PNG or SVG, and what is drawn with them.
 *
 * spy.h draws the entries of a matrix, annotate.h puts a title and a legend beside it, album.c lays several
 * pictures out on one. Colours are such as the colour-blind tell apart on white, which a picture keeps in the
 * dark. libpng is included in picture.c and nowhere else. */
#ifndef MM_PICTURE_PICTURE_H
#define MM_PICTURE_PICTURE_H

#include "base/run/output.h"

/* In pixels, x to the right, y downwards; colour is 0xRRGGBB. */
typedef struct mm_rectangle {
    double x, y, width, height;
    unsigned colour;
} mm_rectangle;

/* A line of text, its top left corner at (x, y), of letters that are MM_TEXT_WIDTH pixels wide with what
 * parts them. */
typedef struct mm_text {
    double x, y;
    unsigned colour;
    char *line;
} mm_text;
enum { MM_TEXT_WIDTH = 12 / 2 + 1, MM_TEXT_SIZE = 12 };

/* Rectangles on white, later ones over earlier ones, and text over all. Begins zeroed but for the sizes. */
typedef struct mm_picture {
    int width, height;
    int64_t count, capacity;
    mm_rectangle *rectangle;
    int64_t texts, text_capacity;
    mm_text *text;
} mm_picture;

/* A line of text. The line is copied; control characters become '?'. */
base_status mm_picture_add_text(base_context *context, mm_picture *picture, double x, double y,
                                unsigned colour, const char *line);

/* Adds a rectangle, on top of the others. */
base_status mm_picture_add(base_context *context, mm_picture *picture, mm_rectangle rectangle);

/* Adds the outline of a rectangle, one pixel wide, inside it. */
base_status mm_picture_add_outline(base_context *context, mm_picture *picture, mm_rectangle rectangle);

/* Three bytes a pixel of memory; a rectangle covers at least one pixel. */
base_status mm_picture_write_png(base_context *context, const mm_picture *picture, base_output *output);
base_status mm_picture_write_svg(base_context *context, const mm_picture *picture, base_output *output);
void mm_picture_free(mm_picture *picture); /* NULL is allowed */

/* The pictures of a stream, which go into one file. Begins zeroed. */
typedef struct mm_album {
    int64_t count, capacity;
    mm_picture *picture;
} mm_album;

/* A new, empty picture at the end, valid until the next is added; NULL without memory. */
mm_picture *mm_album_add(base_context *context, mm_album *album);
void mm_album_remove_last(mm_album *album);

/* Writes PNG, or else SVG: the pictures side by side, row by row, about as many rows as columns, each in the
 * room that the largest needs and at least size × size pixels. Nothing for an empty album. BASE_FAILED when
 * the sheet would be too large. */
base_status mm_album_write(base_context *context, const mm_album *album, int size, bool png,
                           base_output *output);
void mm_album_free(mm_album *album); /* NULL is allowed */

/* The scale at which the longer side of an nrow × ncol matrix has `size` pixels, whole pixels an entry where
 * there are enough; the sides in pixels, at least 1 each. */
double mm_picture_scale(int64_t nrow, int64_t ncol, int size, int *height, int *width);

#endif
