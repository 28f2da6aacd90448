/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters of five by seven pixels, and two below the line, for text in PNG pictures. */
#ifndef MM_PICTURE_FONT_H
#define MM_PICTURE_FONT_H

#include <stdbool.h>

enum { MM_FONT_WIDTH = 5, MM_FONT_HEIGHT = 9 };

/* Whether a pixel of a letter is set; row and column count from the top left. Other bytes than printable
 * ASCII look like question marks. */
bool mm_font_pixel(char letter, int row, int column);

#endif
