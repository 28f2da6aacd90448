/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/split.h"
#include "base/core/memory.h"
#include "dm/dm.h"
#include "mm/matrix/submatrix.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"
#include "mm/metadata/piece.h"

#include <stdlib.h>
#include <string.h>

/* A record as all functions here need it. */
typedef struct source {
    mm_sparse matrix;
    dm_decomposition dm;
    mm_origin origin;
} source;

static base_status source_open(base_context *context, const mm_record *record, bool keep_zeros,
                               source *source) {
    base_status status;
    BASE_TRY(mm_origin_get(context, record, &source->origin));
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, keep_zeros},
                                   &source->matrix));
    BASE_TRY(dm_decompose(context, &source->matrix, &source->dm));
done:
    return status;
}

static void source_close(source *source) {
    mm_sparse_free(&source->matrix);
    dm_free(&source->dm);
    mm_origin_free(&source->origin);
}

static base_status note_sizes(base_context *context, const dm_decomposition *dm, mm_record *record) {
    base_status status;
    BASE_TRY(mm_metadata_set(context, record, "dm.structural_rank", "%lld", (long long)dm->structural_rank));
    BASE_TRY(mm_metadata_set(context, record, "dm.horizontal", "%lldx%lld", (long long)dm->horizontal_nrow,
                             (long long)dm->horizontal_ncol));
    BASE_TRY(mm_metadata_set(context, record, "dm.square", "%lldx%lld", (long long)dm->square_order,
                             (long long)dm->square_order));
    BASE_TRY(mm_metadata_set(context, record, "dm.vertical", "%lldx%lld", (long long)dm->vertical_nrow,
                             (long long)dm->vertical_ncol));
    BASE_TRY(mm_metadata_set(context, record, "dm.blocks", "%lld", (long long)dm->nblock));
    BASE_TRY(mm_list_set(context, record, "dm.block_rows", dm->row_start, dm->nblock));
    BASE_TRY(mm_list_set(context, record, "dm.block_cols", dm->col_start, dm->nblock));
done:
    return status;
}

base_status dm_permute_record(base_context *context, mm_record *record, bool keep_zeros) {
    base_status status;
    source source = {0};
    mm_sparse permuted = {0};
    BASE_TRY(source_open(context, record, keep_zeros, &source));
    BASE_TRY(dm_permute(context, &source.matrix, &source.dm, &permuted));
    BASE_TRY(mm_record_from_sparse(context, &permuted, record));
    BASE_TRY(note_sizes(context, &source.dm, record));
    BASE_TRY(mm_origin_set(context, record, &source.origin, source.dm.row, source.dm.col));
done:
    mm_sparse_free(&permuted);
    source_close(&source);
    return status;
}

base_status dm_drop_record(base_context *context, mm_record *record, bool keep_zeros) {
    base_status status;
    source source = {0};
    mm_sparse kept = {0};
    BASE_TRY(mm_list_refuse_counts(context, record, "thinned"));
    BASE_TRY(source_open(context, record, keep_zeros, &source));
    BASE_TRY(dm_drop(context, &source.matrix, &source.dm, &kept));
    long long dropped = source.matrix.nnz - kept.nnz;
    BASE_TRY(mm_record_from_sparse(context, &kept, record));
    BASE_TRY(mm_metadata_set(context, record, "dm.dropped", "%lld", dropped));
    if (!dm_is_full_rank(&source.dm))
        BASE_TRY(mm_metadata_set(context, record, "dm.singular", "1"));
done:
    mm_sparse_free(&kept);
    source_close(&source);
    return status;
}

/* ---- pieces ---- */

struct dm_splitter {
    const mm_record *record;
    source source;
    dm_split_options options;
    char *name;
    int64_t count, index; /* pieces in all, given out so far */
    int64_t block;        /* where the search for the next piece goes on */
    int64_t nsingle;      /* 1×1 blocks that make one piece together */
    bool singular;
};

static bool is_singleton(const dm_decomposition *dm, int64_t block) {
    return dm->row_start[block + 1] - dm->row_start[block] == 1 &&
           dm->col_start[block + 1] - dm->col_start[block] == 1;
}

