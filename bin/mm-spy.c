/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/dm.h"
#include "dm/picture.h"
#include "h2/matrix/io.h"
#include "h2/matrix/picture.h"
#include "mm/metadata/metadata.h"
#include "mm/picture/spy.h"
#include "mm/stream/filter.h"

#include <stdlib.h>

enum { TEXT_WIDTH = 72, PICTURE_SIZE = 512, MOST_SIZE = 8192 };

static bool png, svg, blocks, bare, keep_zeros;
static int64_t size;
static mm_album album;

static const base_option options[] = {
    {"png", 0, BASE_FLAG, NULL, "draw a PNG picture instead", &png},
    {"svg", 0, BASE_FLAG, NULL, "draw an SVG picture instead", &svg},
    {"size", 0, BASE_INTEGER, "N", "pixels of a matrix's longer side (512), or characters in a line (72)",
     &size},
    {"triangular", 0, BASE_FLAG, NULL, "in block triangular form; a picture shows the diagonal blocks",
     &blocks},
    {"blocks", 'b', BASE_FLAG, NULL, NULL, &blocks},
    {"bare", 0, BASE_FLAG, NULL, "the picture alone, without title and legend", &bare},
    {"keep-zeros", 0, BASE_FLAG, NULL, "explicit zeros are entries", &keep_zeros},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    if (png && svg)
        return base_fail(&filter->run.context, BASE_USAGE, "only one of --png and --svg, please");
    if (size == 0)
        size = png || svg ? PICTURE_SIZE : TEXT_WIDTH;
    if (size > MOST_SIZE)
        return base_fail(&filter->run.context, BASE_USAGE, "--size is %d at most", MOST_SIZE);
    return BASE_OK;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_album_free(&album);
}

static base_status print_matrix(mm_filter_run *filter, const mm_record *record, const mm_sparse *matrix) {
    base_context *context = &filter->run.context;
    base_status status;
    char *name = NULL;
    BASE_TRY(mm_record_name(context, record, &name));
    BASE_TRY(base_output_print(context, filter->run.output, "%s: %lld x %lld, %lld entries\n", name,
                               (long long)matrix->nrow, (long long)matrix->ncol, (long long)matrix->nnz));
    BASE_TRY(mm_spy_print(context, matrix, (int)size, filter->run.output));
done:
    free(name);
    return status;
}

/* `dm` is NULL without blocks. */
static base_status annotate(base_context *context, const mm_record *record, const mm_sparse *matrix,
                            const dm_decomposition *dm, mm_picture *picture) {
    base_status status;
    char *name = NULL;
    int height, width, parts = 0;
    mm_legend legend[MM_SPY_LEGEND + DM_LEGEND];
    const double scale = mm_picture_scale(matrix->nrow, matrix->ncol, (int)size, &height, &width);
    const int count = mm_spy_legend(scale, legend);
    BASE_TRY(mm_record_name(context, record, &name));
    if (dm != NULL)
        BASE_TRY(dm_picture_outline(context, dm, (int)size, picture, legend + count, &parts));
    if (!bare)
        BASE_TRY(mm_picture_add_title(context, picture, name, matrix->nrow, matrix->ncol, matrix->nnz, scale,
                                      legend, count + parts));
done:
    free(name);
    return status;
}

/* `picture` is NULL for characters. */
static base_status show_matrix(mm_filter_run *filter, const mm_record *record, mm_picture *picture) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    mm_sparse matrix = {0}, permuted = {0};
    dm_decomposition dm = {0};
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, keep_zeros}, &matrix));
    if (blocks) {
        BASE_TRY(dm_decompose(context, &matrix, &dm));
        BASE_TRY(dm_permute(context, &matrix, &dm, &permuted));
    }
    if (picture == NULL)
        BASE_TRY(print_matrix(filter, record, blocks ? &permuted : &matrix));
    else
        BASE_TRY(mm_spy_draw(context, blocks ? &permuted : &matrix, (int)size, picture));
    if (picture != NULL)
        BASE_TRY(annotate(context, record, &matrix, blocks ? &dm : NULL, picture));
done:
    mm_sparse_free(&permuted);
    mm_sparse_free(&matrix);
    dm_free(&dm);
    return status;
}

static base_status draw_h2(base_context *context, mm_record *record, mm_picture *picture) {
    base_status status;
    h2_matrix matrix = {0};
    BASE_TRY(h2_from_record(context, record, &matrix));
    BASE_TRY(h2_picture_draw(context, &matrix, (int)size, picture));
    if (!bare)
        BASE_TRY(h2_picture_annotate(context, &matrix, record, (int)size, picture));
done:
    h2_matrix_free(&matrix);
    return status;
}

static base_status show(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_picture *picture = NULL;
    if (record->kind == MM_H2 && !png && !svg)
        base_run_note(&filter->run,
                      "%s: record %lld: an H2 matrix is shown by --png or --svg only, not in characters",
                      context->place.file, (long long)context->place.record);
    if (record->kind == MM_STATE || (record->kind == MM_H2 && !png && !svg)) {
        filter->own--; /* who is given nothing else ends with status 1 */
        return BASE_OK;
    }
    if ((png || svg) && (picture = mm_album_add(context, &album)) == NULL)
        return context->error.status;
    if (record->kind == MM_H2)
        status = draw_h2(context, record, picture);
    else
        status = show_matrix(filter, record, picture);
    /* With --keep-going the others are shown without it. */
    if (status != BASE_OK && picture != NULL)
        mm_album_remove_last(&album);
    return status;
}

static base_status end(mm_filter_run *filter) {
    return mm_album_write(&filter->run.context, &album, (int)size, png, filter->run.output);
}

static const mm_filter filter = {
    .program = {.name = "mm-spy",
                .operands = "[FILE...]",
                .summary = "Show where the entries of matrices are: characters, PNG or SVG.",
                .common = BASE_HAS_KEEP_GOING,
                .options = options},
    .all_kinds = true,
    .kinds = ~0U,
    .begin = begin,
    .record = show,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
