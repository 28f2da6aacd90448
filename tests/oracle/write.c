/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn matrices as records and as text. */
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "tests/oracle/draw.h"
#include <stdlib.h>
#include <string.h>

static const char *list_counts(const int *count, int n, char text[4 * ORACLE_LINES + 1]) {
    char *to = text;
    *to = '\0';
    for (int k = 0; k < n; k++)
        to += sprintf(to, k > 0 ? " %d" : "%d", count[k]);
    return text;
}

/* Integers as texts, as the reader keeps those beyond 64 bits. */
static base_status set_digits(base_context *context, const oracle_matrix *matrix, mm_record *record) {
    int64_t length = 0;
    record->digits = base_alloc(context, (int64_t)matrix->count * ORACLE_TEXT + 1, 1);
    record->digits_start = base_alloc(context, matrix->count + 1, sizeof *record->digits_start);
    if (!record->digits || !record->digits_start)
        return BASE_MACHINE;
    for (int k = 0; k < matrix->count; k++) {
        record->digits_start[k] = length;
        strcpy(record->digits + length, matrix->entry[k].text[0]);
        length += (int64_t)strlen(matrix->entry[k].text[0]) + 1;
    }
    record->digits_start[matrix->count] = length;
    free(record->integer);
    record->integer = NULL;
    return BASE_OK;
}

static bool is_long(const oracle_matrix *matrix) {
    bool found = false;
    for (int k = 0; k < matrix->count; k++)
        found = found || strlen(matrix->entry[k].text[0]) > 18;
    return found;
}

bool oracle_has_short_texts(const oracle_matrix *matrix) {
    bool are = true;
    for (int k = 0; k < matrix->count && matrix->field >= MM_REAL; k++)
        for (int part = 0; part < 2; part++) {
            int digits = 0;
            for (const char *c = matrix->entry[k].text[part]; *c != '\0' && *c != 'e'; c++)
                digits += *c >= '0' && *c <= '9';
            are = are && digits <= 15;
        }
    return are;
}

base_status oracle_to_record(base_context *context, const oracle_matrix *matrix, const char *name,
                             mm_record *record) {
    base_status status = BASE_OK;
    char text[4 * ORACLE_LINES + 1];
    mm_record_init(record);
    record->field = matrix->field;
    record->nrow = matrix->nrow;
    record->ncol = matrix->ncol;
    record->nnz = matrix->count;
    BASE_TRY(mm_record_alloc(context, record));
    BASE_TRY(mm_metadata_set(context, record, "name", "%s", name));
    for (int k = 0; k < matrix->count; k++) {
        const oracle_entry *entry = &matrix->entry[k];
        record->row[k] = entry->row;
        record->col[k] = entry->col;
        if (matrix->field == MM_INTEGER)
            record->integer[k] = strtoll(entry->text[0], NULL, 10);
        for (int part = 0; matrix->field >= MM_REAL && part <= (matrix->field == MM_COMPLEX); part++)
            record->real[matrix->field == MM_COMPLEX ? 2 * k + part : k] = strtod(entry->text[part], NULL);
    }
    if (matrix->field == MM_INTEGER && is_long(matrix))
        BASE_TRY(set_digits(context, matrix, record));
    if (matrix->is_counted) {
        BASE_TRY(mm_metadata_set(context, record, "perm.row_mult", "%s",
                                 list_counts(matrix->row_count, matrix->nrow, text)));
        BASE_TRY(mm_metadata_set(context, record, "perm.col_mult", "%s",
                                 list_counts(matrix->col_count, matrix->ncol, text)));
    }
done:
    return status;
}

void oracle_write(FILE *file, const oracle_matrix *matrix, const char *name, const char *before) {
    char text[4 * ORACLE_LINES + 1];
    fprintf(file, "%s%%%%MatrixMarket matrix coordinate %s general\n%s%% name: %s\n", before,
            mm_field_name(matrix->field), before, name);
    if (matrix->is_counted) {
        fprintf(file, "%s%% perm.row_mult: %s\n", before, list_counts(matrix->row_count, matrix->nrow, text));
        fprintf(file, "%s%% perm.col_mult: %s\n", before, list_counts(matrix->col_count, matrix->ncol, text));
    }
    fprintf(file, "%s%d %d %d\n", before, matrix->nrow, matrix->ncol, matrix->count);
    for (int k = 0; k < matrix->count; k++) {
        const oracle_entry *entry = &matrix->entry[k];
        fprintf(file, "%s%d %d", before, entry->row + 1, entry->col + 1);
        for (int part = 0; part < 2 && entry->text[part][0]; part++)
            fprintf(file, " %s", entry->text[part]);
        fputc('\n', file);
    }
}
