#include "perm/degree/terms.h"
#include "base/core/memory.h"
#include "perm/degree/breadth.h"
#include "perm/degree/simplify.h"
#include "perm/degree/split.h"
#include <stdlib.h>
#include <string.h>

void perm_piece_init(perm_piece *piece) {
    piece->depth = 0;
    perm_weighted_init(&piece->weighted);
}

void perm_piece_free(perm_piece *piece) {
    perm_weighted_free(&piece->weighted);
}

static perm_level *top_of(perm_search *s) {
    return &s->level[s->depth - 1];
}

/* ---- splits ---- */

/* A matrix joins those that wait, unless it has no perfect matching. */
static base_status put(base_context *context, perm_search *s, perm_weighted *weighted) {
    base_status status = BASE_OK;
    if (!perm_rule_is_plain(s->options.rule)) {
        BASE_TRY(perm_weighted_settle(context, s->options.stop_n, weighted));
        if (weighted->blocks == 0) {
            s->stats.zeros++;
            goto done;
        }
        if (s->options.most_waiting > 0)
            BASE_TRY(perm_weighted_normalise(context, weighted));
    }
    perm_gather *gather = &top_of(s)->gather;
    int64_t merged = gather->merged;
    BASE_TRY(perm_gather_put(context, gather, weighted));
    s->stats.merged += gather->merged - merged;
done:
    return status;
}

/* Both matrices of a split go to those that wait. */
static base_status split(base_context *context, perm_search *s, perm_elimination *e, const perm_split *split,
                         perm_weighted *whole) {
    base_status status;
    perm_weighted second;
    perm_weighted_init(&second);
    perm_weighted_collect(e, whole);
    BASE_TRY(perm_split_second(context, s->options.rule, e, split, whole, &second));
    BASE_TRY(put(context, s, &second));
    whole->is_turned = split->other_side;
    whole->blocks = 0;
    BASE_TRY(perm_eliminate_two(e, split->line, split->entry[0], split->entry[1]));
    BASE_TRY(perm_weighted_take(e, whole));
    BASE_TRY(put(context, s, whole));
done:
    perm_weighted_free(&second);
    return status;
}

/* ---- sums and products ---- */

static void make_piece(perm_search *s, perm_weighted *weighted, perm_piece *piece) {
    top_of(s)->items++;
    piece->depth = 0;
    for (int k = 0; k < s->depth; k++) {
        const perm_level *level = &s->level[k];
        if (k > 0)
            piece->step[piece->depth++] = (mm_piece_step){MM_BLOCK, level->at + 1, level->blocks};
        piece->step[piece->depth++] = (mm_piece_step){MM_TERM, level->items, 0};
    }
    perm_weighted_move(&piece->weighted, weighted);
}

static base_status finish(base_context *context, perm_search *s, perm_weighted *weighted, perm_piece *piece,
                          bool *found) {
    base_status status = BASE_OK;
    dm_decomposition dm = {0};
    if (perm_rule_is_plain(s->options.rule)) {
        mm_sparse pattern = perm_matrix_pattern(&weighted->matrix);
        BASE_TRY(dm_decompose(context, &pattern, &dm));
        if (!dm_is_full_rank(&dm)) {
            s->stats.zeros++;
            goto done;
        }
    }
    s->stats.terms++;
    s->stats.n += (double)weighted->matrix.n;
    s->stats.nnz += (double)weighted->matrix.nnz;
    make_piece(s, weighted, piece);
    *found = true;
done:
    dm_free(&dm);
    return status;
}

/* What is done before the first split; `blocks` stays 0 where there is no perfect matching. */
static base_status prepare(base_context *context, const perm_search *s, perm_weighted *weighted) {
    base_status status = BASE_OK;
    int64_t dropped;
    switch (s->options.rule) {
    case PERM_RULE_PLAIN: weighted->blocks = 1; break;
    case PERM_RULE_SUPERMAN:
        BASE_TRY(perm_weighted_drop(context, weighted, &dropped));
        if (weighted->blocks == 1)
            BASE_TRY(perm_matrix_order_breadth_first(context, &weighted->matrix));
        break;
    default: BASE_TRY(perm_weighted_settle(context, s->options.stop_n, weighted)); break;
    }
done:
    return status;
}

static base_status begin_block(base_context *context, perm_search *s, const perm_value *factor) {
    base_status status;
    perm_level *level = top_of(s);
    perm_weighted weighted;
    perm_weighted_init(&weighted);
    perm_value_copy(&weighted.factor, factor);
    weighted.matrix = level->block[level->at];
    level->block[level->at] = (perm_matrix){0};
    level->items = 0;
    weighted.is_turned = true; /* the lines are columns, and rows come first */
    BASE_TRY(perm_gather_init(context, weighted.matrix.n, s->options.most_waiting, &level->gather));
    BASE_TRY(prepare(context, s, &weighted));
    if (weighted.blocks == 0) {
        s->stats.zeros++;
        goto done;
    }
    BASE_TRY(perm_gather_put(context, &level->gather, &weighted));
done:
    perm_weighted_free(&weighted);
    return status;
}

static base_status open_level(base_context *context, perm_search *s, int64_t blocks) {
    perm_level *level = &s->level[s->depth];
    *level = (perm_level){.blocks = blocks};
    level->block = base_alloc_zero(context, blocks, sizeof *level->block);
    if (!level->block)
        return BASE_MACHINE;
    s->depth++;
    return BASE_OK;
}

