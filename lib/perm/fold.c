#include "perm/fold.h"
#include "base/memory.h"
#include "mm/metadata.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void perm_fold_init(perm_fold *fold) {
    *fold = (perm_fold){.count = 0};
    perm_result_init(&fold->result);
}

void perm_fold_free(perm_fold *fold) {
    if (!fold)
        return;
    perm_result_free(&fold->result);
    free(fold->here);
    perm_fold_init(fold);
}

/* The name and number of a block; a whole matrix is block 1 of 1 under its own name. */
static base_status read_place(base_context *context, const mm_record *record, char *name, size_t size,
                              int64_t *block, int64_t *count) {
    char text[64];
    long long k, all;
    int end = 0;
    *block = *count = 1;
    if (!mm_metadata_get(record, "dm.of", name, size)) {
        mm_record_name(context, record, name, size);
        return BASE_OK;
    }
    if (!mm_metadata_get(record, "dm.block", text, sizeof text) ||
        sscanf(text, "%lld/%lld%n", &k, &all, &end) != 2 || text[end] || k < 1 || k > all)
        return base_fail(context, BASE_FAILED, "a block of %s without '%% dm.block: k/K'", name);
    *block = k;
    *count = all;
    return BASE_OK;
}

base_status perm_fold_check(base_context *context, perm_fold *fold, const mm_record *record) {
    char name[sizeof fold->name];
    int64_t block, count;
    if (fold->count == 0 || fold->seen == fold->count)
        return BASE_OK;
    if (record) {
        base_status status = read_place(context, record, name, sizeof name, &block, &count);
        if (status != BASE_OK || (strcmp(name, fold->name) == 0 && count == fold->count))
            return status;
    }
    base_fail(context, BASE_FAILED, "%s: %lld of its %lld blocks came", fold->name, (long long)fold->seen,
              (long long)fold->count);
    perm_fold_free(fold);
    return BASE_FAILED;
}

static mm_field larger(mm_field a, mm_field b) {
    return a > b ? a : b;
}

/* Multiplies by `% perm.factor`. */
static base_status take_factor(base_context *context, perm_fold *fold, const mm_record *record) {
    base_status status = BASE_OK;
    size_t length;
    const char *found = mm_metadata_find(record, "perm.factor", &length);
    perm_value factor;
    mm_field field;
    if (!found)
        return BASE_OK;
    perm_value_init(&factor);
    char *text = base_copy_text(context, found, (int64_t)length);
    if (!text) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(perm_value_parse(context, text, &factor, &field));
    fold->field = larger(fold->field, field);
    perm_value_multiply(&fold->result.value, &factor);
done:
    free(text);
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

static base_status take_block(base_context *context, perm_fold *fold, const mm_record *record,
                              const perm_options *options) {
    base_status status = BASE_OK;
    char singular[8];
    mm_sparse matrix = {0};
    perm_result result;
    perm_result_init(&result);
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    fold->n += matrix.ncol;
    fold->nnz += matrix.nnz;
    fold->field = larger(fold->field, record->field);
    if (mm_metadata_get(record, "dm.singular", singular, sizeof singular) && strcmp(singular, "1") == 0)
        strcpy(result.method, "structure"); /* the value is 0 */
    else
        BASE_TRY(perm_solve(context, &matrix, options, &result));
    perm_value_multiply(&fold->result.value, &result.value);
    add_work(&fold->result, &result);
    BASE_TRY(take_factor(context, fold, record));
done:
    perm_result_free(&result);
    mm_sparse_free(&matrix);
    return status;
}

base_status perm_fold_take(base_context *context, perm_fold *fold, const mm_record *record,
                           const perm_options *options, bool *complete) {
    base_status status = BASE_OK;
    char name[sizeof fold->name];
    int64_t block, count;
    *complete = false;
    BASE_TRY(read_place(context, record, name, sizeof name, &block, &count));
    if (fold->count == 0 || fold->seen == fold->count) {
        perm_fold_free(fold);
        fold->here = base_alloc_zero(context, count, sizeof *fold->here);
        if (!fold->here) {
            status = BASE_MACHINE;
            goto done;
        }
        memcpy(fold->name, name, sizeof name);
        fold->count = count;
        perm_value_set_integer(&fold->result.value, 1);
    }
    if (fold->here[block - 1])
        BASE_TRY(base_fail(context, BASE_FAILED, "block %lld of %s came before", (long long)block, name));
    BASE_TRY(take_block(context, fold, record, options));
    fold->here[block - 1] = true;
    *complete = ++fold->seen == fold->count;
done:
    if (status != BASE_OK && fold->count == 1)
        perm_fold_free(fold);
    return status;
}
