#include "perm/decompose.h"
#include "base/memory.h"
#include "dm/dm.h"
#include "mm/metadata.h"
#include "mm/origin.h"
#include "mm/piece.h"
#include "perm/split.h"
#include "perm/term.h"
#include <stdlib.h>
#include <string.h>

/* The second matrix of a split that is not worked on yet: the one before the split, and the two entries to
 * take out of it. Lines and crossing lines are counted from 0. */
typedef struct frame {
    perm_matrix matrix;
    perm_value factor;
    bool crossing; /* the line that is split is a crossing line */
    int64_t line, without[2];
} frame;

struct perm_decomposer {
    const mm_record *record;
    perm_decompose_options options;
    perm_matrix matrix;
    perm_value record_factor;
    mm_field factor_field;

    frame *stack;
    int64_t depth, capacity;
    bool running;       /* `e` holds a matrix to go on with */
    perm_elimination e; /* its permanent times `factor` counts */
    perm_value factor;
    bool crossing_first;

    bool ready; /* a term waits until it is known whether there is another one */
    perm_matrix term;
    perm_value term_factor;
    perm_decompose_stats stats;
};

static void free_term(perm_decomposer *d) {
    perm_matrix_free(&d->term);
    perm_value_free(&d->term_factor);
    d->ready = false;
}

static void free_current(perm_decomposer *d) {
    if (d->running)
        perm_elimination_free(&d->e);
    perm_value_free(&d->factor);
    d->running = false;
}

static void free_frame(frame *frame) {
    perm_matrix_free(&frame->matrix);
    perm_value_free(&frame->factor);
}

/* Moves what the elimination has found to the factor. */
static void collect_factor(perm_decomposer *d) {
    perm_value found;
    perm_value_init(&found);
    perm_product_finish(&d->e.factor, &found);
    perm_value_multiply(&d->factor, &found);
    perm_value_free(&found);
}

/* The place of a line among those of its side that are left. */
static int64_t place_of(const perm_elimination *e, int64_t at) {
    int64_t place = 0;
    for (int64_t i = at < e->n ? 0 : e->n; i < at; i++)
        place += !e->lines[i].gone;
    return place;
}

/* ---- the search ---- */

static base_status start(base_context *context, perm_decomposer *d) {
    perm_value_copy(&d->factor, &d->record_factor);
    d->crossing_first = true; /* the lines are columns */
    d->running = true;
    return perm_elimination_init(context, &d->matrix, &d->e);
}

/* Puts the second matrix of the split aside and goes on with the first. */
static base_status split(base_context *context, perm_decomposer *d, const perm_split *split) {
    base_status status;
    perm_elimination *e = &d->e;
    BASE_TRY(base_reserve(context, &d->stack, &d->capacity, d->depth + 1, sizeof *d->stack));
    frame *aside = &d->stack[d->depth];
    *aside = (frame){.crossing = split->other_side, .line = place_of(e, split->line)};
    perm_value_init(&aside->factor);
    d->depth++;
    for (int k = 0; k < 2; k++)
        aside->without[k] = place_of(e, perm_elimination_crossing(e, split->entry[k], split->line));
    collect_factor(d);
    perm_value_copy(&aside->factor, &d->factor);
    BASE_TRY(perm_elimination_rest(e, d->matrix.field, &aside->matrix));
    d->crossing_first = split->other_side;
    BASE_TRY(perm_eliminate_two(e, split->line, split->entry[0], split->entry[1]));
done:
    return status;
}

