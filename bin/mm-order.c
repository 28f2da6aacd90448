/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/rearrange.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "order/record.h"
#include "perm/sparse/column_order.h"

#include <string.h>

static int target; /* a word of --for: a method of order/record.h or, behind them, levels */
static int64_t restarts, steps;
static bool invert;

static const base_option options[] = {
    {"for", 'f', BASE_CHOICE, ORDER_METHODS "|levels",
     "few half-used columns at a time (default), fewest entries first, Gray codes on\n"
     "registers, little fill-in, small bandwidth, rows that share columns together,\n"
     "none: only the partition of perm, permanents by tables",
     &target},
    {"restarts", 0, BASE_INTEGER, "N", "greedy starts of the search for a frontier (default: 64)", &restarts},
    {"restarts", 'r', BASE_INTEGER, "N", NULL, &restarts},
    {"budget", 0, BASE_INTEGER, "N", "budget of the search, in entries visited\n(default: 40000000)", &steps},
    {"steps", 's', BASE_INTEGER, "N", NULL, &steps},
    {"invert", 'i', BASE_FLAG, NULL, "undo the orders that the metadata tell of", &invert},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    if (restarts == 0)
        return base_fail(&filter->run.context, BASE_USAGE, "--restarts: at least 1");
    return BASE_OK;
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

/* Of an order that moves nothing (partition) there is only its metadata to take away. */
static bool has_moved(const mm_record *record) {
    return mm_metadata_get(record, "origin.rows", NULL, 0) ||
           mm_metadata_get(record, "origin.cols", NULL, 0) || !mm_metadata_get(record, "order.for", NULL, 0);
}

static base_status restore(mm_filter_run *filter, mm_record *record) {
    base_status status = BASE_OK;
    if (has_moved(record))
        BASE_TRY(mm_record_restore(&filter->run.context, record));
    order_forget(record);
    BASE_TRY(forget_provenance(record) ? mm_filter_pass(filter, record) : mm_filter_put(filter, record));
done:
    return status;
}

static base_status order_for_levels(base_context *context, mm_record *record) {
    base_status status;
    mm_sparse matrix = {0};
    order_forget(record);
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, false}, &matrix));
    BASE_TRY(perm_sparse_column_order(context, &matrix, record));
done:
    mm_sparse_free(&matrix);
    return status;
}

static base_status order(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    const order_frontier_options frontier = {
        .seed = context->seed, .restarts = restarts, .step_limit = steps};
    if (invert) {
        BASE_TRY(order_check_memory(context, record, 32));
        return restore(filter, record);
    }
    BASE_TRY(target == ORDER_METHOD_COUNT ? order_for_levels(context, record)
                                          : order_record(context, target, &frontier, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-order",
                .operands = "[FILE...]",
                .summary = "Permute the rows and columns of matrices for what comes next in the pipe.",
                .common =
                    BASE_HAS_FORM | BASE_HAS_SEED | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_CHECKPOINT,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = order,
};

int main(int argc, char **argv) {
    restarts = order_frontier_default.restarts;
    steps = order_frontier_default.step_limit;
    return mm_filter_main(&program, argc, argv);
}
