/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/record/record.h"
#include "base/core/map.h"
#include "base/core/memory.h"
#include "base/device/arrival.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mm_record_init(mm_record *record) {
    memset(record, 0, sizeof *record);
    record->field = MM_REAL;
}

void mm_record_free_array(const mm_record *record, void *array) {
    const uintptr_t begin = (uintptr_t)record->memory, at = (uintptr_t)array;
    if (array == NULL) /* most are: a record is freed often when it is empty */
        return;
    if (record->memory == NULL || at < begin || at >= begin + (uintptr_t)record->memory_bytes)
        free(array);
}

void mm_record_close_descriptor(mm_record *record) {
    if (record->descriptor > 0)
        close(record->descriptor - 1);
    record->descriptor = 0;
}

void mm_device_memory_close(mm_device_memory *memory) {
    if (memory->descriptor > 0)
        close(memory->descriptor - 1);
    memset(memory, 0, sizeof *memory);
}

base_status mm_record_fetch(base_context *context, mm_record *record) {
    mm_device_memory *memory = &record->on_device;
    base_status status = BASE_OK;
    void *arrived;
    if (record->arriving != NULL && record->real == NULL) {
        BASE_TRY(base_device_arrival_wait(context, record->arriving, &arrived));
        record->real = arrived;
    }
    if (memory->descriptor == 0)
        goto done;
    const bool is_payload = record->kind == MM_H2 || record->kind == MM_STATE;
    if (!is_payload && record->real == NULL)
        BASE_TRY(mm_record_alloc(context, record));
    char *to = is_payload ? record->payload + memory->first : (char *)record->real;
    BASE_TRY(base_device_fetch(context, memory->uuid, memory->descriptor - 1, memory->bytes, to));
    mm_device_memory_close(memory);
    mm_record_close_descriptor(record);
done:
    return status;
}

void mm_record_free(mm_record *record) {
    if (record == NULL)
        return;
    mm_record_free_array(record, record->row);
    mm_record_free_array(record, record->col);
    free(record->places.start);
    mm_record_free_array(record, record->places.minor);
    if (record->arriving == NULL)
        mm_record_free_array(record, record->real);
    mm_record_free_array(record, record->integer);
    mm_record_free_array(record, record->digits);
    free(record->digits_start);
    base_free_mapped(record->memory, record->memory_bytes);
    mm_record_close_descriptor(record);
    mm_device_memory_close(&record->on_device);
    base_free_mapped(record->payload, record->payload_mapped);
    if (record->payload_descriptor > 0)
        close(record->payload_descriptor - 1);
    free(record->comments);
    mm_record_init(record);
}

void mm_record_move(mm_record *to, mm_record *from) {
    mm_record_free(to);
    *to = *from;
    mm_record_init(from);
}

base_status mm_record_alloc(base_context *context, mm_record *record) {
    if (record->format == MM_ARRAY) {
        record->nnz = mm_array_length(record->nrow, record->ncol, record->symmetry);
        if (record->nnz < 0)
            return base_fail(context, BASE_MACHINE, "an array of %lld by %lld is too large",
                             (long long)record->nrow, (long long)record->ncol);
    } else {
        record->row = base_alloc(context, record->nnz, sizeof *record->row);
        record->col = base_alloc(context, record->nnz, sizeof *record->col);
        if (record->row == NULL || record->col == NULL)
            return BASE_MACHINE;
    }
    switch (record->field) {
    case MM_PATTERN: return BASE_OK;
    case MM_INTEGER:
        record->integer = base_alloc(context, record->nnz, sizeof *record->integer);
        return record->integer != NULL ? BASE_OK : BASE_MACHINE;
    case MM_REAL: record->real = base_alloc(context, record->nnz, sizeof *record->real); break;
    case MM_COMPLEX: record->real = base_alloc(context, record->nnz, 2 * sizeof *record->real); break;
    }
    return record->real != NULL ? BASE_OK : BASE_MACHINE;
}

int64_t mm_array_length(int64_t nrow, int64_t ncol, mm_symmetry symmetry) {
    if (nrow < 0 || ncol < 0)
        return -1;
    unsigned __int128 length = (unsigned __int128)nrow * (uint64_t)ncol;
    if (symmetry == MM_SKEW_SYMMETRIC)
        length = (length - (uint64_t)nrow) / 2;
    else if (symmetry != MM_GENERAL)
        length = (length + (uint64_t)nrow) / 2;
    return length <= (uint64_t)1 << 62 ? (int64_t)length : -1;
}

void mm_array_first(const mm_record *record, int64_t *row, int64_t *col) {
    *row = record->symmetry == MM_SKEW_SYMMETRIC ? 1 : 0;
    *col = 0;
}

void mm_array_next(const mm_record *record, int64_t *row, int64_t *col) {
    if (++*row < record->nrow)
        return;
    ++*col;
    *row = record->symmetry == MM_GENERAL ? 0 : *col + (record->symmetry == MM_SKEW_SYMMETRIC);
}

const char *mm_format_name(mm_format format) {
    return format == MM_COORDINATE ? "coordinate" : "array";
}

const char *mm_field_name(mm_field field) {
    static const char *const names[] = {"pattern", "integer", "real", "complex"};
    return names[field];
}

const char *mm_symmetry_name(mm_symmetry symmetry) {
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    return names[symmetry];
}

const char *mm_kind_name(mm_kind kind) {
    static const char *const names[] = {"matrix", "scheme", "h2", "state"};
    return names[kind];
}
