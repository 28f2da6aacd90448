/* SPDX-License-Identifier: BSD-3-Clause */
/* Lenient reading, after the entries: indices from 0, and diagonals that the symmetry excludes. */
#include "base/core/memory.h"
#include "mm/text/internal.h"

/* An index 0 became -1: then all of them count from 0. */
static base_status repair_base(mm_text_reader *reader) {
    mm_record *record = reader->record;
    int64_t least = 0, row = -1, col = -1;
    for (int64_t k = 0; k < record->nnz; k++) {
        int64_t smaller = record->row[k] < record->col[k] ? record->row[k] : record->col[k];
        least = smaller < least ? smaller : least;
        row = record->row[k] > row ? record->row[k] : row;
        col = record->col[k] > col ? record->col[k] : col;
    }
    if (least == 0)
        return BASE_OK;
    int64_t shift_col = reader->shape.vector ? 0 : 1;
    if (row + 1 >= record->nrow || col + shift_col >= record->ncol)
        return base_fail(reader->context, BASE_DAMAGED, "an index 0 and an index equal to the size");
    for (int64_t k = 0; k < record->nnz; k++) {
        record->row[k]++;
        record->col[k] += shift_col;
    }
    mm_text_repair(reader, 1, "indices counted from 0");
    return BASE_OK;
}

/* True when the diagonal contradicts the symmetry. */
static bool has_wrong_diagonal(const mm_record *record) {
    bool skew = record->symmetry == MM_SKEW_SYMMETRIC;
    if (!skew && record->symmetry != MM_HERMITIAN)
        return false;
    if (record->format == MM_ARRAY) {
        for (int64_t k = 0, column = record->nrow; !skew && column > 0; k += column--)
            if (record->real[2 * k + 1] != 0)
                return true;
        return false;
    }
    for (int64_t k = 0; k < record->nnz; k++)
        if (record->row[k] == record->col[k] && (skew || record->real[2 * k + 1] != 0))
            return true;
    return false;
}

/* Entry by entry with its mirror image, into a general record's arrays. */
static base_status expand_entries(base_context *context, const mm_record *record, mm_record *general) {
    int64_t count = 0;
    for (int64_t k = 0; k < record->nnz; k++) {
        mm_text_copy_entry(general, count++, record, k);
        if (record->row[k] == record->col[k])
            continue;
        mm_text_copy_entry(general, count, record, k);
        general->row[count] = record->col[k];
        general->col[count] = record->row[k];
        general->symmetry = record->symmetry;
        if (!mm_text_mirror_value(general, count))
            return base_fail(context, BASE_DAMAGED, "entry (%lld, %lld) cannot be negated",
                             (long long)record->row[k] + 1, (long long)record->col[k] + 1);
        count++;
    }
    return BASE_OK;
}

static void expand_hermitian_array(const mm_record *record, mm_record *general) {
    int64_t n = record->nrow, k = 0;
    for (int64_t col = 0; col < n; col++)
        for (int64_t row = col; row < n; row++, k++) {
            double *below = general->real + 2 * (row + n * col), *above = general->real + 2 * (col + n * row);
            above[0] = record->real[2 * k];
            above[1] = -record->real[2 * k + 1];
            below[0] = record->real[2 * k];
            below[1] = record->real[2 * k + 1];
        }
}

/* A diagonal that the symmetry excludes: the matrix is written out, so that nothing is lost. */
static base_status repair_diagonal(mm_text_reader *reader) {
    base_status status;
    mm_record *record = reader->record, general;
    mm_symmetry symmetry = record->symmetry;
    mm_record_init(&general);
    if (!has_wrong_diagonal(record))
        return BASE_OK;
    if (record->digits != NULL)
        return base_fail(reader->context, BASE_DAMAGED, "big integers on the diagonal of a %s matrix",
                         mm_symmetry_name(symmetry));
    general.format = record->format;
    general.field = record->field;
    general.nrow = general.ncol = record->nrow;
    general.nnz = 2 * record->nnz;
    for (int64_t k = 0; record->format == MM_COORDINATE && k < record->nnz; k++)
        general.nnz -= record->row[k] == record->col[k];
    BASE_TRY(mm_record_alloc(reader->context, &general));
    if (record->format == MM_COORDINATE)
        BASE_TRY(expand_entries(reader->context, record, &general));
    else
        expand_hermitian_array(record, &general);
    general.symmetry = MM_GENERAL;
    general.kind = record->kind;
    general.comments = record->comments;
    record->comments = NULL;
    mm_record_move(record, &general);
    mm_text_repair(reader, 1, "diagonal that a %s matrix cannot have: written out as general",
                   mm_symmetry_name(symmetry));
done:
    mm_record_free(&general);
    return status;
}

base_status mm_text_repair_record(mm_text_reader *reader) {
    base_status status = BASE_OK;
    if (reader->record->format == MM_COORDINATE) {
        BASE_TRY(repair_base(reader));
        BASE_TRY(mm_text_repair_positions(reader));
    }
    BASE_TRY(repair_diagonal(reader));
done:
    return status;
}