/* Goes on with the second matrix of the latest split; its line has one or two entries mostly. */
static base_status resume(base_context *context, perm_decomposer *d) {
    base_status status;
    perm_elimination *e = &d->e;
    frame aside = d->stack[--d->depth];
    d->running = true;
    d->crossing_first = aside.crossing;
    perm_value_move(&d->factor, &aside.factor);
    BASE_TRY(perm_elimination_init(context, &aside.matrix, e));
    int64_t at = aside.line + (aside.crossing ? e->n : 0), other = aside.crossing ? 0 : e->n;
    const perm_line *line = &e->lines[at];
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < line->count; i++)
            if (perm_elimination_crossing(e, line->entry[i], at) == other + aside.without[k]) {
                perm_elimination_drop(e, line->entry[i]);
                break;
            }
    if (line->count == 1)
        perm_eliminate_one(e, at, line->entry[0]);
    else if (line->count == 2)
        BASE_TRY(perm_eliminate_two(e, at, line->entry[0], line->entry[1]));
done:
    free_frame(&aside);
    return status;
}

/* The matrix as it is now becomes a term, unless it has no perfect matching. */
static base_status finish(base_context *context, perm_decomposer *d) {
    base_status status;
    dm_decomposition dm = {0};
    collect_factor(d);
    BASE_TRY(perm_elimination_rest(&d->e, d->matrix.field, &d->term));
    mm_sparse pattern = perm_matrix_pattern(&d->term);
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    d->ready = dm_is_full_rank(&dm);
    perm_value_move(&d->term_factor, &d->factor);
done:
    dm_free(&dm);
    return status;
}

/* Eliminates and splits until the current matrix is a term or has the permanent 0. */
static base_status work(base_context *context, perm_decomposer *d) {
    base_status status = BASE_OK;
    perm_elimination *e = &d->e;
    const perm_decompose_options *options = &d->options;
    for (;;) {
        if (options->rule == PERM_RULE_FILL)
            BASE_TRY(perm_elimination_run(e, options->stop_n));
        if (e->zero)
            break;
        perm_split next = {.line = -1, .degree = 1};
        if (e->left > options->stop_n)
            next = perm_split_choose(e, options->rule, d->crossing_first, options->max_degree);
        if (next.degree == 0)
            break;
        if (next.line < 0 || (next.degree <= 2 && options->rule == PERM_RULE_FILL)) {
            BASE_TRY(finish(context, d));
            break;
        }
        if (next.degree == 1)
            perm_eliminate_one(e, next.line, next.entry[0]);
        else if (next.degree == 2)
            BASE_TRY(perm_eliminate_two(e, next.line, next.entry[0], next.entry[1]));
        else
            BASE_TRY(split(context, d, &next));
    }
done:
    free_current(d);
    d->stats.zeros += status == BASE_OK && !d->ready;
    if (!d->ready)
        free_term(d);
    return status;
}

/* Finds the next term; d->ready stays false after the last. */
static base_status advance(base_context *context, perm_decomposer *d) {
    base_status status = BASE_OK;
    free_term(d);
    while (!d->ready) {
        if (!d->running && d->depth == 0)
            break;
        if (!d->running)
            BASE_TRY(resume(context, d));
        BASE_TRY(work(context, d));
    }
    if (d->ready) {
        d->stats.terms++;
        d->stats.n += (double)d->term.n;
        d->stats.nnz += (double)d->term.nnz;
    }
done:
    return status;
}

base_status perm_decomposer_count(base_context *context, perm_decomposer *d) {
    base_status status = BASE_OK;
    int64_t most = d->options.max_terms;
    while (d->ready) {
        if (most > 0 && d->stats.terms > most)
            BASE_TRY(base_fail(context, BASE_FAILED, "more than %lld terms", (long long)most));
        BASE_TRY(advance(context, d));
    }
done:
    return status;
}

const perm_decompose_stats *perm_decomposer_stats(const perm_decomposer *decomposer) {
    return &decomposer->stats;
}

/* ---- records ---- */

static base_status describe(base_context *context, const perm_decomposer *d, int64_t number, int64_t count,
                            bool rounded, mm_record *term) {
    base_status status;
    const char *comments = d->record->comments;
    char before[32] = "0";
    if (number == 1 && comments) {
        term->comments = base_copy_text(context, comments, (int64_t)strlen(comments));
        if (!term->comments) {
            status = BASE_MACHINE;
            goto done;
        }
        mm_origin_remove(term);
    }
    BASE_TRY(mm_piece_set(context, term, d->record, (mm_piece_step){MM_TERM, number, count}));
    if (rounded) {
        mm_metadata_get(d->record, "rounded", before, sizeof before);
        BASE_TRY(mm_metadata_set(context, term, "rounded", "%lld", strtoll(before, NULL, 10) + 1));
    }
done:
    return status;
}

