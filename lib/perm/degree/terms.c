/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/terms.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/degree/breadth.h"
#include "perm/degree/simplify.h"
#include "perm/degree/split.h"

#include <stdlib.h>
#include <string.h>

void perm_piece_init(perm_piece *piece) {
    piece->depth = 0;
    perm_scaled_init(&piece->scaled);
}

void perm_piece_free(perm_piece *piece) {
    perm_scaled_free(&piece->scaled);
}

static perm_level *top_of(perm_search *s) {
    return &s->level[s->depth - 1];
}

/* ---- splits ---- */

/* A matrix joins those that wait, unless it has no perfect matching. */
static base_status put(base_context *context, perm_search *s, perm_scaled *scaled) {
    base_status status = BASE_OK;
    if (!perm_rule_is_plain(s->options.rule)) {
        BASE_TRY(perm_scaled_simplify(context, s->options.stop_n, scaled));
        if (scaled->blocks == 0) {
            s->stats.zeros++;
            goto done;
        }
        if (s->options.most_waiting > 0)
            BASE_TRY(perm_scaled_normalise(context, scaled));
    }
    perm_worklist *worklist = &top_of(s)->worklist;
    int64_t merged = worklist->merged;
    s->left += scaled->share;
    BASE_TRY(perm_worklist_put(context, worklist, scaled));
    s->stats.merged += worklist->merged - merged;
done:
    return status;
}

/* Both matrices of a split go to those that wait. */
static base_status split(base_context *context, perm_search *s, perm_elimination *e, const perm_split *split,
                         perm_scaled *whole) {
    base_status status;
    perm_scaled second;
    perm_scaled_init(&second);
    perm_scaled_collect(e, whole);
    second.share = whole->share /= 2;
    BASE_TRY(perm_split_second(context, s->options.rule, e, split, whole, &second));
    BASE_TRY(put(context, s, &second));
    /* SUperman goes on with the transpose after it has split a column of the record, which is a row here. */
    whole->is_turned = split->is_column;
    whole->blocks = 0;
    BASE_TRY(perm_eliminate_two(e, split->line, split->entry[0], split->entry[1]));
    BASE_TRY(perm_scaled_take(e, whole));
    BASE_TRY(put(context, s, whole));
done:
    perm_scaled_free(&second);
    return status;
}

/* ---- sums and products ---- */

static void make_piece(perm_search *s, perm_scaled *scaled, perm_piece *piece) {
    top_of(s)->items++;
    piece->depth = 0;
    for (int k = 0; k < s->depth; k++) {
        const perm_level *level = &s->level[k];
        if (k > 0)
            piece->step[piece->depth++] = (mm_piece_step){MM_BLOCK, level->at + 1, level->blocks};
        piece->step[piece->depth++] = (mm_piece_step){MM_TERM, level->items, 0};
    }
    perm_scaled_move(&piece->scaled, scaled);
}

static base_status finish(base_context *context, perm_search *s, perm_scaled *scaled, perm_piece *piece,
                          bool *found) {
    base_status status = BASE_OK;
    dm_decomposition dm = {0};
    /* With the other rules perm_scaled_simplify has dropped what has no perfect matching. */
    if (perm_rule_is_plain(s->options.rule)) {
        mm_sparse pattern = perm_matrix_pattern(&scaled->matrix);
        BASE_TRY(dm_decompose(context, &pattern, &dm));
        if (!dm_is_full_rank(&dm)) {
            s->stats.zeros++;
            goto done;
        }
    }
    s->stats.terms++;
    s->stats.n += (double)scaled->matrix.n;
    s->stats.nnz += (double)scaled->matrix.nnz;
    make_piece(s, scaled, piece);
    *found = true;
done:
    dm_free(&dm);
    return status;
}

