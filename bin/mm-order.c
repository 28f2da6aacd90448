#include "mm/matrix/rearrange.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "order/degree.h"
#include "order/frontier.h"
#include "order/overlap.h"
#include "order/permanent.h"
#include "order/rcm.h"
#include "order/suitesparse.h"
#include "perm/sparse/column_order.h"

#include <string.h>

static int target; /* a word of --for */
static int64_t restarts, steps;
static bool invert;

/* The words of --for; those without a function have results of their own. */
static const struct {
    const char *word;
    base_status (*find)(base_context *, const mm_sparse *, order_permutation *);
    int line_bytes; /* of memory for each row and column, empty ones included */
} methods[] = {
    {"frontier", NULL, 72},        {"degree", order_degree_sort, 32},
    {"perm", order_permanent, 32}, {"amd", order_amd, 44},
    {"colamd", order_colamd, 48},  {"metis", order_metis, 46},
    {"rcm", order_rcm, 34},        {"spmm", NULL, 32},
    {"levels", NULL, 0},
};

static const base_option options[] = {
    {"for", 'f', BASE_CHOICE, "frontier|degree|perm|amd|colamd|metis|rcm|spmm|levels",
     "few half-used columns at a time (default), fewest entries first, Gray codes on\n"
     "registers, little fill-in, small bandwidth, rows that share columns together,\n"
     "permanents by tables",
     &target},
    {"restarts", 0, BASE_INTEGER, "N", "greedy starts of the search for a frontier (default: 64)", &restarts},
    {"restarts", 'r', BASE_INTEGER, "N", NULL, &restarts},
    {"budget", 0, BASE_INTEGER, "N", "budget of the search, in entries visited\n(default: 40000000)", &steps},
    {"steps", 's', BASE_INTEGER, "N", NULL, &steps},
    {"invert", 'i', BASE_FLAG, NULL, "undo the permutations that the metadata tell of", &invert},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    if (restarts == 0)
        return base_fail(&filter->run.context, BASE_USAGE, "--restarts: at least 1");
    return BASE_OK;
}

static base_status order_for_frontier(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    order_frontier order = {0};
    order_frontier_options wanted = {.seed = context->seed, .restarts = restarts, .step_limit = steps};
    BASE_TRY(order_frontier_search(context, matrix, MM_BY_COLUMNS, &wanted, &order));
    BASE_TRY(order_frontier_note(context, &order, record));
    BASE_TRY(mm_record_permute(context, record, order.row, order.col));
done:
    order_frontier_free(&order);
    return status;
}

static base_status note_partition(base_context *context, mm_record *record) {
    base_status status;
    mm_sparse ordered = {0};
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, false}, &ordered));
    order_partition partition = order_permanent_partition(&ordered);
    BASE_TRY(mm_metadata_set(context, record, "order.c", "%lld", (long long)partition.columns));
    BASE_TRY(mm_metadata_set(context, record, "order.k", "%lld", (long long)partition.rows));
done:
    mm_sparse_free(&ordered);
    return status;
}

static base_status order_by_method(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    order_permutation order = {NULL, NULL};
    BASE_TRY(methods[target].find(context, matrix, &order));
    BASE_TRY(mm_metadata_set(context, record, "order.for", "%s", methods[target].word));
    BASE_TRY(mm_record_permute(context, record, order.row, order.col));
    if (methods[target].find == order_permanent)
        BASE_TRY(note_partition(context, record));
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

static void forget_order(mm_record *record) {
    static const char *const keys[] = {"for", "by",   "width", "transitions", "peak_states", "c",
                                       "k",   "gain", "low",   "sliced",      "operations"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char key[64] = "order.";
        strcat(key, keys[k]);
        mm_metadata_remove(record, key);
    }
}

/* Takes our own line of provenance away if it is the last: the record is again what it was before. */
static bool forget_provenance(mm_record *record) {
    static const char by[] = "% by: mm-order ";
    size_t end = record->comments != NULL ? strlen(record->comments) : 0, last = end;
    while (last > 0 && (last == end || record->comments[last - 1] != '\n'))
        last--;
    bool ours = end > 0 && strncmp(record->comments + last, by, sizeof by - 1) == 0;
    if (ours)
        record->comments[last] = '\0';
    return ours;
}

static base_status restore(mm_filter_run *filter, mm_record *record) {
    base_status status;
    BASE_TRY(mm_record_restore(&filter->run.context, record));
    forget_order(record);
    BASE_TRY(forget_provenance(record) ? mm_filter_pass(filter, record) : mm_filter_put(filter, record));
done:
    return status;
}

/* The order is that of the nonzeros; explicit zeros move with their rows and columns. */
static base_status order_record(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_sparse matrix = {0};
    BASE_TRY(order_check_memory(context, record, invert ? 32 : methods[target].line_bytes));
    if (invert)
        return restore(filter, record);
    forget_order(record);
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, false}, &matrix));
    BASE_TRY((methods[target].find != NULL                  ? order_by_method
              : strcmp(methods[target].word, "spmm") == 0   ? order_for_spmm
              : strcmp(methods[target].word, "levels") == 0 ? perm_sparse_column_order
                                                            : order_for_frontier)(context, &matrix, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    mm_sparse_free(&matrix);
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-order",
                .operands = "[FILE...]",
                .summary = "Permute the rows and columns of matrices for what comes next in the pipe.",
                .common =
                    BASE_HAS_FORM | BASE_HAS_SEED | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_MEMORY,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = order_record,
};

int main(int argc, char **argv) {
    restarts = order_frontier_default.restarts;
    steps = order_frontier_default.step_limit;
    return mm_filter_main(&program, argc, argv);
}
