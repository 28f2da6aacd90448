#include "dm/dm.h"
#include "dm/report.h"
#include "mm/describe.h"
#include "mm/filter.h"
#include "mm/metadata.h"
#include "mm/report.h"
#include "mm/sparse.h"
#include "mm/statistics.h"

#include <math.h>

static bool keep_zeros, quick;
static mm_report *report;

static const base_option options[] = {
    {"keep-zeros", 0, BASE_FLAG, NULL, "count explicit zeros as entries", &keep_zeros},
    {"quick", 0, BASE_FLAG, NULL, "leave out structural rank, blocks and symmetry", &quick},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    const base_run *run = &filter->run;
    return mm_report_open(&filter->run.context, run->json, run->part.index <= 1, &report);
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_report_close(report);
}

/* Entries with the symmetry expanded, explicit zeros among them. */
static int64_t count_expanded(const mm_record *record) {
    int64_t count = record->nnz;
    if (record->symmetry != MM_GENERAL)
        for (int64_t k = 0; k < record->nnz; k++)
            count += record->row[k] != record->col[k];
    return count;
}

static void report_record(const base_context *context, const mm_record *record, const mm_sparse *matrix) {
    char name[512];
    mm_record_name(context, record, name, sizeof name);
    mm_report_text(report, "name", name);
    mm_report_integer(report, "nrow", record->nrow);
    mm_report_integer(report, "ncol", record->ncol);
    mm_report_integer(report, "nnz_stored", record->nnz);
    mm_report_integer(report, "nnz", matrix->nnz);
    if (record->format == MM_ARRAY)
        mm_report_integer(report, "explicit_zeros", 0);
    else if (keep_zeros)
        mm_report_unknown(report, "explicit_zeros");
    else
        mm_report_integer(report, "explicit_zeros", count_expanded(record) - matrix->nnz);
    mm_report_text(report, "format", mm_format_name(record->format));
    mm_report_text(report, "field", mm_field_name(record->field));
    mm_report_text(report, "symmetry", mm_symmetry_name(record->symmetry));
}

static base_status report_structure(base_context *context, const mm_sparse *matrix) {
    base_status status = BASE_OK;
    dm_decomposition dm = {0};
    mm_symmetry_shares shares;
    if (quick)
        goto done;
    BASE_TRY(dm_decompose(context, matrix, &dm));
    dm_report(&dm, report);
    BASE_TRY(mm_symmetry_measure(context, matrix, &shares));
    mm_report_real(report, "pattern_symmetry", shares.pattern);
    mm_report_real(report, "numerical_symmetry", shares.numerical);
done:
    dm_free(&dm);
    return status;
}

static void report_degrees(const char *const keys[4], const mm_degrees *degrees, int64_t nnz, int64_t count) {
    mm_report_integer(report, keys[0], degrees->least);
    mm_report_integer(report, keys[1], degrees->most);
    mm_report_real(report, keys[2], count > 0 ? (double)nnz / (double)count : NAN);
    mm_report_integer(report, keys[3], degrees->empty);
}

/* The value at a place, or its magnitude: integers exactly, as text where they exceed 64 bits. */
static void report_value(const char *key, const mm_sparse *matrix, int64_t place, bool magnitude) {
    if (place < 0)
        mm_report_unknown(report, key);
    else if (matrix->digits != NULL)
        mm_report_text(report, key, matrix->digits[place] + (magnitude && matrix->digits[place][0] == '-'));
    else if (matrix->field == MM_COMPLEX)
        mm_report_real(report, key, hypot(matrix->real[2 * place], matrix->real[2 * place + 1]));
    else if (matrix->integer == NULL)
        mm_report_real(report, key, magnitude ? fabs(matrix->real[place]) : matrix->real[place]);
    else if (magnitude && matrix->integer[place] == INT64_MIN)
        mm_report_text(report, key, "9223372036854775808");
    else
        mm_report_integer(report, key,
                          magnitude && matrix->integer[place] < 0 ? -matrix->integer[place]
                                                                  : matrix->integer[place]);
}

static void report_statistics(const mm_sparse *matrix, const mm_statistics *statistics) {
    static const char *const rows[] = {"row_degree_min", "row_degree_max", "row_degree_mean", "empty_rows"};
    static const char *const cols[] = {"col_degree_min", "col_degree_max", "col_degree_mean", "empty_cols"};
    mm_report_integer(report, "lower_bandwidth", statistics->lower_bandwidth);
    mm_report_integer(report, "upper_bandwidth", statistics->upper_bandwidth);
    mm_report_integer(report, "diagonal_nonzeros", statistics->diagonal);
    report_degrees(rows, &statistics->rows, matrix->nnz, matrix->nrow);
    report_degrees(cols, &statistics->columns, matrix->nnz, matrix->ncol);
    report_value("min", matrix, statistics->least, false);
    report_value("max", matrix, statistics->greatest, false);
    report_value("min_abs", matrix, statistics->smallest, true);
    report_value("max_abs", matrix, statistics->largest, true);
}

static base_status describe(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    mm_sparse matrix = {0};
    mm_statistics statistics;
    mm_sparse_options by_columns = {MM_BY_COLUMNS, keep_zeros};
    if (record->kind == MM_H2) {
        mm_describe_other(context, record, quick, report);
        return mm_report_write(context, report, filter->run.output);
    }
    if (record->kind == MM_STATE)
        return BASE_OK;
    BASE_TRY(mm_sparse_from_record(context, record, by_columns, &matrix));
    BASE_TRY(mm_statistics_find(context, &matrix, &statistics));
    report_record(context, record, &matrix);
    BASE_TRY(report_structure(context, &matrix));
    report_statistics(&matrix, &statistics);
    BASE_TRY(mm_report_write(context, report, filter->run.output));
done:
    mm_sparse_free(&matrix);
    return status;
}

static const mm_filter program = {
    .program = {.name = "mm-info",
                .operands = "[FILE...]",
                .summary = "Print a line about each matrix: sizes, structural rank, blocks, degrees, values.",
                .common = BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_JSON,
                .options = options},
    .all_kinds = true,
    .begin = begin,
    .record = describe,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
