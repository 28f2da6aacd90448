/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/picture/picture.h"
#include "base/core/control.h"
#include "base/core/memory.h"
#include "mm/picture/font.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

double mm_picture_scale(int64_t nrow, int64_t ncol, int size, int *height, int *width) {
    const int64_t longer = nrow > ncol ? nrow : ncol;
    double scale = longer > 0 ? (double)size / (double)longer : 1;
    if (scale > 1)
        scale = floor(scale);
    *height = (int)fmax(1, ceil(scale * (double)nrow));
    *width = (int)fmax(1, ceil(scale * (double)ncol));
    return scale;
}

base_status mm_picture_add(base_context *context, mm_picture *picture, mm_rectangle rectangle) {
    base_status status = base_reserve(context, &picture->rectangle, &picture->capacity, picture->count + 1,
                                      sizeof *picture->rectangle);
    if (status == BASE_OK)
        picture->rectangle[picture->count++] = rectangle;
    return status;
}

base_status mm_picture_add_outline(base_context *context, mm_picture *picture, mm_rectangle r) {
    base_status status = BASE_OK;
    const double right = r.x + fmax(r.width - 1, 0), bottom = r.y + fmax(r.height - 1, 0);
    BASE_TRY(mm_picture_add(context, picture, (mm_rectangle){r.x, r.y, r.width, 1, r.colour}));
    BASE_TRY(mm_picture_add(context, picture, (mm_rectangle){r.x, bottom, r.width, 1, r.colour}));
    BASE_TRY(mm_picture_add(context, picture, (mm_rectangle){r.x, r.y, 1, r.height, r.colour}));
    BASE_TRY(mm_picture_add(context, picture, (mm_rectangle){right, r.y, 1, r.height, r.colour}));
done:
    return status;
}

base_status mm_picture_add_text(base_context *context, mm_picture *picture, double x, double y,
                                unsigned colour, const char *line) {
    base_status status;
    char *copy = base_copy_text(context, line, (int64_t)strlen(line));
    if (copy == NULL)
        return BASE_MACHINE;
    base_control_flatten(copy);
    BASE_TRY(base_reserve(context, &picture->text, &picture->text_capacity, picture->texts + 1,
                          sizeof *picture->text));
    picture->text[picture->texts++] = (mm_text){x, y, colour, copy};
    copy = NULL;
done:
    free(copy);
    return status;
}

/* ---- PNG ---- */

static void paint(const mm_picture *picture, const mm_rectangle *rectangle, unsigned char *pixels);

/* Letters of 5 x 7 pixels in cells of 7 x 18, or as large as that makes them. */
static void paint_text(const mm_picture *picture, const mm_text *text, unsigned char *pixels) {
    for (int k = 0; text->line[k] != '\0'; k++)
        for (int row = 0; row < MM_FONT_HEIGHT; row++)
            for (int column = 0; column < MM_FONT_WIDTH; column++)
                if (mm_font_pixel(text->line[k], row, column)) {
                    const mm_rectangle pixel = {text->x + k * MM_TEXT_WIDTH + column, text->y + 4 + row, 1, 1,
                                                text->colour};
                    paint(picture, &pixel, pixels);
                }
}

/* The pixels first … *end-1 of `size` that a span covers, at least one. */
static void cover(double begin, double length, int size, int *first, int *end) {
    const double low = fmax(0, fmin(floor(begin + 0.5), size));
    const double high = fmax(0, fmin(floor(begin + length + 0.5), size));
    *first = (int)low;
    *end = (int)high;
    if (*end == *first && *first < size)
        ++*end;
}

static void paint(const mm_picture *picture, const mm_rectangle *rectangle, unsigned char *pixels) {
    int left, right, top, bottom;
    cover(rectangle->x, rectangle->width, picture->width, &left, &right);
    cover(rectangle->y, rectangle->height, picture->height, &top, &bottom);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            unsigned char *pixel = pixels + 3 * ((int64_t)y * picture->width + x);
            pixel[0] = (unsigned char)(rectangle->colour >> 16);
            pixel[1] = (unsigned char)(rectangle->colour >> 8);
            pixel[2] = (unsigned char)rectangle->colour;
        }
}

