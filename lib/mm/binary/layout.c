/* SPDX-License-Identifier: BSD-3-Clause */
/* Which entries and which bytes of the tail lie in which block, and room for those that have come. */
#include "base/core/memory.h"
#include "mm/binary/internal.h"
#include "mm/record/width.h"

#include <string.h>

static int64_t divide_up(int64_t count, int64_t size) {
    return count / size + (count % size != 0);
}

void mm_binary_divide(mm_binary_header *header) {
    header->entry_bytes = header->row_bytes + header->col_bytes + header->value_bytes;
    header->entries_per_block = header->entry_bytes > 0 ? MM_BINARY_BLOCK_BYTES / header->entry_bytes : 0;
    header->entry_blocks = header->entry_bytes > 0 ? divide_up(header->nnz, header->entries_per_block) : 0;
    header->blocks = header->entry_blocks + divide_up(header->tail_bytes, MM_BINARY_BLOCK_BYTES);
}

void mm_binary_plan(const mm_record *record, int64_t record_number, mm_binary_header *header) {
    *header = (mm_binary_header){.record_number = record_number,
                                 .kind = record->kind,
                                 .format = record->format,
                                 .field = record->field,
                                 .symmetry = record->symmetry,
                                 .nrow = record->nrow,
                                 .ncol = record->ncol,
                                 .nnz = record->nnz,
                                 .comments_bytes =
                                     record->comments != NULL ? (int64_t)strlen(record->comments) : 0};
    if (record->kind == MM_H2 || record->kind == MM_STATE) {
        header->tail_bytes = record->payload_bytes;
    } else {
        if (record->format == MM_COORDINATE) {
            header->row_bytes = mm_width_of(0, record->nrow - 1);
            header->col_bytes = mm_width_of(0, record->ncol - 1);
        }
        if (record->field == MM_REAL || record->field == MM_COMPLEX)
            header->value_bytes = record->field == MM_REAL ? 8 : 16;
        else if (record->field == MM_INTEGER && record->digits != NULL && record->nnz > 0)
            header->tail_bytes = record->digits_start[record->nnz];
        else if (record->field == MM_INTEGER)
            header->value_bytes = mm_width_of_values(record->integer, record->nnz);
    }
    mm_binary_divide(header);
}

int64_t mm_binary_block_entries(const mm_binary_header *header, int64_t block, int64_t *first) {
    *first = block * header->entries_per_block;
    int64_t left = header->nnz - *first;
    return left < header->entries_per_block ? left : header->entries_per_block;
}

int64_t mm_binary_block_raw_bytes(const mm_binary_header *header, int64_t block) {
    int64_t first;
    if (block < header->entry_blocks)
        return mm_binary_block_entries(header, block, &first) * header->entry_bytes;
    int64_t left = header->tail_bytes - (block - header->entry_blocks) * MM_BINARY_BLOCK_BYTES;
    return left < MM_BINARY_BLOCK_BYTES ? left : MM_BINARY_BLOCK_BYTES;
}

/* In a symmetric matrix entries lie below the diagonal or on it, in a skew-symmetric one below it. */
static bool is_lower(const int64_t *row, const int64_t *col, int64_t count, mm_symmetry symmetry) {
    int64_t above = 0, least = symmetry == MM_SKEW_SYMMETRIC;
    for (int64_t i = 0; i < count; i++)
        above |= row[i] - col[i] - least;
    return above >= 0;
}

const char *mm_binary_check_entries(const mm_record *record, int64_t first, int64_t count) {
    const int64_t parts = record->field == MM_COMPLEX ? 2 : 1;
    if (record->row != NULL) {
        const int64_t *row = record->row + first, *col = record->col + first;
        if (!mm_all_below(row, count, record->nrow) || !mm_all_below(col, count, record->ncol))
            return "an index is out of range";
        if (record->symmetry != MM_GENERAL && !is_lower(row, col, count, record->symmetry))
            return "an entry does not lie in the lower triangle";
    }
    if (record->real != NULL && !mm_all_numbers(record->real + parts * first, parts * count))
        return "a value is not a number";
    return NULL;
}

bool mm_binary_is_plain(const mm_binary_header *header, int level) {
    return header->kind == MM_H2 && level == 0 && header->tail_bytes >= MM_BINARY_PLAIN_BYTES;
}

int64_t mm_binary_grown(int64_t capacity, int64_t needed, int64_t most) {
    if (capacity > most / 8)
        return most;
    return 8 * capacity < needed ? needed : 8 * capacity;
}

base_status mm_binary_reserve_tail(base_context *context, const mm_binary_header *header, char **tail,
                                   int64_t *capacity, int64_t needed) {
    if (needed <= *capacity)
        return BASE_OK;
    int64_t room = mm_binary_grown(*capacity, needed, header->tail_bytes);
    base_status status = base_resize(context, tail, room, 1);
    if (status == BASE_OK)
        *capacity = room;
    return status;
}
