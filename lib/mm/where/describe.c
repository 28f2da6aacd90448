/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/where/describe.h"
#include "mm/metadata/metadata.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    mm_where_column column;
    bool is_structure; /* left out by --quick */
} columns[] = {
    {{"name", true}, false},
    {{"nrow", false}, false},
    {{"ncol", false}, false},
    {{"nnz_stored", false}, false},
    {{"nnz", false}, false},
    {{"explicit_zeros", false}, false},
    {{"format", true}, false},
    {{"field", true}, false},
    {{"symmetry", true}, false},
    {{"structural_rank", false}, true},
    {{"dm_blocks", false}, true},
    {{"dm_largest_block", false}, true},
    {{"dm_horizontal_nrow", false}, true},
    {{"dm_horizontal_ncol", false}, true},
    {{"dm_square", false}, true},
    {{"dm_vertical_nrow", false}, true},
    {{"dm_vertical_ncol", false}, true},
    {{"pattern_symmetry", false}, true},
    {{"numerical_symmetry", false}, true},
    {{"lower_bandwidth", false}, false},
    {{"upper_bandwidth", false}, false},
    {{"diagonal_nonzeros", false}, false},
    {{"row_degree_min", false}, false},
    {{"row_degree_max", false}, false},
    {{"row_degree_mean", false}, false},
    {{"empty_rows", false}, false},
    {{"col_degree_min", false}, false},
    {{"col_degree_max", false}, false},
    {{"col_degree_mean", false}, false},
    {{"empty_cols", false}, false},
    {{"min", false}, false},
    {{"max", false}, false},
    {{"min_abs", false}, false},
    {{"max_abs", false}, false},
    {{"hash", true}, false},
    {{"file", true}, false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Names of conditions that have a column where it is asked for. */
static const char *const further[] = {"n", "density", "square", "kind"};
enum { FURTHER = sizeof further / sizeof *further };

const mm_where_column *mm_describe_columns(bool quick) {
    static mm_where_column list[COLUMNS + 1];
    int count = 0;
    for (int k = 0; k < COLUMNS; k++)
        if (!quick || !columns[k].is_structure)
            list[count++] = columns[k].column;
    list[count].name = NULL;
    return list;
}

const char *const *mm_describe_names(bool quick) {
    static const char *list[COLUMNS + FURTHER + 1];
    int count = 0;
    for (const mm_where_column *column = mm_describe_columns(quick); column->name != NULL; column++)
        list[count++] = column->name;
    for (int k = 0; k < FURTHER; k++)
        list[count++] = further[k];
    list[count] = NULL;
    return list;
}

base_status mm_describe_record(base_context *context, const mm_record *record, const mm_where_counts *counts,
                               bool keep_zeros, mm_report *report) {
    const bool has_entries = record->kind != MM_H2;
    char *name;
    const base_status status = mm_record_name(context, record, &name);
    if (status != BASE_OK)
        return status;
    mm_report_text(report, "name", name);
    free(name);
    mm_report_integer(report, "nrow", record->nrow);
    mm_report_integer(report, "ncol", record->ncol);
    mm_report_integer(report, "nnz_stored", record->nnz);
    mm_report_set_known(report, has_entries);
    mm_report_integer(report, "nnz", counts->nonzeros + (keep_zeros ? counts->zeros : 0));
    mm_report_set_known(report, has_entries && (record->format == MM_ARRAY || !keep_zeros));
    mm_report_integer(report, "explicit_zeros", counts->zeros);
    mm_report_set_known(report, true);
    mm_report_text(report, "format", has_entries ? mm_format_name(record->format) : "h2");
    mm_report_text(report, "field", mm_field_name(record->field));
    mm_report_text(report, "symmetry", mm_symmetry_name(record->symmetry));
    return BASE_OK;
}

void mm_describe_further(const mm_record *record, const mm_sparse *matrix, mm_report *report) {
    const bool square = record->nrow == record->ncol;
    if (square)
        mm_report_integer(report, "n", record->nrow);
    else
        mm_report_unknown(report, "n");
    mm_report_real(
        report, "density",
        record->kind == MM_H2 ? NAN : (double)matrix->nnz / ((double)record->nrow * (double)record->ncol));
    mm_report_text(report, "square", square ? "yes" : "no");
    mm_report_text(report, "kind", mm_kind_name(record->kind));
}

static void add_degrees(const char *const keys[4], const mm_degrees *degrees, int64_t nnz, int64_t count,
                        mm_report *report) {
    mm_report_integer(report, keys[0], degrees->least);
    mm_report_integer(report, keys[1], degrees->most);
    mm_report_real(report, keys[2], count > 0 ? (double)nnz / (double)count : NAN);
    mm_report_integer(report, keys[3], degrees->empty);
}

/* The value at a place, or its magnitude: integers exactly, as text where they exceed 64 bits. */
static void add_value(const char *key, const mm_sparse *matrix, int64_t place, bool magnitude,
                      mm_report *report) {
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

void mm_describe_statistics(const mm_sparse *matrix, const mm_statistics *statistics, mm_report *report) {
    static const char *const rows[] = {"row_degree_min", "row_degree_max", "row_degree_mean", "empty_rows"};
    static const char *const cols[] = {"col_degree_min", "col_degree_max", "col_degree_mean", "empty_cols"};
    mm_report_integer(report, "lower_bandwidth", statistics->lower_bandwidth);
    mm_report_integer(report, "upper_bandwidth", statistics->upper_bandwidth);
    mm_report_integer(report, "diagonal_nonzeros", statistics->diagonal);
    add_degrees(rows, &statistics->rows, matrix->nnz, matrix->nrow, report);
    add_degrees(cols, &statistics->columns, matrix->nnz, matrix->ncol, report);
    add_value("min", matrix, statistics->least, false, report);
    add_value("max", matrix, statistics->greatest, false, report);
    add_value("min_abs", matrix, statistics->smallest, true, report);
    add_value("max_abs", matrix, statistics->largest, true, report);
}
