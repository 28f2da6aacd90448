/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/dm.h"
#include "dm/report.h"
#include "dm/split.h"
#include "mm/matrix/sparse.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "mm/stream/report.h"

#include <stdlib.h>

static bool permute, blocks, coarse, drop, summary, singletons, keep_zeros;

static const base_option options[] = {
    {"permute", 0, BASE_FLAG, NULL, "write each matrix in block triangular form (default)", &permute},
    {"permute", 'p', BASE_FLAG, NULL, NULL, &permute},
    {"blocks", 'b', BASE_FLAG, NULL, "write its diagonal blocks, whose permanents multiply", &blocks},
    {"coarse", 0, BASE_FLAG, NULL, "write its horizontal, square and vertical part", &coarse},
    {"coarse", 'c', BASE_FLAG, NULL, NULL, &coarse},
    {"drop", 'd', BASE_FLAG, NULL, "drop the entries that lie in no perfect matching", &drop},
    {"summary", 0, BASE_FLAG, NULL, "print a line about each matrix instead (JSON with --json)", &summary},
    {"summary", 's', BASE_FLAG, NULL, NULL, &summary},
    {"singletons", 0, BASE_FLAG, NULL, "with --blocks: each 1x1 block is a record of its own", &singletons},
    {"keep-zeros", 0, BASE_FLAG, NULL, "explicit zeros are entries", &keep_zeros},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    if (permute + blocks + coarse + drop + summary > 1)
        return base_fail(&run->context, BASE_USAGE,
                         "only one of --permute, --blocks, --coarse, --drop and --summary, please");
    if (singletons && !blocks)
        return base_fail(&run->context, BASE_USAGE, "--singletons goes with --blocks");
    if (run->json && !summary)
        return base_fail(&run->context, BASE_USAGE, "--json goes with --summary");
    filter->check_only = summary;
    return mm_report_open(&run->context, run->json, run->part.index <= 1, &filter->report);
}

static base_status summarize(mm_filter_run *filter, const mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_sparse matrix = {0};
    dm_decomposition dm = {0};
    char *name = NULL;
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, keep_zeros}, &matrix));
    BASE_TRY(dm_decompose(context, &matrix, &dm));
    BASE_TRY(mm_record_name(context, record, &name));
    mm_report_text(filter->report, "name", name);
    mm_report_integer(filter->report, "nrow", matrix.nrow);
    mm_report_integer(filter->report, "ncol", matrix.ncol);
    mm_report_integer(filter->report, "nnz", matrix.nnz);
    dm_report(&dm, filter->report);
    BASE_TRY(mm_report_write(context, filter->report, filter->run.output));
done:
    free(name);
    mm_sparse_free(&matrix);
    dm_free(&dm);
    return status;
}

static base_status split(mm_filter_run *filter, const mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    dm_splitter *splitter = NULL;
    mm_record piece;
    bool found;
    mm_record_init(&piece);
    dm_split_options wanted = {.keep_zeros = keep_zeros, .coarse = coarse, .singletons = singletons};
    BASE_TRY(dm_splitter_open(context, record, wanted, &splitter));
    for (;;) {
        BASE_TRY(dm_splitter_next(context, splitter, &piece, &found));
        if (!found)
            break;
        BASE_TRY(mm_filter_put(filter, &piece));
    }
done:
    mm_record_free(&piece);
    dm_splitter_close(splitter);
    return status;
}

static base_status decompose(mm_filter_run *filter, mm_record *record) {
    base_status status;
    if (summary)
        return summarize(filter, record);
    if (blocks || coarse)
        return split(filter, record);
    if (drop)
        BASE_TRY(dm_drop_record(&filter->run.context, record, keep_zeros));
    else
        BASE_TRY(dm_permute_record(&filter->run.context, record, keep_zeros));
    BASE_TRY(mm_filter_put(filter, record));
done:
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-dm",
                .operands = "[FILE...]",
                .summary =
                    "Dulmage-Mendelsohn decomposition: permute matrices to block triangular form, split\n"
                    "them into blocks, or drop the entries that lie in no perfect matching.",
                .common =
                    BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_CHECKPOINT | BASE_HAS_JSON,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = decompose,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
