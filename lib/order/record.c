/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/record.h"
#include "mm/matrix/rearrange.h"
#include "mm/metadata/metadata.h"
#include "order/degree.h"
#include "order/overlap.h"
#include "order/permanent.h"
#include "order/rcm.h"
#include "order/suitesparse.h"

#include <string.h>

/* The words of ORDER_METHODS; those without a function have results of their own. */
static const struct {
    const char *word;
    base_status (*find)(base_context *, const mm_sparse *, order_permutation *);
    int line_bytes; /* of memory for each row and column, empty ones included */
} methods[] = {
    {"frontier", NULL, 72},        {"degree", order_degree_sort, 32},
    {"perm", order_permanent, 32}, {"amd", order_amd, 44},
    {"colamd", order_colamd, 48},  {"metis", order_metis, 46},
    {"rcm", order_rcm, 34},        {"spmm", NULL, 32},
    {"partition", NULL, 32},
};
_Static_assert(sizeof methods / sizeof *methods == ORDER_METHOD_COUNT, "a row for each word");

static base_status order_for_frontier(base_context *context, const mm_sparse *matrix,
                                      const order_frontier_options *options, mm_record *record) {
    base_status status;
    order_frontier order = {0};
    BASE_TRY(order_frontier_search(context, matrix, MM_BY_COLUMNS, options, &order));
    BASE_TRY(order_frontier_note(context, &order, record));
    BASE_TRY(mm_record_permute(context, record, order.row, order.col));
done:
    order_frontier_free(&order);
    return status;
}

/* Of the rows and columns as they are. */
static base_status note_partition(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    const order_partition partition = order_permanent_partition(matrix);
    BASE_TRY(mm_metadata_set(context, record, "order.c", "%lld", (long long)partition.columns));
    BASE_TRY(mm_metadata_set(context, record, "order.k", "%lld", (long long)partition.rows));
done:
    return status;
}

static base_status partition_only(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    BASE_TRY(mm_metadata_set(context, record, "order.for", "partition"));
    BASE_TRY(note_partition(context, matrix, record));
done:
    return status;
}

static base_status note_ordered_partition(base_context *context, mm_record *record) {
    base_status status;
    mm_sparse ordered = {0};
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, false}, &ordered));
    BASE_TRY(note_partition(context, &ordered, record));
done:
    mm_sparse_free(&ordered);
    return status;
}

static base_status order_by_method(base_context *context, const mm_sparse *matrix, int target,
                                   mm_record *record) {
    base_status status;
    order_permutation order = {NULL, NULL};
    BASE_TRY(methods[target].find(context, matrix, &order));
    BASE_TRY(mm_metadata_set(context, record, "order.for", "%s", methods[target].word));
    BASE_TRY(mm_record_permute(context, record, order.row, order.col));
    if (methods[target].find == order_permanent)
        BASE_TRY(note_ordered_partition(context, record));
done:
    order_permutation_free(&order);
    return status;
}

static base_status order_for_spmm(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    order_permutation order = {NULL, NULL};
    order_overlap found;
    BASE_TRY(order_for_products(context, matrix, &order, &found));
    BASE_TRY(mm_metadata_set(context, record, "order.for", "spmm"));
    BASE_TRY(mm_metadata_set(context, record, "order.by", "%s", found.by));
    BASE_TRY(mm_metadata_set(context, record, "order.gain", "%.4g", found.gain));
    BASE_TRY(mm_record_permute(context, record, order.row, NULL));
done:
    order_permutation_free(&order);
    return status;
}

void order_forget(mm_record *record) {
    static const char *const keys[] = {"for", "by",   "width", "transitions", "peak_states", "c",
                                       "k",   "gain", "low",   "sliced",      "operations"};
    if (record->comments == NULL || strstr(record->comments, "order.") == NULL)
        return;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char key[64] = "order.";
        strcat(key, keys[k]);
        mm_metadata_remove(record, key);
    }
}

base_status order_find_method(base_context *context, const char *word, int *method) {
    for (*method = 0; *method < ORDER_METHOD_COUNT; ++*method)
        if (strcmp(word, methods[*method].word) == 0)
            return BASE_OK;
    return base_fail(context, BASE_USAGE, "there is no order '%s': " ORDER_METHODS, word);
}

base_status order_record(base_context *context, int method, const order_frontier_options *options,
                         mm_record *record) {
    base_status status;
    mm_sparse matrix = {0};
    BASE_TRY(order_check_memory(context, record, methods[method].line_bytes));
    order_forget(record);
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, false}, &matrix));
    if (methods[method].find != NULL)
        BASE_TRY(order_by_method(context, &matrix, method, record));
    else if (strcmp(methods[method].word, "spmm") == 0)
        BASE_TRY(order_for_spmm(context, &matrix, record));
    else if (strcmp(methods[method].word, "partition") == 0)
        BASE_TRY(partition_only(context, &matrix, record));
    else
        BASE_TRY(order_for_frontier(context, &matrix, options, record));
done:
    mm_sparse_free(&matrix);
    return status;
}