static void count_pieces(dm_splitter *splitter) {
    const dm_decomposition *dm = &splitter->source.dm;
    if (splitter->options.coarse) {
        splitter->count = (dm->horizontal_ncol > 0) + (dm->square_order > 0) + (dm->vertical_nrow > 0);
        return;
    }
    splitter->singular = !dm_is_full_rank(dm);
    if (!splitter->options.singletons)
        for (int64_t b = 0; b < dm->nblock; b++)
            splitter->nsingle += is_singleton(dm, b);
    splitter->count = dm->nblock - splitter->nsingle + (splitter->nsingle > 0);
    /* A matrix without rows and columns is its own block: its permanent is 1. */
    if (splitter->singular || splitter->count == 0)
        splitter->count = 1;
}

base_status dm_splitter_open(base_context *context, const mm_record *record, dm_split_options options,
                             dm_splitter **splitter) {
    base_status status = BASE_OK;
    dm_splitter *made = base_alloc_zero(context, 1, sizeof *made);
    *splitter = NULL;
    if (made == NULL)
        return BASE_MACHINE;
    made->record = record;
    made->options = options;
    BASE_TRY(mm_record_name(context, record, &made->name));
    BASE_TRY(source_open(context, record, options.keep_zeros, &made->source));
    count_pieces(made);
    *splitter = made;
    made = NULL;
done:
    dm_splitter_close(made);
    return status;
}

void dm_splitter_close(dm_splitter *splitter) {
    if (splitter == NULL)
        return;
    source_close(&splitter->source);
    free(splitter->name);
    free(splitter);
}

/* The permanents of coarse parts do not multiply, so they are not numbered as blocks. */
static base_status describe_coarse(base_context *context, const dm_splitter *splitter, mm_record *piece) {
    base_status status;
    mm_metadata_remove(piece, "piece");
    BASE_TRY(mm_metadata_set(context, piece, "name", "%s", splitter->name));
    BASE_TRY(mm_metadata_set(context, piece, "dm.of", "%s", splitter->name));
done:
    return status;
}

/* Comments, name, number and part of a piece. The comments go with the first one only: what they say of the
 * record, as a factor, must not count once for each piece. */
static base_status describe(base_context *context, dm_splitter *splitter, const char *part,
                            mm_record *piece) {
    base_status status = BASE_OK;
    const char *comments = splitter->record->comments;
    if (splitter->index == 1 && comments != NULL) {
        piece->comments = base_copy_text(context, comments, (int64_t)strlen(comments));
        if (piece->comments == NULL)
            BASE_TRY(BASE_MACHINE);
        mm_origin_remove(piece);
    }
    if (splitter->options.coarse)
        BASE_TRY(describe_coarse(context, splitter, piece));
    else
        BASE_TRY(mm_piece_set(context, piece, splitter->record,
                              (mm_piece_step){MM_BLOCK, splitter->index, splitter->count}));
    BASE_TRY(mm_metadata_set(context, piece, "dm.part", "%s", part));
done:
    return status;
}

/* Rows and columns of the piece, as places in the block form. */
typedef struct range {
    int64_t row_first, row_end, col_first, col_end;
    const char *part;
} range;

static range range_of_blocks(const dm_decomposition *dm, int64_t first, int64_t end) {
    const char *part = first >= dm->square_end    ? "vertical"
                       : first < dm->square_first ? "horizontal"
                                                  : "square";
    return (range){dm->row_start[first], dm->row_start[end], dm->col_start[first], dm->col_start[end], part};
}

/* The next coarse part, or the next block that does not go with the singletons. */
static range next_range(dm_splitter *splitter) {
    const dm_decomposition *dm = &splitter->source.dm;
    int64_t first = splitter->block, end;
    if (splitter->options.coarse)
        end = first < dm->square_first ? dm->square_first
              : first < dm->square_end ? dm->square_end
                                       : dm->nblock;
    else {
        while (splitter->nsingle > 0 && is_singleton(dm, first))
            first++;
        end = first < dm->nblock ? first + 1 : first; /* no block at all: 0×0 */
    }
    splitter->block = end;
    return range_of_blocks(dm, first, end);
}

