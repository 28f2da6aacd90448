/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/terms.h"
#include "base/run/progress.h"
#include "perm/degree/simplify.h"
#include "perm/degree/split.h"

void perm_piece_init(perm_piece *piece) {
    piece->depth = 0;
    perm_scaled_init(&piece->scaled);
}

void perm_piece_free(perm_piece *piece) {
    perm_scaled_free(&piece->scaled);
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
    perm_worklist *worklist = &perm_search_top(s)->worklist;
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
    perm_search_top(s)->items++;
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

/* Whether nothing is done to a matrix as small as was asked for, whose rows are in order. Elimination would
 * give back the same. */
static bool is_left_alone(const perm_decompose_options *options, const perm_matrix *matrix) {
    if (matrix->n > options->stop_n)
        return false;
    for (int64_t i = 0; i < matrix->n; i++)
        for (int64_t e = matrix->start[i] + 1; e < matrix->start[i + 1]; e++)
            if (matrix->index[e - 1] > matrix->index[e])
                return false;
    return true;
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
        BASE_TRY(perm_search_begin_product(context, s, scaled));
        goto done;
    }
    if (is_left_alone(options, &scaled->matrix)) {
        BASE_TRY(finish(context, s, scaled, piece, found));
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
    perm_level *level = perm_search_top(s);
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
        perm_search_close_level(s);
        goto done;
    }
    perm_value one;
    perm_value_init(&one);
    perm_value_set_integer(&one, 1);
    perm_worklist_free(&level->worklist);
    status = perm_search_begin_block(context, s, &one);
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
        if (perm_worklist_take(&perm_search_top(s)->worklist, &scaled)) {
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
