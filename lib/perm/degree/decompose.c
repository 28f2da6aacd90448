/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/decompose.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"
#include "perm/degree/terms.h"
#include "perm/matrix/record.h"

#include <stdlib.h>
#include <string.h>

struct perm_decomposer {
    const mm_record *record;
    perm_search search;
    perm_value record_factor;
    mm_field factor_field;
    bool waits; /* `term` is found but not given out: its counts of pieces are not known yet */
    perm_piece term;
    int64_t given;
    base_context *told; /* the context whose progress has a task of this one; NULL: none */
};

static void end_progress(perm_decomposer *d) {
    if (d->told != NULL)
        base_progress_finish(d->told);
    d->told = NULL;
}

/* Starts with the whole matrix, which is taken. */
static base_status start(base_context *context, perm_decomposer *d, perm_matrix *matrix, const char *task) {
    base_status status;
    perm_search_end(&d->search);
    end_progress(d);
    base_progress_start(context, task, PERM_SEARCH_PROGRESS, "millionths");
    d->told = context;
    BASE_TRY(perm_search_begin(context, matrix, &d->record_factor, &d->search));
    BASE_TRY(perm_search_next(context, &d->search, NULL, &d->term, &d->waits));
done:
    return status;
}

/* Moves the search on by a term; the one before then knows its counts. */
static base_status advance(base_context *context, perm_decomposer *d, perm_piece *before) {
    *before = d->term;
    perm_piece_init(&d->term);
    return perm_search_next(context, &d->search, before, &d->term, &d->waits);
}

base_status perm_decomposer_count(base_context *context, perm_decomposer *d) {
    base_status status = BASE_OK;
    int64_t most = d->search.options.max_terms;
    while (d->waits && status == BASE_OK) {
        perm_piece before;
        if (most > 0 && d->search.stats.terms > most)
            return base_fail(
                context, BASE_FAILED,
                "more than %lld terms; raise --max-terms, or compute the matrix without decomposing it",
                (long long)most);
        status = advance(context, d, &before);
        perm_piece_free(&before);
    }
    return status;
}

const perm_decompose_stats *perm_decomposer_stats(const perm_decomposer *decomposer) {
    return &decomposer->search.stats;
}

static base_status describe(base_context *context, const perm_decomposer *d, const perm_piece *piece,
                            bool rounded, mm_record *term) {
    base_status status = BASE_OK;
    const char *comments = d->record->comments;
    char before[32] = "0";
    if (d->given == 0 && comments != NULL) {
        term->comments = base_copy_text(context, comments, (int64_t)strlen(comments));
        if (term->comments == NULL)
            BASE_TRY(BASE_MACHINE);
        mm_origin_remove(term);
    }
    for (int k = 0; k < piece->depth; k++)
        BASE_TRY(mm_piece_set(context, term, k == 0 ? d->record : term, piece->step[k]));
    if (piece->scaled.matrix.field == MM_REAL && term->field == MM_INTEGER)
        BASE_TRY(mm_metadata_set(context, term, "scaled", "real"));
    else
        mm_metadata_remove(term, "scaled");
    if (rounded) {
        mm_metadata_get(d->record, "rounded", before, sizeof before);
        BASE_TRY(mm_metadata_set(context, term, "rounded", "%lld", strtoll(before, NULL, 10) + 1));
    }
done:
    return status;
}

base_status perm_decomposer_next(base_context *context, perm_decomposer *d, mm_record *term, bool *found) {
    base_status status = BASE_OK;
    const perm_term_options options = {d->search.options.round};
    perm_piece piece;
    bool rounded;
    mm_record_free(term);
    *found = d->waits;
    if (!*found)
        return BASE_OK;
    BASE_TRY(advance(context, d, &piece));
    perm_scaled *scaled = &piece.scaled;
    BASE_TRY(perm_matrix_to_record(context, &scaled->matrix, options, term, &scaled->factor, &rounded));
    BASE_TRY(describe(context, d, &piece, rounded, term));
    BASE_TRY(perm_value_set_factor(context, term, &scaled->factor, d->factor_field));
    d->given++;
done:
    perm_piece_free(&piece);
    return status;
}

static base_status load(base_context *context, perm_decomposer *d, perm_matrix *matrix) {
    base_status status;
    mm_sparse sparse = {0};
    mm_field field;
    mm_piece piece;
    bool found;
    BASE_TRY(mm_piece_get(context, d->record, &piece));
    d->search.record_depth = piece.depth;
    BASE_TRY(mm_sparse_from_record(context, d->record, (mm_sparse_options){.orientation = MM_BY_COLUMNS},
                                   &sparse));
    BASE_TRY(perm_matrix_from_sparse(context, &sparse, matrix));
    matrix->field = mm_piece_field(d->record);
    perm_value_set_integer(&d->record_factor, 1);
    d->factor_field = mm_piece_field(d->record);
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
    perm_matrix matrix = {0}, counted = {0};
    *decomposer = NULL;
    perm_decomposer *d = base_alloc_zero(context, 1, sizeof *d);
    if (d == NULL)
        return BASE_MACHINE;
    d->record = record;
    d->search.options = options;
    d->search.options.max_degree = options.max_degree < 2 ? 2 : options.max_degree;
    if (perm_rule_is_plain(options.rule))
        d->search.options.most_waiting = 0;
    perm_value_init(&d->record_factor);
    perm_piece_init(&d->term);
    BASE_TRY(load(context, d, &matrix));
    /* Rounded, the large integers of a merged row would leave its terms bounds of little use. */
    if (matrix.field == MM_COMPLEX || options.round)
        d->search.options.most_waiting = 0;
    if (options.max_terms > 0) {
        BASE_TRY(perm_matrix_copy(context, &matrix, &counted));
        BASE_TRY(start(context, d, &counted, "count"));
        BASE_TRY(perm_decomposer_count(context, d));
    }
    BASE_TRY(start(context, d, &matrix, "decompose"));
    *decomposer = d;
    d = NULL;
done:
    perm_matrix_free(&matrix);
    perm_matrix_free(&counted);
    perm_decomposer_close(d);
    return status;
}

void perm_decomposer_close(perm_decomposer *d) {
    if (d == NULL)
        return;
    end_progress(d);
    perm_search_end(&d->search);
    perm_piece_free(&d->term);
    perm_value_free(&d->record_factor);
    free(d);
}