static void close_level(perm_search *s) {
    perm_level *level = top_of(s);
    perm_gather_free(&level->gather);
    for (int64_t b = 0; b < level->blocks; b++)
        perm_matrix_free(&level->block[b]);
    free(level->block);
    s->depth--;
}

/* Moves the entries of the lines with[line] == b into a matrix of their own. */
static base_status cut_block(base_context *context, perm_matrix *matrix, const int64_t *line_block, int64_t b,
                             int64_t *place, perm_matrix *block) {
    base_status status = BASE_OK;
    const int64_t *cross_block = line_block + matrix->n;
    int64_t n = 0, nnz = 0, at = 0, count = 0;
    for (int64_t i = 0; i < matrix->n; i++) {
        place[i] = n;
        n += cross_block[i] == b;
        nnz += line_block[i] == b ? matrix->start[i + 1] - matrix->start[i] : 0;
    }
    BASE_TRY(perm_matrix_alloc(context, n, nnz, matrix->field, block));
    for (int64_t i = 0; i < matrix->n; i++) {
        if (line_block[i] != b)
            continue;
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++, count++) {
            block->index[count] = place[matrix->index[e]];
            perm_value_move(&block->entry[count], &matrix->entry[e]);
        }
        block->start[++at] = count;
    }
done:
    return status;
}

/* A matrix in blocks becomes a product of sums. */
static base_status begin_product(base_context *context, perm_search *s, perm_weighted *weighted) {
    base_status status;
    perm_matrix *matrix = &weighted->matrix;
    dm_decomposition dm = {0};
    mm_sparse pattern = perm_matrix_pattern(matrix);
    int64_t *work = base_alloc(context, 3 * matrix->n, sizeof *work);
    if (!work) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    perm_matrix_drop(matrix, &dm, work);
    top_of(s)->items++;
    BASE_TRY(open_level(context, s, dm.nblock));
    for (int64_t b = 0; b < dm.nblock; b++)
        BASE_TRY(cut_block(context, matrix, work, b, work + 2 * matrix->n, &top_of(s)->block[b]));
    BASE_TRY(begin_block(context, s, &weighted->factor));
done:
    dm_free(&dm);
    free(work);
    return status;
}

/* Splits a matrix, or finds that it is a term or a product. */
static base_status work(base_context *context, perm_search *s, perm_weighted *weighted, perm_piece *piece,
                        bool *found) {
    base_status status = BASE_OK;
    const perm_decompose_options *options = &s->options;
    const int most_levels = (MM_PIECE_DEPTH - s->record_depth - 1) / 2 + 1;
    perm_elimination e = {.n = 0};
    if (!perm_rule_is_plain(options->rule) && weighted->blocks == 0) {
        BASE_TRY(perm_weighted_settle(context, s->options.stop_n, weighted));
        if (weighted->blocks == 0) {
            s->stats.zeros++;
            goto done;
        }
    }
    if (weighted->blocks > 1 && weighted->matrix.n > options->stop_n && s->depth < most_levels) {
        BASE_TRY(begin_product(context, s, weighted));
        goto done;
    }
    BASE_TRY(perm_elimination_init_taking(context, &weighted->matrix, &e));
    for (;;) {
        perm_split next = {.line = -1, .degree = 1};
        if (e.left > options->stop_n)
            next = perm_split_choose(&e, options->rule, weighted->is_turned, options->max_degree);
        if (e.zero || next.degree == 0) {
            s->stats.zeros += !perm_rule_is_plain(options->rule) || e.left <= options->stop_n;
            break;
        }
        if (next.line < 0 || (next.degree <= 2 && !perm_rule_is_plain(options->rule))) {
            BASE_TRY(perm_weighted_take(&e, weighted));
            BASE_TRY(finish(context, s, weighted, piece, found));
            break;
        }
        if (next.degree > 2) {
            BASE_TRY(split(context, s, &e, &next, weighted));
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
    BASE_TRY(open_level(context, s, 1));
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
}

/* A sum is complete; one without terms is 0, and an empty matrix says so. */
static base_status end_sum(base_context *context, perm_search *s, perm_piece *before, perm_piece *piece,
                           bool *found) {
    base_status status = BASE_OK;
    perm_level *level = top_of(s);
    if (level->items == 0) {
        perm_weighted zero;
        perm_weighted_init(&zero);
        perm_value_set_integer(&zero.factor, 1);
        BASE_TRY(perm_matrix_alloc(context, 1, 0, s->field, &zero.matrix));
        make_piece(s, &zero, piece);
        *found = true;
        goto done;
    }
    if (before)
        before->step[2 * (s->depth - 1)].count = level->items;
    if (++level->at == level->blocks) {
        close_level(s);
        goto done;
    }
    perm_value one;
    perm_value_init(&one);
    perm_value_set_integer(&one, 1);
    perm_gather_free(&level->gather);
    status = begin_block(context, s, &one);
    perm_value_free(&one);
done:
    return status;
}

base_status perm_search_next(base_context *context, perm_search *s, perm_piece *before, perm_piece *piece,
                             bool *found) {
    base_status status = BASE_OK;
    perm_weighted weighted;
    perm_weighted_init(&weighted);
    *found = false;
    while (!*found && s->depth > 0) {
        if (perm_gather_take(&top_of(s)->gather, &weighted))
            BASE_TRY(work(context, s, &weighted, piece, found));
        else
            BASE_TRY(end_sum(context, s, before, piece, found));
        perm_weighted_free(&weighted);
    }
done:
    perm_weighted_free(&weighted);
    return status;
}
