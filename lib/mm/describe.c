#include "mm/describe.h"
#include "mm/metadata.h"

void mm_describe_other(const base_context *context, const mm_record *record, bool quick, mm_report *report) {
    static const char *const structure[] = {"structural_rank",    "dm_blocks",          "dm_largest_block",
                                            "dm_horizontal_nrow", "dm_horizontal_ncol", "dm_square",
                                            "dm_vertical_nrow",   "dm_vertical_ncol",   "pattern_symmetry",
                                            "numerical_symmetry"};
    static const char *const statistics[] = {"lower_bandwidth",
                                             "upper_bandwidth",
                                             "diagonal_nonzeros",
                                             "row_degree_min",
                                             "row_degree_max",
                                             "row_degree_mean",
                                             "empty_rows",
                                             "col_degree_min",
                                             "col_degree_max",
                                             "col_degree_mean",
                                             "empty_cols",
                                             "min",
                                             "max",
                                             "min_abs",
                                             "max_abs"};
    char name[512];
    mm_record_name(context, record, name, sizeof name);
    mm_report_text(report, "name", name);
    mm_report_integer(report, "nrow", record->nrow);
    mm_report_integer(report, "ncol", record->ncol);
    mm_report_integer(report, "nnz_stored", record->nnz);
    mm_report_unknown(report, "nnz");
    mm_report_unknown(report, "explicit_zeros");
    mm_report_text(report, "format", record->kind == MM_H2 ? "h2" : "-");
    mm_report_text(report, "field", mm_field_name(record->field));
    mm_report_text(report, "symmetry", mm_symmetry_name(record->symmetry));
    for (size_t k = 0; k < sizeof structure / sizeof *structure && !quick; k++)
        mm_report_unknown(report, structure[k]);
    for (size_t k = 0; k < sizeof statistics / sizeof *statistics; k++)
        mm_report_unknown(report, statistics[k]);
}
