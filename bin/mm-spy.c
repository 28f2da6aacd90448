#include "dm/dm.h"
#include "h2/matrix/io.h"
#include "h2/matrix/picture.h"
#include "mm/metadata/metadata.h"
#include "mm/picture/spy.h"
#include "mm/stream/filter.h"

#include <stdlib.h>

enum { TEXT_WIDTH = 72, PICTURE_SIZE = 512, MOST_SIZE = 8192 };

static bool png, svg, blocks, keep_zeros;
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

/* Diagonal blocks: horizontal part blue, blocks of the square part orange, vertical part green. */
static base_status outline_blocks(base_context *context, const dm_decomposition *dm, mm_picture *picture) {
    base_status status = BASE_OK;
    int height, width;
    const double scale = mm_picture_scale(dm->nrow, dm->ncol, (int)size, &height, &width);
    for (int64_t b = 0; b < dm->nblock; b++) {
        const unsigned colour = b < dm->square_first ? 0x3070d0 : b < dm->square_end ? 0xe07000 : 0x209040;
        const mm_rectangle block = {scale * (double)dm->col_start[b], scale * (double)dm->row_start[b],
                                    scale * (double)(dm->col_start[b + 1] - dm->col_start[b]),
                                    scale * (double)(dm->row_start[b + 1] - dm->row_start[b]), colour};
        if (block.width >= 3 && block.height >= 3)
            BASE_TRY(mm_picture_add_outline(context, picture, block));
    }
done:
    return status;
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
    if (blocks && picture != NULL)
        BASE_TRY(outline_blocks(context, &dm, picture));
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
done:
    h2_matrix_free(&matrix);
    return status;
}

static base_status show(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_picture *picture = NULL;
    if (record->kind == MM_STATE || (record->kind == MM_H2 && !png && !svg))
        return BASE_OK;
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
