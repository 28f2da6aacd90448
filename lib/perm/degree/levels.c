/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/levels.h"
#include "base/core/memory.h"
#include "perm/degree/breadth.h"
#include "perm/degree/simplify.h"

#include <stdlib.h>
#include <string.h>

perm_level *perm_search_top(perm_search *s) {
    return &s->level[s->depth - 1];
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

base_status perm_search_begin_block(base_context *context, perm_search *s, const perm_value *factor) {
    base_status status;
    perm_level *level = perm_search_top(s);
    perm_scaled scaled;
    perm_scaled_init(&scaled);
    perm_value_copy(&scaled.factor, factor);
    scaled.matrix = level->block[level->at];
    level->block[level->at] = (perm_matrix){0};
    level->items = 0;
    scaled.share = level->share;
    s->left -= scaled.share;
    scaled.is_turned = true; /* the record is held by columns, and its own rows come first */
    /* One that is small enough is not split: there is no other that it could be merged with. */
    const int64_t most_waiting = scaled.matrix.n > s->options.stop_n ? s->options.most_waiting : 0;
    BASE_TRY(perm_worklist_init(context, scaled.matrix.n, most_waiting, &level->worklist));
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

void perm_search_close_level(perm_search *s) {
    perm_level *level = perm_search_top(s);
    perm_worklist_free(&level->worklist);
    for (int64_t b = 0; b < level->blocks; b++)
        perm_matrix_free(&level->block[b]);
    free(level->block);
    s->depth--;
}

base_status perm_search_begin_product(base_context *context, perm_search *s, perm_scaled *scaled) {
    base_status status;
    perm_matrix *matrix = &scaled->matrix;
    dm_decomposition dm = {0};
    mm_sparse pattern = perm_matrix_pattern(matrix);
    int64_t *work = base_alloc(context, 3 * matrix->n, sizeof *work);
    if (work == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    perm_matrix_drop(matrix, &dm, work);
    perm_search_top(s)->items++;
    BASE_TRY(open_level(context, s, dm.nblock, scaled->share));
    for (int64_t b = 0; b < dm.nblock; b++)
        BASE_TRY(perm_matrix_cut_block(context, matrix, work, b, work + 2 * matrix->n,
                                       &perm_search_top(s)->block[b]));
    BASE_TRY(perm_search_begin_block(context, s, &scaled->factor));
done:
    dm_free(&dm);
    free(work);
    return status;
}

base_status perm_search_begin(base_context *context, perm_matrix *matrix, const perm_value *factor,
                              perm_search *s) {
    base_status status;
    s->field = matrix->field;
    BASE_TRY(open_level(context, s, 1, 1));
    perm_search_top(s)->block[0] = *matrix;
    *matrix = (perm_matrix){0};
    BASE_TRY(perm_search_begin_block(context, s, factor));
done:
    return status;
}

void perm_search_end(perm_search *s) {
    while (s->depth > 0)
        perm_search_close_level(s);
    s->stats = (perm_decompose_stats){.terms = 0};
    s->left = 0;
    s->told = 0;
}
