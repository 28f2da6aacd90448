/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/fold.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/piece.h"
#include "perm/report/fold_tree.h"

#include <stdlib.h>
#include <string.h>

void perm_fold_init(perm_fold *fold) {
    *fold = (perm_fold){.open = NULL};
    perm_result_init(&fold->result);
}

void perm_fold_free(perm_fold *fold) {
    if (fold == NULL)
        return;
    perm_result_free(&fold->result);
    perm_fold_tree_free(fold->open);
    free(fold->name);
    perm_fold_init(fold);
}

base_status perm_fold_check(base_context *context, perm_fold *fold, const mm_record *record) {
    base_status status = BASE_OK;
    char *name = NULL, missing[80];
    mm_piece piece;
    if (fold->open == NULL)
        goto done;
    if (record != NULL) {
        BASE_TRY(mm_piece_get(context, record, &piece));
        BASE_TRY(mm_record_name(context, record, &name));
        if (piece.depth > 0 && strcmp(name, fold->name) == 0)
            goto done;
    }
    perm_fold_tree_missing(fold->open, missing, sizeof missing);
    status = base_fail(context, BASE_FAILED, "%s: %s", fold->name, missing);
    perm_fold_free(fold);
done:
    free(name);
    return status;
}

/* Multiplies by `% perm.factor`. */
static base_status take_factor(base_context *context, const mm_record *record, perm_fold_part *part) {
    base_status status = BASE_OK;
    perm_value factor;
    mm_field field;
    bool found;
    perm_value_init(&factor);
    BASE_TRY(perm_value_get_factor(context, record, &factor, &field, &found));
    if (!found)
        goto done;
    part->field = field > part->field ? field : part->field;
    perm_value_multiply(&part->value, &factor);
done:
    perm_value_free(&factor);
    return status;
}

static void add_work(perm_result *to, const perm_result *from) {
    to->blocks += from->blocks;
    to->states += from->states;
    to->transitions += from->transitions;
    to->subsets += from->subsets;
    to->bytes = from->bytes > to->bytes ? from->bytes : to->bytes;
    if (from->cost > to->cost || strcmp(from->method, "structure") == 0) {
        memcpy(to->method, from->method, sizeof to->method);
        to->cost = from->cost;
    }
}

static base_status solve_piece(base_context *context, perm_fold *fold, const mm_record *record,
                               const perm_options *options, perm_fold_part *part) {
    base_status status = BASE_OK;
    perm_result result;
    perm_result_init(&result);
    BASE_TRY(perm_solve_record(context, record, options, &result));
    part->n = result.n;
    part->nnz = result.nnz;
    part->field = mm_piece_field(record);
    fold->digits = result.digits;
    perm_value_move(&part->value, &result.value);
    BASE_TRY(take_factor(context, record, part));
    add_work(&fold->result, &result);
    fold->pieces++;
done:
    perm_result_free(&result);
    return status;
}

static base_status read_piece(base_context *context, const mm_record *record, mm_piece *piece, char **name) {
    base_status status;
    BASE_TRY(mm_piece_get(context, record, piece));
    BASE_TRY(mm_record_name(context, record, name));
    if (mm_metadata_get(record, "dm.of", NULL, 0))
        status = base_fail(context, BASE_FAILED,
                           "a coarse part of %s: its permanent says nothing of the matrix", *name);
done:
    return status;
}

base_status perm_fold_take(base_context *context, perm_fold *fold, const mm_record *record,
                           const perm_options *options, bool *complete) {
    base_status status = BASE_OK;
    char *name = NULL;
    mm_piece piece;
    perm_fold_part part = {.n = 0};
    perm_value_init(&part.value);
    *complete = false;
    BASE_TRY(read_piece(context, record, &piece, &name));
    if (piece.depth > 0 && (options->row_list != NULL || options->column_list != NULL))
        BASE_TRY(
            base_fail(context, BASE_FAILED, "a piece of %s: multiplicities are for whole matrices", name));
    if (fold->open == NULL) {
        perm_fold_free(fold);
        fold->name = base_copy_text(context, name, (int64_t)strlen(name));
        if (fold->name == NULL)
            BASE_TRY(BASE_MACHINE);
    }
    BASE_TRY(perm_fold_tree_check(context, fold->open, &piece, name));
    BASE_TRY(solve_piece(context, fold, record, options, &part));
    if (piece.depth == 0)
        *complete = true;
    else
        BASE_TRY(perm_fold_tree_add(context, &fold->open, &piece, &part, complete));
    if (*complete) {
        perm_value_move(&fold->result.value, &part.value);
        fold->n = part.n;
        fold->nnz = part.nnz;
        fold->field = part.field;
    }
done:
    perm_value_free(&part.value);
    free(name);
    return status;
}