/* What stands for a sum without terms. */
static base_status make_zero(base_context *context, const perm_decomposer *d, mm_record *term) {
    base_status status;
    mm_record_free(term);
    term->field = d->record->field;
    term->nrow = term->ncol = 1;
    BASE_TRY(mm_record_alloc(context, term));
    BASE_TRY(describe(context, d, 1, 1, false, term));
    mm_metadata_remove(term, "perm.factor");
done:
    return status;
}

base_status perm_decomposer_next(base_context *context, perm_decomposer *d, mm_record *term, bool *found) {
    base_status status = BASE_OK;
    int64_t number = d->stats.terms;
    bool rounded;
    mm_record_free(term);
    *found = d->ready || number == 0;
    if (!*found)
        goto done;
    if (!d->ready) {
        d->stats.terms = 1;
        BASE_TRY(make_zero(context, d, term));
        goto done;
    }
    perm_value factor;
    perm_value_init(&factor);
    perm_value_move(&factor, &d->term_factor);
    status = perm_matrix_to_record(context, &d->term, (perm_term_options){d->options.round}, term, &factor,
                                   &rounded);
    if (status == BASE_OK)
        status = advance(context, d);
    if (status == BASE_OK)
        status = describe(context, d, number, d->ready ? 0 : number, rounded, term);
    if (status == BASE_OK)
        status = perm_value_set_factor(context, term, &factor, d->factor_field);
    perm_value_free(&factor);
done:
    return status;
}

static base_status load(base_context *context, perm_decomposer *d) {
    base_status status;
    mm_sparse sparse = {0};
    mm_field field;
    bool found;
    BASE_TRY(mm_sparse_from_record(context, d->record, (mm_sparse_options){.orientation = MM_BY_COLUMNS},
                                   &sparse));
    BASE_TRY(perm_matrix_from_sparse(context, &sparse, &d->matrix));
    perm_value_set_integer(&d->record_factor, 1);
    d->factor_field = d->record->field;
    BASE_TRY(perm_value_get_factor(context, d->record, &d->record_factor, &field, &found));
    if (found && field > d->factor_field)
        d->factor_field = field;
done:
    mm_sparse_free(&sparse);
    return status;
}

base_status perm_decomposer_open(base_context *context, const mm_record *record,
                                 perm_decompose_options options, perm_decomposer **decomposer) {
    base_status status;
    *decomposer = NULL;
    perm_decomposer *d = base_alloc_zero(context, 1, sizeof *d);
    if (!d)
        return BASE_MACHINE;
    d->record = record;
    d->options = options;
    d->options.max_degree = options.max_degree < 2 ? 2 : options.max_degree;
    perm_value_init(&d->record_factor);
    perm_value_init(&d->factor);
    perm_value_init(&d->term_factor);
    BASE_TRY(load(context, d));
    BASE_TRY(start(context, d));
    BASE_TRY(advance(context, d));
    if (options.max_terms > 0) {
        BASE_TRY(perm_decomposer_count(context, d));
        d->stats = (perm_decompose_stats){.terms = 0};
        BASE_TRY(start(context, d));
        BASE_TRY(advance(context, d));
    }
    *decomposer = d;
    d = NULL;
done:
    perm_decomposer_close(d);
    return status;
}

void perm_decomposer_close(perm_decomposer *d) {
    if (!d)
        return;
    free_current(d);
    free_term(d);
    while (d->depth > 0)
        free_frame(&d->stack[--d->depth]);
    free(d->stack);
    perm_value_free(&d->record_factor);
    perm_matrix_free(&d->matrix);
    free(d);
}
