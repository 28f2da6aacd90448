/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader needs beside a picture: lines of text above it, a frame around it, a legend below it. */
#ifndef MM_PICTURE_ANNOTATE_H
#define MM_PICTURE_ANNOTATE_H

#include "mm/picture/picture.h"

/* A sample of a colour, filled or its outline alone, with its meaning. */
typedef struct mm_legend {
    unsigned colour;
    bool is_outline;
    const char *text;
} mm_legend;

/* Moves what is drawn down and right, and adds the lines (NULL behind the last) and the legend. What is
 * longer than the picture is wide is cut; a narrow picture becomes wide enough for 50 letters. */
base_status mm_picture_annotate(base_context *context, mm_picture *picture, const char *const *lines,
                                const mm_legend *legend, int legend_count);

/* The same with a title: name, sizes, number of entries (negative: none told) and scale, "6 pixels an entry"
 * or "a pixel is 12.5 rows and columns". */
base_status mm_picture_add_title(base_context *context, mm_picture *picture, const char *name, int64_t nrow,
                                 int64_t ncol, int64_t nnz, double scale, const mm_legend *legend,
                                 int legend_count);

#endif
