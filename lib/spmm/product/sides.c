/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/sides.h"
#include "base/core/memory.h"
#include "mm/record/hash.h"
#include "mm/stream/reader.h"
#include "spmm/device/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void extend_hash(spmm_sides *sides, const mm_record *record) {
    char both[2 * BASE_HASH_TEXT] = "";
    memcpy(both, sides->hash, sizeof sides->hash);
    mm_record_hash(record, both + BASE_HASH_TEXT);
    base_hash_text(both, sizeof both, sides->hash);
}

static base_status take(base_context *context, mm_record *record, spmm_precision precision,
                        spmm_sides *sides) {
    base_status status;
    BASE_TRY(base_reserve(context, &sides->side, &sides->capacity, sides->count + 1, sizeof *sides->side));
    spmm_side *side = &sides->side[sides->count];
    *side = (spmm_side){.record = context->place.record};
    if (record->on_device.descriptor > 0) {
        side->dense = (spmm_dense){record->nrow, record->ncol, spmm_format_of(precision), NULL};
        mm_record_move(&side->left, record);
    } else {
        extend_hash(sides, record);
        BASE_TRY(spmm_dense_from_record(context, record, precision, &side->dense));
    }
    sides->count++;
done:
    return status;
}

base_status spmm_sides_read(base_context *context, const char *path, spmm_precision precision, bool leaves,
                            spmm_sides *sides) {
    base_status status;
    mm_reader *reader = NULL;
    mm_record record;
    bool found;
    mm_record_init(&record);
    *sides = (spmm_sides){.path = path};
    BASE_TRY(mm_reader_open(context, &path, 1, false, &reader));
    if (leaves)
        mm_reader_leave_on_device(reader, 1U << MM_MATRIX);
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

void spmm_side_free(spmm_side *side) {
    spmm_dense_free(&side->dense);
    mm_record_free(&side->left);
    for (int k = 0; k < BASE_DEVICES && side->array != NULL; k++)
        spmm_device_array_free(&side->array[k]);
    free(side->array);
    memset(side, 0, sizeof *side);
}

void spmm_sides_free(spmm_sides *sides) {
    if (sides == NULL)
        return;
    for (int64_t k = 0; k < sides->count; k++)
        spmm_side_free(&sides->side[k]);
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

/* ---- where it is ---- */

int64_t spmm_side_bytes(const spmm_side *side) {
    const spmm_dense *dense = &side->dense;
    return dense->nrow * ((dense->ncol + 7) / 8 * 8) * spmm_format_bytes(dense->format) +
           side->left.on_device.bytes;
}

base_status spmm_side_to_host(base_context *context, spmm_precision precision, spmm_side *side) {
    base_status status = BASE_OK;
    spmm_dense dense = {0};
    if (side->dense.value != NULL || side->left.on_device.descriptor == 0)
        goto done;
    BASE_TRY(mm_record_fetch(context, &side->left));
    BASE_TRY(spmm_dense_from_record(context, &side->left, precision, &dense));
    side->dense = dense;
    mm_record_free(&side->left);
done:
    return status;
}

static bool is_on(const mm_record *record, const base_device *device) {
    return record->on_device.descriptor > 0 &&
           memcmp(record->on_device.uuid, base_device_get_properties(device)->uuid, 16) == 0;
}

/* What another program left there. *beyond: numbers that the precision does not have. */
static base_status take_left(base_context *context, base_device *device, spmm_precision precision,
                             const spmm_side *side, const struct spmm_device_array *array, int64_t *beyond) {
    base_status status;
    base_device_buffer columns = {.device = NULL};
    const mm_device_memory *memory = &side->left.on_device;
    BASE_TRY(base_device_import(context, device, memory->descriptor - 1, memory->bytes, &columns));
    BASE_TRY(spmm_device_array_from_columns(context, &columns, precision, array, beyond));
done:
    base_device_free(&columns);
    return status;
}

static base_status send_side(base_context *context, base_device *device, spmm_precision precision,
                             spmm_side *side, struct spmm_device_array *array) {
    base_status status = BASE_OK;
    int64_t beyond = 0;
    const bool is_there = is_on(&side->left, device);
    if (array->buffer.address != 0)
        goto done;
    BASE_TRY(spmm_device_array_alloc(context, device, side->dense.nrow, side->dense.ncol, precision,
                                     side->dense.format, array));
    if (is_there)
        BASE_TRY(take_left(context, device, precision, side, array, &beyond));
    if (is_there && beyond == 0)
        goto done;
    BASE_TRY(spmm_side_to_host(context, precision, side)); /* which says what is wrong with it */
    BASE_TRY(spmm_device_array_upload(context, array, side->dense.value,
                                      side->dense.ncol * spmm_format_bytes(side->dense.format)));
done:
    if (status != BASE_OK)
        spmm_device_array_free(array);
    return status;
}

base_status spmm_side_to_devices(base_context *context, const spmm_product *product, spmm_side *side) {
    base_status status = BASE_OK;
    if (side->array == NULL) {
        side->array = base_alloc_zero(context, BASE_DEVICES, sizeof *side->array);
        if (side->array == NULL)
            BASE_TRY(BASE_MACHINE);
    }
    for (int k = 0; k < product->shares; k++)
        BASE_TRY(send_side(context, spmm_product_device(product, k), product->problem->precision, side,
                           &side->array[k]));
done:
    return status;
}
