#include "spmm/product/sides.h"
#include "base/core/memory.h"
#include "mm/stream/reader.h"

#include <stdlib.h>
#include <string.h>

static base_status take(base_context *context, mm_record *record, spmm_precision precision,
                        spmm_sides *sides) {
    base_status status;
    BASE_TRY(base_reserve(context, &sides->side, &sides->capacity, sides->count + 1, sizeof *sides->side));
    spmm_side *side = &sides->side[sides->count];
    side->record = context->place.record;
    BASE_TRY(spmm_dense_from_record(context, record, precision, &side->dense));
    sides->count++;
done:
    return status;
}

base_status spmm_sides_read(base_context *context, const char *path, spmm_precision precision,
                            spmm_sides *sides) {
    base_status status;
    mm_reader *reader = NULL;
    mm_record record;
    bool found;
    mm_record_init(&record);
    *sides = (spmm_sides){.path = path};
    BASE_TRY(mm_reader_open(context, &path, 1, false, &reader));
    for (;;) {
        BASE_TRY(mm_reader_next(context, reader, &record, &found));
        if (!found)
            break;
        if (record.kind == MM_MATRIX)
            BASE_TRY(take(context, &record, precision, sides));
    }
    context->place = (base_place){.record = 0};
    if (sides->count == 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s: there is no matrix", path));
done:
    mm_reader_close(reader);
    mm_record_free(&record);
    return status;
}

void spmm_sides_free(spmm_sides *sides) {
    if (sides == NULL)
        return;
    for (int64_t k = 0; k < sides->count; k++)
        spmm_dense_free(&sides->side[k].dense);
    free(sides->side);
    memset(sides, 0, sizeof *sides);
}

base_status spmm_side_check(base_context *context, const char *what, const spmm_sides *sides, int64_t k,
                            int64_t nrow, int64_t ncol) {
    const spmm_side *side = &sides->side[k];
    const long long rows = side->dense.nrow, columns = side->dense.ncol, number = side->record;
    if (nrow >= 0 && rows != nrow)
        return base_fail(context, BASE_FAILED, "%s: %s: record %lld has %lld rows, not %lld", what,
                         sides->path, number, rows, (long long)nrow);
    if (ncol >= 0 && columns != ncol)
        return base_fail(context, BASE_FAILED, "%s: %s: record %lld has %lld columns, not %lld", what,
                         sides->path, number, columns, (long long)ncol);
    return BASE_OK;
}
