/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines above and below a picture: whole where they fit into its width, else cut, with dots at their end. */
#include "mm/picture/annotate.h"
#include "tests/support/tap.h"

#include <string.h>

enum { WIDTH = 50 * MM_TEXT_WIDTH }; /* the least, of 50 letters */

static base_context context;
static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";

/* The line and the text of a legend, of so many letters, on a narrow picture. */
static void check(size_t length) {
    char text[sizeof letters] = "";
    memcpy(text, letters, length);
    mm_picture picture = {.width = 10, .height = 10};
    const char *const lines[] = {text, NULL};
    const mm_legend legend = {0, false, text};
    const bool good = mm_picture_annotate(&context, &picture, lines, &legend, 1) == BASE_OK &&
                      picture.width == WIDTH && picture.texts == 2;
    tap_ok(good, "a picture with a line and a legend of %d letters", (int)length);
    for (int64_t k = 0; good && k < picture.texts; k++) {
        const char *line = picture.text[k].line;
        const size_t fit = (size_t)((WIDTH - picture.text[k].x) / MM_TEXT_WIDTH), got = strlen(line);
        if (length <= fit)
            tap_ok(strcmp(line, text) == 0, "... from pixel %g on: whole", picture.text[k].x);
        else
            tap_ok(got == fit && strcmp(line + got - 3, "...") == 0 && memcmp(line, text, got - 3) == 0,
                   "... from pixel %g on: cut to %d letters", picture.text[k].x, (int)got);
    }
    mm_picture_free(&picture);
}

int main(void) {
    base_context_init(&context);
    check(5);
    check(47);
    check(48);
    check(50);
    check(51);
    check(64);
    return tap_done();
}