/* What is done before the first split; `blocks` stays 0 where there is no perfect matching. */
static base_status prepare(base_context *context, const perm_search *s, perm_scaled *scaled) {
    base_status status = BASE_OK;
    int64_t dropped;
    switch (s->options.rule) {
    case PERM_RULE_PLAIN: scaled->blocks = 1; break;
    case PERM_RULE_SUPERMAN:
        BASE_TRY(perm_scaled_drop(context, scaled, &dropped));
        if (scaled->blocks == 1)
            BASE_TRY(perm_matrix_order_breadth_first(context, &scaled->matrix));
        break;
    default: BASE_TRY(perm_scaled_simplify(context, s->options.stop_n, scaled)); break;
    }
done:
    return status;
}

static base_status begin_block(base_context *context, perm_search *s, const perm_value *factor) {
    base_status status;
    perm_level *level = top_of(s);
    perm_scaled scaled;
    perm_scaled_init(&scaled);
    perm_value_copy(&scaled.factor, factor);
    scaled.matrix = level->block[level->at];
    level->block[level->at] = (perm_matrix){0};
    level->items = 0;
    scaled.share = level->share;
    s->left -= scaled.share;
    scaled.is_turned = true; /* the record is held by columns, and its own rows come first */
    BASE_TRY(perm_worklist_init(context, scaled.matrix.n, s->options.most_waiting, &level->worklist));
    BASE_TRY(prepare(context, s, &scaled));
    if (scaled.blocks == 0) {
        s->stats.zeros++;
        goto done;
    }
    s->left += scaled.share;
    BASE_TRY(perm_worklist_put(context, &level->worklist, &scaled));
done:
    perm_scaled_free(&scaled);
    return status;
}

/* Its blocks have `share` of the work together. */
static base_status open_level(base_context *context, perm_search *s, int64_t blocks, double share) {
    perm_level *level = &s->level[s->depth];
    *level = (perm_level){.blocks = blocks, .share = share / (double)blocks};
    s->left += share;
    level->block = base_alloc_zero(context, blocks, sizeof *level->block);
    if (level->block == NULL)
        return BASE_MACHINE;
    s->depth++;
    return BASE_OK;
}

static void close_level(perm_search *s) {
    perm_level *level = top_of(s);
    perm_worklist_free(&level->worklist);
    for (int64_t b = 0; b < level->blocks; b++)
        perm_matrix_free(&level->block[b]);
    free(level->block);
    s->depth--;
}