static base_status make_range(base_context *context, dm_splitter *splitter, mm_record *piece) {
    base_status status = BASE_OK;
    const dm_decomposition *dm = &splitter->source.dm;
    range range = next_range(splitter);
    mm_sparse part = {0};
    mm_selection selection = {.nrow = range.row_end - range.row_first,
                              .ncol = range.col_end - range.col_first,
                              .row_place = dm->row_position,
                              .row_first = range.row_first,
                              .column = dm->col + range.col_first};
    BASE_TRY(mm_sparse_select(context, &splitter->source.matrix, &selection, &part));
    BASE_TRY(mm_record_from_sparse(context, &part, piece));
    BASE_TRY(describe(context, splitter, range.part, piece));
    BASE_TRY(mm_origin_set(context, piece, &splitter->source.origin, dm->row + range.row_first,
                           dm->col + range.col_first));
done:
    mm_sparse_free(&part);
    return status;
}

/* Makes one diagonal matrix of all 1×1 blocks: its permanent is their product. */
static base_status make_singletons(base_context *context, dm_splitter *splitter, mm_record *piece) {
    base_status status;
    const source *source = &splitter->source;
    int64_t count = splitter->nsingle, k = 0;
    int64_t *row = NULL, *col = NULL;
    mm_sparse diagonal = {.nrow = count, .ncol = count, .nnz = count, .field = source->matrix.field};
    size_t bytes = 8 * (size_t)mm_sparse_value_words(diagonal.field);
    BASE_TRY(mm_sparse_alloc(context, &diagonal, count, source->matrix.digits != NULL));
    row = base_alloc(context, count, sizeof *row);
    col = base_alloc(context, count, sizeof *col);
    if (row == NULL || col == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t b = 0; b < source->dm.nblock; b++) {
        if (!is_singleton(&source->dm, b))
            continue;
        row[k] = source->dm.row[source->dm.row_start[b]];
        col[k] = source->dm.col[source->dm.col_start[b]];
        diagonal.index[k] = k;
        if (bytes > 0)
            memcpy((char *)mm_sparse_values(&diagonal) + (size_t)k * bytes,
                   (char *)mm_sparse_values(&source->matrix) +
                       (size_t)mm_sparse_find(&source->matrix, source->dm.row[source->dm.row_start[b]],
                                              source->dm.col[source->dm.col_start[b]]) *
                           bytes,
                   bytes);
        k++;
        diagonal.start[k] = k;
    }
    BASE_TRY(mm_record_from_sparse(context, &diagonal, piece));
    BASE_TRY(describe(context, splitter, "square", piece));
    BASE_TRY(mm_metadata_set(context, piece, "dm.singletons", "%lld", (long long)count));
    BASE_TRY(mm_origin_set(context, piece, &source->origin, row, col));
done:
    mm_sparse_free(&diagonal);
    free(row);
    free(col);
    return status;
}

static base_status make_zero(base_context *context, dm_splitter *splitter, mm_record *piece) {
    base_status status;
    int64_t start[2] = {0, 0};
    mm_sparse zero = {.nrow = 1, .ncol = 1, .start = start, .field = splitter->record->field};
    BASE_TRY(mm_record_from_sparse(context, &zero, piece));
    BASE_TRY(describe(context, splitter, "square", piece));
    BASE_TRY(mm_metadata_set(context, piece, "dm.singular", "1"));
done:
    return status;
}

base_status dm_splitter_next(base_context *context, dm_splitter *splitter, mm_record *piece, bool *found) {
    mm_record_free(piece);
    *found = splitter->index < splitter->count;
    if (!*found)
        return BASE_OK;
    splitter->index++;
    if (splitter->singular)
        return make_zero(context, splitter, piece);
    if (splitter->nsingle > 0 && splitter->index == splitter->count)
        return make_singletons(context, splitter, piece);
    return make_range(context, splitter, piece);
}
