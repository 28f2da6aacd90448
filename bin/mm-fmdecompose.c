/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "mm/stream/report.h"
#include "perm/degree/decompose.h"

#include <stdlib.h>

static int rule;
static int64_t max_degree = 4, stop_n = 30, max_terms, most_waiting = 4096;
static bool summary, to_doubles;

static const base_option options[] = {
    {"rule", 0, BASE_CHOICE, "sweep|fill|superman|plain",
     "split the first line (default), where fewest entries are left, as SUperman's\nprogram, or as its "
     "algorithm alone",
     &rule},
    {"rule", 'r', BASE_CHOICE, "sweep|fill|superman|plain", NULL, &rule},
    {"max-degree", 0, BASE_INTEGER, "N", "split rows and columns of up to N entries (default: 4); 2: none",
     &max_degree},
    {"max-degree", 'd', BASE_INTEGER, "N", NULL, &max_degree},
    {"stop-n", 0, BASE_INTEGER, "N", "leave a matrix of order N or less as it is (default: 30)", &stop_n},
    {"stop-n", 'n', BASE_INTEGER, "N", NULL, &stop_n},
    {"merge", 0, BASE_INTEGER, "N",
     "hold N matrices so that such as differ in one line become one (default: 4096)", &most_waiting},
    {"merge", 'm', BASE_INTEGER, "N", NULL, &most_waiting},
    {"max-terms", 0, BASE_INTEGER, "N", "refuse a matrix that would make more than N terms", &max_terms},
    {"round", 0, BASE_FLAG, NULL, "write real entries as doubles, not as integers where they are none",
     &to_doubles},
    {"summary", 0, BASE_FLAG, NULL, "print a line about each matrix instead (JSON with --json)", &summary},
    {"summary", 's', BASE_FLAG, NULL, NULL, &summary},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    if (run->json && !summary)
        return base_fail(&run->context, BASE_USAGE, "--json goes with --summary");
    filter->check_only = summary;
    return mm_report_open(&run->context, run->json, run->part.index <= 1, &filter->report);
}

static base_status summarize(mm_filter_run *filter, const mm_record *record, perm_decomposer *decomposer) {
    base_context *context = &filter->run.context;
    base_status status;
    char *name = NULL;
    BASE_TRY(perm_decomposer_count(context, decomposer));
    const perm_decompose_stats *stats = perm_decomposer_stats(decomposer);
    double terms = stats->terms > 0 ? (double)stats->terms : 1;
    BASE_TRY(mm_record_name(context, record, &name));
    mm_report_text(filter->report, "name", name);
    mm_report_integer(filter->report, "n", record->nrow);
    mm_report_integer(filter->report, "terms", stats->terms);
    mm_report_integer(filter->report, "zero_terms", stats->zeros);
    mm_report_integer(filter->report, "merged", stats->merged);
    mm_report_real(filter->report, "n_mean", stats->n / terms);
    mm_report_real(filter->report, "nnz_mean", stats->nnz / terms);
    BASE_TRY(mm_report_write(context, filter->report, filter->run.output));
done:
    free(name);
    return status;
}

static base_status decompose(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    perm_decomposer *decomposer = NULL;
    mm_record term;
    bool found;
    mm_record_init(&term);
    perm_decompose_options wanted = {
        .rule = (perm_rule)rule,
        .max_degree = max_degree,
        .stop_n = stop_n,
        .max_terms = max_terms,
        .most_waiting = most_waiting,
        .round = to_doubles,
    };
    BASE_TRY(perm_decomposer_open(context, record, wanted, &decomposer));
    if (summary) {
        BASE_TRY(summarize(filter, record, decomposer));
        goto done;
    }
    for (;;) {
        BASE_TRY(perm_decomposer_next(context, decomposer, &term, &found));
        if (!found)
            break;
        BASE_TRY(mm_filter_put(filter, &term));
    }
done:
    mm_record_free(&term);
    perm_decomposer_close(decomposer);
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-fmdecompose",
                .operands = "[FILE...]",
                .summary =
                    "Decompose square matrices into smaller ones whose permanents, times their factors, add\n"
                    "up to those of the matrices: degree reduction of Forbert and Marx.",
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
