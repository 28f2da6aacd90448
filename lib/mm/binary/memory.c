/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays of a record in memory that can be handed over (resident.c): rows, columns and values in 8 bytes
 * each (complex ones in 16), or the tail, each array at a multiple of 64 bytes. */
#include "base/core/memory.h"
#include "base/resident/memory.h"
#include "mm/binary/internal.h"

#include <sys/mman.h>

enum { ALIGNMENT = 64 };

static int64_t align(int64_t place) {
    return (place + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_opaque(const mm_binary_header *header) {
    return header->kind == MM_H2 || header->kind == MM_STATE;
}

mm_binary_layout mm_binary_lay_out(const mm_binary_header *header) {
    mm_binary_layout at = {.row = 0};
    const int parts = header->field == MM_COMPLEX ? 2 : header->field == MM_PATTERN ? 0 : 1;
    if (!is_opaque(header) && header->format == MM_COORDINATE)
        at.index_bytes = 8 * header->nnz;
    if (!is_opaque(header) && header->value_bytes > 0)
        at.value_bytes = 8 * parts * header->nnz;
    at.col = align(at.index_bytes);
    at.value = align(at.col + at.index_bytes);
    at.tail = align(at.value + at.value_bytes);
    at.bytes = at.tail + header->tail_bytes;
    return at;
}

void mm_binary_place_arrays(mm_record *record, const mm_binary_header *header, const mm_binary_layout *at,
                            char *bytes, char **tail) {
    if (header->tail_bytes > 0)
        *tail = bytes + at->tail;
    if (is_opaque(header)) {
        record->payload_mapped = at->bytes;
        return;
    }
    record->memory = bytes;
    record->memory_bytes = at->bytes;
    if (header->format == MM_COORDINATE) {
        record->row = (int64_t *)(void *)(bytes + at->row);
        record->col = (int64_t *)(void *)(bytes + at->col);
    }
    if (header->field == MM_REAL || header->field == MM_COMPLEX)
        record->real = (double *)(void *)(bytes + at->value);
    else if (header->field == MM_INTEGER && header->value_bytes > 0)
        record->integer = (int64_t *)(void *)(bytes + at->value);
}

/* ---- what is read into such memory ---- */

bool mm_binary_is_given(const base_context *context, const mm_binary_header *header) {
    const int64_t least = 8 << 20; /* less is copied in no time */
    const int64_t most = INT64_C(1) << 48;
    if (!context->gives_memory || is_opaque(header) || header->tail_bytes > 0 || header->nnz >= most)
        return false;
    const int64_t bytes = mm_binary_lay_out(header).bytes;
    return bytes >= least && base_memory_allows(bytes);
}

base_status mm_binary_alloc_given(base_context *context, const mm_binary_header *header, mm_record *record) {
    base_status status;
    char *bytes;
    int descriptor;
    const mm_binary_layout at = mm_binary_lay_out(header);
    BASE_TRY(base_resident_alloc(context, at.bytes, &bytes, &descriptor));
    record->descriptor = descriptor + 1;
    mm_binary_place_arrays(record, header, &at, bytes, NULL);
done:
    return status;
}

bool mm_binary_fill_given(const mm_record *record, const mm_binary_header *header, int64_t first,
                          int64_t count) {
    const mm_binary_layout at = mm_binary_lay_out(header);
    const int64_t value_bytes = header->nnz > 0 ? at.value_bytes / header->nnz : 0;
    char *memory = record->memory;
    return (at.index_bytes == 0 || (base_resident_fill(memory, at.bytes, at.row + 8 * first, 8 * count) &&
                                    base_resident_fill(memory, at.bytes, at.col + 8 * first, 8 * count))) &&
           base_resident_fill(memory, at.bytes, at.value + value_bytes * first, value_bytes * count);
}

base_status mm_binary_seal_given(base_context *context, const mm_binary_header *header, mm_record *record) {
    base_status status;
    char *bytes;
    const mm_binary_layout at = mm_binary_lay_out(header);
    const int descriptor = record->descriptor - 1;
    munmap(record->memory, (size_t)record->memory_bytes); /* or it could not be sealed */
    record->memory = NULL;
    record->memory_bytes = 0;
    record->row = record->col = record->integer = NULL;
    record->real = NULL;
    BASE_TRY(base_resident_seal(context, descriptor, BASE_RESIDENT_FIXED));
    BASE_TRY(base_resident_map(context, descriptor, BASE_RESIDENT_FIXED, at.bytes, &bytes));
    mm_binary_place_arrays(record, header, &at, bytes, NULL);
done:
    return status;
}
