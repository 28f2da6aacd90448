/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/io.h"
#include "h2/matrix/picture.h"
#include "h2/matrix/report.h"
#include "h2/product/error.h"
#include "h2/product/norm.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_SIZE = 1024 };

static bool levels, sample, norm, png, svg, no_header;
static int64_t rows;
static const char *columns;
static mm_album album;

static const base_option options[] = {
    {"levels", 0, BASE_FLAG, NULL, "a line for each level", &levels},
    {"levels", 'l', BASE_FLAG, NULL, NULL, &levels},
    {"error", 0, BASE_FLAG, NULL, "add the error of a product, from 10 % of the rows", &sample},
    {"error-rows", 0, BASE_INTEGER, "N", "add the error of a product, from N rows", &rows},
    {"rows", 0, BASE_INTEGER, "N", NULL, &rows},
    {"norm", 0, BASE_FLAG, NULL, "add the Frobenius norm, if bases are orthonormal", &norm},
    {"columns", 0, BASE_TEXT, "NAME[,...]", "only these columns, in this order", &columns},
    {"no-header", 0, BASE_FLAG, NULL, "no line with the names of the columns", &no_header},
    {"png", 0, BASE_FLAG, NULL, "draw a PNG picture instead", &png},
    {"svg", 0, BASE_FLAG, NULL, "draw an SVG picture instead", &svg},
    BASE_OPTIONS_END,
};

/* Whether --columns has this name. */
static bool is_selected(const char *name) {
    const size_t length = strlen(name);
    const char *at = columns;
    while (at != NULL && (strncmp(at, name, length) != 0 || (at[length] != ',' && at[length] != '\0'))) {
        at = strchr(at, ',');
        at += at != NULL;
    }
    return at != NULL;
}

static base_status begin(mm_filter_run *filter) {
    const base_run *run = &filter->run;
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    if (png + svg + (levels || run->json || columns != NULL || no_header) > 1)
        return base_fail(context, BASE_USAGE,
                         "--png, --svg and a table (--levels, --columns, --no-header, --json) exclude each "
                         "other");
    if (png || svg)
        return BASE_OK;
    BASE_TRY(mm_report_open(context, run->json, run->part.index <= 1 && !no_header, &filter->report));
    if (columns != NULL)
        BASE_TRY(mm_report_select(context, filter->report, columns, h2_report_names(levels)));
    norm = norm || is_selected("norm");
    sample = sample || is_selected("sampled_error");
done:
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_album_free(&album);
}

static base_status report_error(base_context *context, const h2_matrix *matrix, mm_report *report) {
    const int64_t n = matrix->tree.n, wanted = rows > 0 ? rows : (n + 9) / 10;
    double error = 0;
    base_status status = h2_error_sample(context, matrix, wanted < n ? wanted : n, &error);
    mm_report_real(report, "sampled_error", error);
    return status;
}

static void report_norm(const h2_matrix *matrix, int threads, mm_report *report) {
    const bool known = (matrix->head.flags & H2_ORTHOGONAL) != 0;
    mm_report_set_known(report, known);
    mm_report_real(report, "norm",
                   known ? sqrt(h2_sum_squares(matrix, &matrix->coupling, threads) +
                                h2_sum_squares(matrix, &matrix->dense, threads))
                         : 0);
    mm_report_set_known(report, true);
}

static base_status draw(base_context *context, const h2_matrix *matrix, const mm_record *record) {
    mm_picture *picture = mm_album_add(context, &album);
    if (picture == NULL)
        return context->error.status;
    const base_status status = h2_picture_draw(context, matrix, PICTURE_SIZE, picture);
    return status == BASE_OK ? h2_picture_annotate(context, matrix, record, PICTURE_SIZE, picture) : status;
}

static base_status end(mm_filter_run *filter) {
    return mm_album_write(&filter->run.context, &album, PICTURE_SIZE, png, filter->run.output);
}

static base_status describe(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    char *name = NULL;
    h2_matrix matrix = {0};
    if (record->kind != MM_H2)
        goto done;
    BASE_TRY(mm_record_name(context, record, &name));
    BASE_TRY(h2_from_record(context, record, &matrix));
    if (png || svg) {
        status = draw(context, &matrix, record);
        goto done;
    }
    for (int64_t level = 0; levels && level < matrix.tree.levels; level++) {
        mm_report_text(filter->report, "name", name);
        h2_report_level(filter->report, &matrix, level);
        BASE_TRY(mm_report_write(context, filter->report, filter->run.output));
    }
    if (levels)
        goto done;
    mm_report_text(filter->report, "name", name);
    h2_report_matrix(filter->report, &matrix);
    if (norm)
        report_norm(&matrix, context->threads, filter->report);
    if (sample || rows > 0)
        BASE_TRY(report_error(context, &matrix, filter->report));
    BASE_TRY(mm_report_write(context, filter->report, filter->run.output));
done:
    free(name);
    h2_matrix_free(&matrix);
    return status;
}

static const mm_filter filter = {
    .program = {.name = "h2-info",
                .operands = "[FILE...]",
                .summary = "Print a line about each H2 matrix: structure, ranks, memory, error.",
                .common = BASE_HAS_PART | BASE_HAS_SEED | BASE_HAS_KEEP_GOING | BASE_HAS_JSON,
                .options = options},
    .all_kinds = true,
    .kinds = 1U << MM_H2,
    .kind_name = "H2 matrices",
    .begin = begin,
    .record = describe,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
