/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of entries that a family makes: each gets its value as it is pushed. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/generate/internal.h"

enum { TOLD_ENTRIES = 1 << 16 };

base_status generate_refuse(mm_generator *g, const char *cause) {
    return base_fail(g->context, BASE_USAGE, "%s: %s", g->family->name, cause);
}

static base_status grow(mm_generator *g) {
    mm_record *record = g->record;
    base_status status = BASE_OK;
    int64_t capacity = g->capacity + g->capacity / 2 + 64;
    BASE_TRY(base_resize(g->context, &record->row, capacity, sizeof *record->row));
    BASE_TRY(base_resize(g->context, &record->col, capacity, sizeof *record->col));
    if (record->field == MM_INTEGER)
        BASE_TRY(base_resize(g->context, &record->integer, capacity, sizeof *record->integer));
    else if (record->field != MM_PATTERN)
        BASE_TRY(base_resize(g->context, &record->real, capacity,
                             (record->field == MM_COMPLEX ? 2 : 1) * (int64_t)sizeof *record->real));
    g->capacity = capacity;
done:
    return status;
}

base_status generate_push(mm_generator *g, int64_t row, int64_t col) {
    mm_record *record = g->record;
    base_status status = BASE_OK;
    if (record->symmetry != MM_GENERAL &&
        (row < col || (row == col && record->symmetry == MM_SKEW_SYMMETRIC)))
        return BASE_OK;
    if (record->nnz == g->capacity)
        BASE_TRY(grow(g));
    record->row[record->nnz] = row;
    record->col[record->nnz] = col;
    generate_draw(g, record->nnz, row == col && record->symmetry == MM_HERMITIAN);
    record->nnz++;
    if (record->nnz % TOLD_ENTRIES == 0)
        base_progress_add(g->context, TOLD_ENTRIES);
done:
    return status;
}

base_status generate_push_value(mm_generator *g, int64_t row, int64_t col, int64_t value) {
    mm_record *record = g->record;
    int64_t k = record->nnz;
    base_status status = BASE_OK;
    BASE_TRY(generate_push(g, row, col));
    if (g->own_values || record->nnz == k)
        goto done;
    if (record->field == MM_INTEGER)
        record->integer[k] = value;
    else if (record->field == MM_REAL)
        record->real[k] = (double)value;
    else if (record->field == MM_COMPLEX)
        record->real[2 * k] = (double)value;
done:
    return status;
}
