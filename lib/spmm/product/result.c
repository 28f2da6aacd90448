/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/result.h"

#include <string.h>

/* Less goes through the host's memory. */
static const int64_t least_left = 1 << 20;

static int64_t count_bytes(const spmm_product *product) {
    return product->problem->a.nrow * product->problem->n * (int64_t)sizeof(double);
}

void spmm_way_free(spmm_way *way) {
    base_device_arrival_close(way->arrival);
    base_device_free(&way->columns);
    *way = (spmm_way){.arrival = NULL};
}

base_status spmm_result_has_room(base_context *context, const spmm_product *product, int64_t power,
                                 const spmm_way *way, bool *has) {
    base_status status;
    const int64_t bytes = count_bytes(product), slack = 4 << 20; /* what sizes are rounded up by */
    const int64_t arrays = power > 2 ? 2 : power - 1;            /* of B's size: C as a record is larger */
    int64_t free_bytes = 0;
    BASE_TRY(base_device_get_memory(context, spmm_product_device(product, 0), &free_bytes, NULL, NULL));
    *has = arrays * bytes + (bytes <= way->columns.bytes ? 0 : bytes) + slack <= free_bytes;
done:
    return status;
}

/* The device keeps what the buffer has for as long as the record has a descriptor of it. */
static base_status leave(base_context *context, const base_device_buffer *buffer, mm_record *record) {
    base_status status;
    int descriptor = -1;
    BASE_TRY(base_device_wait(context, buffer->device));
    BASE_TRY(base_device_export(context, buffer, &descriptor));
    if (descriptor < 0)
        goto done;
    record->on_device = (mm_device_memory){.descriptor = descriptor + 1, .bytes = 8 * record->nnz};
    memcpy(record->on_device.uuid, base_device_get_properties(buffer->device)->uuid,
           sizeof record->on_device.uuid);
done:
    return status;
}

/* Room for the product's numbers, in memory that can be handed over, or in `columns`. */
static base_status make_room(base_context *context, base_device *device, int64_t bytes, bool leaves,
                             base_device_buffer *shared, base_device_buffer *columns) {
    base_status status = BASE_OK;
    if (leaves) {
        BASE_TRY(base_device_alloc_shared(context, device, bytes, 1, shared));
    } else if (columns->device != device || columns->bytes < bytes) {
        base_device_free(columns);
        BASE_TRY(base_device_alloc(context, device, bytes, 1, columns));
    }
done:
    return status;
}

/* Two ways pin as much as this of the host's memory at most. */
static bool may_arrive(const base_context *context, int64_t bytes) {
    return bytes >= least_left && bytes <= context->memory_bytes / 16;
}

/* Begins to copy what is in way->columns. */
static base_status send(base_context *context, int64_t bytes, spmm_way *way, mm_record *record) {
    base_status status;
    if (base_device_arrival_room(way->arrival) < bytes) {
        base_device_arrival_close(way->arrival);
        BASE_TRY(base_device_arrival_open(context, way->columns.device, bytes, &way->arrival));
    }
    BASE_TRY(base_device_arrival_begin(context, way->arrival, &way->columns, bytes));
    record->arriving = way->arrival;
done:
    return status;
}

base_status spmm_result_take(base_context *context, spmm_product *product, spmm_goal goal, spmm_way *way,
                             mm_record *record, spmm_overflow *overflow) {
    base_status status;
    base_device_buffer shared = {.device = NULL};
    const int64_t bytes = count_bytes(product);
    const bool leaves = goal == SPMM_LEFT && bytes >= least_left;
    int64_t beyond = 0;
    *overflow = (spmm_overflow){0};
    record->format = MM_ARRAY;
    record->nrow = product->problem->a.nrow;
    record->ncol = product->problem->n;
    record->nnz = record->nrow * record->ncol;
    BASE_TRY(make_room(context, spmm_product_device(product, 0), bytes, leaves, &shared, &way->columns));
    const base_device_buffer *buffer = leaves ? &shared : &way->columns;
    BASE_TRY(spmm_product_store_columns(context, product, buffer, &beyond));
    if (leaves && beyond == 0)
        BASE_TRY(leave(context, buffer, record));
    if (record->on_device.descriptor > 0)
        goto done;
    if (goal == SPMM_ARRIVING && beyond == 0 && may_arrive(context, bytes)) {
        BASE_TRY(send(context, bytes, way, record));
        goto done;
    }
    BASE_TRY(mm_record_alloc(context, record));
    BASE_TRY(base_device_download_pieces(context, buffer, record->real, bytes));
    if (beyond > 0)
        spmm_overflow_find(record, overflow);
done:
    base_device_free(&shared);
    return status;
}