/* libpng's callbacks know where they write; the first failure is kept and the rest of the picture dropped, so
 * that no error has to jump over libpng's frames. */
typedef struct png_target {
    base_context *context;
    base_output *output;
    base_status status;
} png_target;

static void put_bytes(png_structp png, png_bytep data, size_t size) {
    png_target *target = png_get_io_ptr(png);
    if (target->status == BASE_OK)
        target->status = base_output_write(target->context, target->output, data, size);
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static void say_nothing(png_structp png, png_const_charp message) {
    (void)png, (void)message;
}

/* libpng itself fails only for want of memory here. */
static bool encode_png(const mm_picture *picture, unsigned char *pixels, png_target *target) {
    png_infop info = NULL;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, say_nothing);
    volatile bool done = false;
    if (png == NULL)
        return false;
    if (setjmp(png_jmpbuf(png)) == 0 && (info = png_create_info_struct(png)) != NULL) {
        png_set_write_fn(png, target, put_bytes, flush_nothing);
        png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                     PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        for (int y = 0; y < picture->height; y++)
            png_write_row(png, pixels + 3 * (int64_t)y * picture->width);
        png_write_end(png, info);
        done = true;
    }
    png_destroy_write_struct(&png, &info);
    return done;
}

base_status mm_picture_write_png(base_context *context, const mm_picture *picture, base_output *output) {
    base_status status = BASE_OK;
    png_target target = {context, output, BASE_OK};
    const int64_t bytes = 3 * (int64_t)picture->width * picture->height;
    unsigned char *pixels = base_alloc(context, bytes, 1);
    if (pixels == NULL)
        return context->error.status;
    memset(pixels, 0xff, (size_t)bytes);
    for (int64_t i = 0; i < picture->count; i++)
        paint(picture, &picture->rectangle[i], pixels);
    for (int64_t i = 0; i < picture->texts; i++)
        paint_text(picture, &picture->text[i], pixels);
    if (!encode_png(picture, pixels, &target))
        status = base_fail(context, BASE_MACHINE, "no memory for the picture");
    else
        status = target.status;
    free(pixels);
    return status;
}

/* ---- SVG ---- */

/* As wide as in PNG, whatever letters there are to draw it with. */
static base_status write_text(base_context *context, const mm_text *text, base_output *output) {
    base_status status;
    BASE_TRY(base_output_print(context, output,
                               "<text x=\"%g\" y=\"%g\" font-family=\"monospace\" font-size=\"%d\" "
                               "textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\">",
                               text->x, text->y + MM_TEXT_SIZE, MM_TEXT_SIZE,
                               MM_TEXT_WIDTH * (int)strlen(text->line), text->colour));
    for (const char *c = text->line; *c != '\0'; c++)
        BASE_TRY(*c == '<'   ? base_output_print(context, output, "&lt;")
                 : *c == '&' ? base_output_print(context, output, "&amp;")
                             : base_output_print(context, output, "%c", *c >= ' ' && *c <= '~' ? *c : '?'));
    BASE_TRY(base_output_print(context, output, "</text>\n"));
done:
    return status;
}

base_status mm_picture_write_svg(base_context *context, const mm_picture *picture, base_output *output) {
    base_status status = BASE_OK;
    BASE_TRY(base_output_print(context, output,
                               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                               "viewBox=\"0 0 %d %d\" shape-rendering=\"crispEdges\">\n"
                               "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                               picture->width, picture->height, picture->width, picture->height));
    for (int64_t i = 0; i < picture->count; i++) {
        const mm_rectangle *r = &picture->rectangle[i];
        BASE_TRY(base_output_print(context, output,
                                   "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n",
                                   r->x, r->y, r->width, r->height, r->colour));
    }
    for (int64_t i = 0; i < picture->texts; i++)
        BASE_TRY(write_text(context, &picture->text[i], output));
    BASE_TRY(base_output_print(context, output, "</svg>\n"));
done:
    return status;
}

void mm_picture_free(mm_picture *picture) {
    if (picture == NULL)
        return;
    free(picture->rectangle);
    for (int64_t i = 0; i < picture->texts; i++)
        free(picture->text[i].line);
    free(picture->text);
    *picture = (mm_picture){0};
}
