/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/changes.h"
#include "mm/matrix/extract.h"
#include "mm/stream/filter.h"
#include "mm/where/where.h"

#include <string.h>

static const char *names, *condition, *from, *to, *split, *submatrix;
static mm_extract_options extraction;
static mm_changes changes;
static int64_t head = -1;
static bool lenient, check, no_marks, all_members;

static const base_option options[] = {
    {"name", 'n', BASE_TEXT, "NAME[,...]", "only records with these names; globs such as 'HB/*'", &names},
    {"where", 'w', BASE_TEXT, "EXPR", "only records for which EXPR holds: 'square && n<=63'", &condition},
    {"head", 0, BASE_INTEGER, "N", "only the first N of these records", &head},
    {"limit", 0, BASE_INTEGER, "N", NULL, &head},
    {"check", 'c', BASE_FLAG, NULL, "read everything and write nothing", &check},
    {"lenient", 0, BASE_FLAG, NULL, "repair what can be repaired", &lenient},
    {"drop-zeros", 0, BASE_FLAG, NULL, "drop explicit zeros", &changes.drop_zeros},
    {"drop-values", 0, BASE_FLAG, NULL, "drop the values and keep the pattern", &changes.pattern},
    {"general", 0, BASE_FLAG, NULL, "expand symmetric storage", &changes.general},
    {"array", 0, BASE_FLAG, NULL, "write matrices in array format", &changes.array},
    {"coordinate", 0, BASE_FLAG, NULL, "write matrices in coordinate format", &changes.coordinate},
    {"transpose", 0, BASE_FLAG, NULL, "take the transpose of each matrix", &changes.transpose},
    {"sort", 0, BASE_FLAG, NULL, "sort the entries by columns", &changes.sort},
    {"all-members", 0, BASE_FLAG, NULL, "of archives: right-hand sides, coordinates, ... too", &all_members},
    {"strip", 0, BASE_FLAG, NULL, "drop the comments, all but name and scheme", &changes.strip},
    {"rename", 0, BASE_TEXT, "NAME", "name the records so; {name}, {number} stand for theirs",
     &changes.rename},
    {"rows", 0, BASE_TEXT, "LIST", "write the submatrix of these rows: 1,2,2,5:8", &extraction.rows},
    {"cols", 0, BASE_TEXT, "LIST", "write the submatrix of these columns", &extraction.cols},
    {"submatrix", 0, BASE_INPUT, "LISTS|FILE",
     "write the submatrix ROWS;COLS, or one for each\nline ROWS;COLS of the file", &submatrix},
    {"submatrices", 0, BASE_INPUT, "FILE", NULL, &submatrix},
    {"from", 0, BASE_TEXT, "FORMAT", "read this format: edges, edges0, csv, metis, ...", &from},
    {"to", 0, BASE_TEXT, "FORMAT", "write this format: binsparse, npz, npy, mat, csv, ...", &to},
    {"split", 0, BASE_TEXT, "FILE", "write a file for each record: 'DIR/{name}.mtx'", &split},
    {"no-marks", 0, BASE_FLAG, NULL, "write no record numbers and no end mark", &no_marks},
    BASE_OPTIONS_END,
};

/* The conditions of --where, and the names of --name. */
static mm_where *where;
static mm_names *wanted;
static int64_t taken; /* records */

static bool is_extracting(void) {
    return extraction.rows != NULL || extraction.cols != NULL || submatrix != NULL;
}

static base_status begin_output(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    filter->split = split;
    filter->no_marks = no_marks;
    BASE_TRY(mm_format_ask(context, "from", from, &filter->from));
    BASE_TRY(mm_format_ask(context, "to", to, &filter->to));
    changes.format = filter->to;
    if (split != NULL && filter->run.output_path != NULL)
        BASE_TRY(base_fail(context, BASE_USAGE, "--split and --output contradict each other"));
done:
    return status;
}

static base_status begin(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    filter->lenient = lenient;
    filter->check_only = check;
    filter->all_members = all_members;
    filter->stop = head == 0;
    BASE_TRY(mm_changes_check(context, &changes));
    BASE_TRY(begin_output(filter));
    filter->takes_compressed = condition == NULL && !is_extracting() && mm_changes_take_compressed(&changes);
    if (submatrix != NULL && (extraction.rows != NULL || (extraction.cols != NULL && strchr(submatrix, ';'))))
        BASE_TRY(
            base_fail(context, BASE_USAGE, "--submatrix contradicts --rows, and --cols beside ROWS;COLS"));
    if (submatrix != NULL)
        *(strchr(submatrix, ';') != NULL ? &extraction.lists : &extraction.file) = submatrix;
    if (condition != NULL)
        BASE_TRY(mm_where_compile(context, condition, NULL, &where));
    if (names != NULL)
        BASE_TRY(mm_names_open(context, names, &wanted));
done:
    return status;
}

static base_status extract(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_extractor *extractor = NULL;
    mm_record part;
    bool found;
    mm_record_init(&part);
    BASE_TRY(mm_extractor_open(context, record, &extraction, &extractor));
    for (;;) {
        BASE_TRY(mm_extractor_next(context, extractor, &part, &found));
        if (!found)
            break;
        BASE_TRY(mm_filter_put(filter, &part));
    }
done:
    mm_record_free(&part);
    mm_extractor_close(extractor);
    return status;
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    bool holds = true, changed = false;
    base_status status = BASE_OK;
    if (record->kind == MM_MATRIX &&
        (check || where != NULL || split != NULL || is_extracting() || mm_changes_entries(&changes)))
        BASE_TRY(mm_record_fetch(context, record));
    if (wanted != NULL)
        BASE_TRY(mm_names_test(context, wanted, record, &holds));
    if (holds && where != NULL)
        BASE_TRY(mm_where_test(context, where, record, NULL, NULL, &holds));
    taken += holds;
    filter->stop = taken == head;
    if (!holds || check)
        goto done;
    BASE_TRY(mm_changes_apply(context, &changes, record, taken, &changed));
    changed = changed || mm_reader_repair(filter->reader) != NULL;
    if (is_extracting() && record->kind == MM_MATRIX)
        BASE_TRY(extract(filter, record));
    else
        BASE_TRY(changed ? mm_filter_put(filter, record) : mm_filter_pass(filter, record));
done:
    return status;
}

/* Who asks for a matrix by name wants to know that it is not there; with parts, another may have it. */
static base_status end(mm_filter_run *filter) {
    const char *missing = wanted != NULL && filter->run.part.count == 0 ? mm_names_missing(wanted) : NULL;
    if (missing != NULL)
        return base_fail(&filter->run.context, BASE_FAILED,
                         "no record has the name %s; mm-info --columns name lists the names", missing);
    if (changes.remark[0] != '\0')
        base_run_note(&filter->run, "--to %s: %s", to, changes.remark);
    return BASE_OK;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_where_free(where);
    mm_names_close(wanted);
}

static const mm_filter filter = {
    .program = {.name = "mm-cat",
                .operands = "[FILE...]",
                .summary = "Convert, concatenate, pick and check matrices.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING,
                .options = options},
    .writes_records = true,
    .all_kinds = true,
    .kinds = ~0U,
    .left_on_device = ~0U,
    .begin = begin,
    .record = record,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
