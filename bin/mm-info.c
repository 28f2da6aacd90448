/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/dm.h"
#include "dm/report.h"
#include "mm/matrix/sparse.h"
#include "mm/record/hash.h"
#include "mm/stream/filter.h"
#include "mm/where/describe.h"

static bool keep_zeros, quick, no_header, all_members;
static const char *columns, *condition;
static mm_where *where;

static const base_option options[] = {
    {"keep-zeros", 0, BASE_FLAG, NULL, "explicit zeros are entries", &keep_zeros},
    {"quick", 0, BASE_FLAG, NULL, "leave out structural rank, blocks and symmetry", &quick},
    {"columns", 0, BASE_TEXT, "NAME[,...]", "only these columns, in this order", &columns},
    {"no-header", 0, BASE_FLAG, NULL, "no line with the names of the columns", &no_header},
    {"where", 'w', BASE_TEXT, "EXPR", "only records for which EXPR holds: 'square && n<=63'", &condition},
    {"all-members", 0, BASE_FLAG, NULL, "of archives: right-hand sides, coordinates, ... too", &all_members},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    const base_run *run = &filter->run;
    base_context *context = &filter->run.context;
    base_status status;
    filter->all_members = all_members;
    BASE_TRY(mm_report_open(context, run->json, run->part.index <= 1 && !no_header, &filter->report));
    if (columns != NULL)
        BASE_TRY(mm_report_select(context, filter->report, columns, mm_describe_names(quick)));
    if (condition != NULL)
        BASE_TRY(mm_where_compile(context, condition, mm_describe_columns(quick), &where));
done:
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_where_free(where);
}

/* What is measured of a record; nothing of an H2 matrix, which has no entries. */
typedef struct measurements {
    mm_sparse matrix;
    dm_decomposition dm;
    mm_symmetry_shares shares;
    mm_statistics statistics;
} measurements;

static base_status measure(base_context *context, mm_record *record, measurements *m) {
    base_status status;
    BASE_TRY(mm_sparse_take_record(context, record, keep_zeros, &m->matrix));
    BASE_TRY(mm_statistics_find(context, &m->matrix, &m->statistics));
    if (quick)
        goto done;
    BASE_TRY(dm_decompose(context, &m->matrix, &m->dm));
    BASE_TRY(mm_symmetry_measure(context, &m->matrix, &m->shares));
done:
    return status;
}

static base_status describe(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    char hash[BASE_HASH_TEXT];
    bool holds = true;
    measurements m = {.statistics = {.least = -1, .greatest = -1, .smallest = -1, .largest = -1}};
    if (record->kind == MM_STATE)
        goto done;
    mm_record_hash(record, hash); /* while it has its entries */
    const mm_where_counts counts = mm_where_count(record);
    if (record->kind != MM_H2)
        BASE_TRY(measure(context, record, &m));
    BASE_TRY(mm_describe_record(context, record, &counts, keep_zeros, filter->report));
    mm_report_set_known(filter->report, record->kind != MM_H2);
    if (!quick) {
        dm_report(&m.dm, filter->report);
        mm_report_real(filter->report, "pattern_symmetry", m.shares.pattern);
        mm_report_real(filter->report, "numerical_symmetry", m.shares.numerical);
    }
    mm_describe_statistics(&m.matrix, &m.statistics, filter->report);
    mm_report_set_known(filter->report, true);
    if (columns != NULL)
        mm_describe_further(record, &m.matrix, filter->report);
    mm_report_text(filter->report, "hash", hash);
    mm_report_file(context, filter->report);
    if (where != NULL)
        BASE_TRY(mm_where_test(context, where, record, &counts, filter->report, &holds));
    if (holds)
        BASE_TRY(mm_report_write(context, filter->report, filter->run.output));
    else
        mm_report_drop(filter->report);
done:
    dm_free(&m.dm);
    mm_sparse_free(&m.matrix);
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-info",
                .operands = "[FILE...]",
                .summary = "Print a line about each matrix: sizes, structural rank, blocks, degrees, values.",
                .common = BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_JSON,
                .options = options},
    .all_kinds = true,
    .kinds = ~0U,
    .begin = begin,
    .record = describe,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