/* A matrix in blocks becomes a product of sums. */
static base_status begin_product(base_context *context, perm_search *s, perm_scaled *scaled) {
    base_status status;
    perm_matrix *matrix = &scaled->matrix;
    dm_decomposition dm = {0};
    mm_sparse pattern = perm_matrix_pattern(matrix);
    int64_t *work = base_alloc(context, 3 * matrix->n, sizeof *work);
    if (work == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    perm_matrix_drop(matrix, &dm, work);
    top_of(s)->items++;
    BASE_TRY(open_level(context, s, dm.nblock, scaled->share));
    for (int64_t b = 0; b < dm.nblock; b++)
        BASE_TRY(perm_matrix_cut_block(context, matrix, work, b, work + 2 * matrix->n, &top_of(s)->block[b]));
    BASE_TRY(begin_block(context, s, &scaled->factor));
done:
    dm_free(&dm);
    free(work);
    return status;
}

/* Splits a matrix, or finds that it is a term or a product. */
static base_status work(base_context *context, perm_search *s, perm_scaled *scaled, perm_piece *piece,
                        bool *found) {
    base_status status = BASE_OK;
    const perm_decompose_options *options = &s->options;
    const int most_levels = (MM_PIECE_DEPTH - s->record_depth - 1) / 2 + 1;
    perm_elimination e = {.n = 0};
    if (!perm_rule_is_plain(options->rule) && scaled->blocks == 0) {
        BASE_TRY(perm_scaled_simplify(context, s->options.stop_n, scaled));
        if (scaled->blocks == 0) {
            s->stats.zeros++;
            goto done;
        }
    }
    if (scaled->blocks > 1 && scaled->matrix.n > options->stop_n && s->depth < most_levels) {
        BASE_TRY(begin_product(context, s, scaled));
        goto done;
    }
    BASE_TRY(perm_elimination_init_taking(context, &scaled->matrix, &e));
    for (;;) {
        perm_split next = {.line = -1, .degree = 1};
        if (e.left > options->stop_n)
            next = perm_split_choose(&e, options->rule, scaled->is_turned, options->max_degree);
        if (e.zero || next.degree == 0) {
            s->stats.zeros += !perm_rule_is_plain(options->rule) || e.left <= options->stop_n;
            break;
        }
        if (next.line < 0 || (next.degree <= 2 && !perm_rule_is_plain(options->rule))) {
            BASE_TRY(perm_scaled_take(&e, scaled));
            BASE_TRY(finish(context, s, scaled, piece, found));
            break;
        }
        if (next.degree > 2) {
            BASE_TRY(split(context, s, &e, &next, scaled));
            break;
        }
        if (next.degree == 1)
            perm_eliminate_one(&e, next.line, next.entry[0]);
        else
            BASE_TRY(perm_eliminate_two(&e, next.line, next.entry[0], next.entry[1]));
    }
done:
    perm_elimination_free(&e);
    return status;
}

/* ---- all of it ---- */

base_status perm_search_begin(base_context *context, const perm_matrix *matrix, const perm_value *factor,
                              perm_search *s) {
    base_status status;
    s->field = matrix->field;
    BASE_TRY(open_level(context, s, 1, 1));
    perm_matrix *whole = &top_of(s)->block[0];
    BASE_TRY(perm_matrix_alloc(context, matrix->n, matrix->nnz, matrix->field, whole));
    memcpy(whole->start, matrix->start, (size_t)(matrix->n + 1) * sizeof *whole->start);
    memcpy(whole->index, matrix->index, (size_t)matrix->nnz * sizeof *whole->index);
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_copy(&whole->entry[e], &matrix->entry[e]);
    BASE_TRY(begin_block(context, s, factor));
done:
    return status;
}

void perm_search_end(perm_search *s) {
    while (s->depth > 0)
        close_level(s);
    s->stats = (perm_decompose_stats){.terms = 0};
    s->left = 0;
    s->told = 0;
}

static void tell(base_context *context, perm_search *s) {
    const int64_t done = (int64_t)(PERM_SEARCH_PROGRESS * (1 - s->left));
    if (done <= s->told)
        return;
    base_progress_add(context, done - s->told);
    s->told = done;
}

/* A sum is complete; one without terms is 0, and an empty matrix says so. */
static base_status end_sum(base_context *context, perm_search *s, perm_piece *before, perm_piece *piece,
                           bool *found) {
    base_status status = BASE_OK;
    perm_level *level = top_of(s);
    if (level->items == 0) {
        perm_scaled zero;
        perm_scaled_init(&zero);
        perm_value_set_integer(&zero.factor, 1);
        BASE_TRY(perm_matrix_alloc(context, 1, 0, s->field, &zero.matrix));
        make_piece(s, &zero, piece);
        *found = true;
        goto done;
    }
    if (before != NULL)
        before->step[2 * (s->depth - 1)].count = level->items;
    if (++level->at == level->blocks) {
        close_level(s);
        goto done;
    }
    perm_value one;
    perm_value_init(&one);
    perm_value_set_integer(&one, 1);
    perm_worklist_free(&level->worklist);
    status = begin_block(context, s, &one);
    perm_value_free(&one);
done:
    return status;
}

base_status perm_search_next(base_context *context, perm_search *s, perm_piece *before, perm_piece *piece,
                             bool *found) {
    base_status status = BASE_OK;
    perm_scaled scaled;
    perm_scaled_init(&scaled);
    *found = false;
    while (!*found && s->depth > 0) {
        if (perm_worklist_take(&top_of(s)->worklist, &scaled)) {
            s->left -= scaled.share;
            BASE_TRY(work(context, s, &scaled, piece, found));
        } else {
            BASE_TRY(end_sum(context, s, before, piece, found));
        }
        perm_scaled_free(&scaled);
        tell(context, s);
    }
done:
    perm_scaled_free(&scaled);
    return status;
}
