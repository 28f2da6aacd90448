/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix as scipy.sparse.save_npz writes it, without compression: compressed columns or rows where
 * the entries are in that order, else pairs of indices, so that their order stays. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/coding/zip.h"
#include "mm/formats/formats.h"
#include "mm/formats/npy.h"
#include "mm/record/places.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 5 };

typedef struct archive {
    mm_zip_member member[MEMBERS];
    char head[MEMBERS][MM_NPY_HEADER_BYTES];
    char *made[MEMBERS]; /* contents that are not the record's own, to be freed */
    int64_t shape[2], *start;
    int count;
} archive;

/* A new member with a header; its `count` numbers are at `there`. */
static void add_member(archive *archive, const char *name, mm_number_type type, int64_t count,
                       const void *there) {
    char *head = archive->head[archive->count];
    mm_npy_print_header(type, false, count, -1, head);
    archive->member[archive->count++] =
        (mm_zip_member){name, head, MM_NPY_HEADER_BYTES, there, (size_t)(count * type.bytes)};
}

/* The same with room for the numbers. */
static char *add_room(base_context *context, archive *archive, const char *name, mm_number_type type,
                      int64_t count) {
    char *room = archive->made[archive->count] = base_alloc(context, count, type.bytes);
    if (room != NULL)
        add_member(archive, name, type, count, room);
    return room;
}

static base_status add_whole(base_context *context, archive *archive, const char *name, mm_number_type type,
                             const int64_t *from, int64_t count) {
    const char *there = mm_numbers_in_place(type, from, NULL);
    if (there != NULL) {
        add_member(archive, name, type, count, there);
        return BASE_OK;
    }
    char *to = add_room(context, archive, name, type, count);
    if (to == NULL)
        return BASE_MACHINE;
    mm_numbers_put_whole(to, type, from, count);
    return BASE_OK;
}

/* A text of three letters, an array without dimensions. */
static void add_format(archive *archive, const char *format) {
    char *head = archive->head[archive->count];
    add_member(archive, "format.npy", (mm_number_type){'S', 3, false}, 1, format);
    memcpy(strstr(head + 10, "(1,)"), "()  ", 4);
    memcpy(strstr(head + 10, "'<S3'"), "'|S3'", 5);
}

static base_status add_data(base_context *context, archive *archive, const mm_record *record) {
    mm_number_type type;
    base_status status;
    BASE_TRY(mm_npy_type(context, record, &type));
    const bool is_pattern = record->field == MM_PATTERN;
    const char *there = is_pattern ? NULL : mm_numbers_in_place(type, NULL, record);
    char *to = NULL;
    if (there != NULL)
        add_member(archive, "data.npy", type, record->nnz, there);
    else if ((to = add_room(context, archive, "data.npy", type, record->nnz)) == NULL)
        BASE_TRY(BASE_MACHINE);
    else if (is_pattern)
        memset(to, 1, (size_t)record->nnz);
    else
        mm_numbers_put_values(to, type, record, 0, record->nnz);
done:
    return status;
}

/* Places of entries one by one; the three letters of their format. */
static base_status add_entries(base_context *context, archive *archive, mm_number_type type,
                               const mm_record *record, const char **format) {
    base_status status;
    const int64_t nnz = record->nnz;
    const bool by_columns = mm_compressed_is_ordered(record->col, record->row, nnz);
    const bool by_rows = !by_columns && mm_compressed_is_ordered(record->row, record->col, nnz);
    const int64_t majors = by_columns ? record->ncol : record->nrow;
    if ((!by_columns && !by_rows) || majors / 4 > nnz + 1) {
        *format = "coo";
        BASE_TRY(add_whole(context, archive, "row.npy", type, record->row, nnz));
        BASE_TRY(add_whole(context, archive, "col.npy", type, record->col, nnz));
    } else {
        *format = by_columns ? "csc" : "csr";
        BASE_TRY(mm_compressed_starts(context, by_columns ? record->col : record->row, majors, nnz,
                                      &archive->start));
        BASE_TRY(
            add_whole(context, archive, "indices.npy", type, by_columns ? record->row : record->col, nnz));
        BASE_TRY(add_whole(context, archive, "indptr.npy", type, archive->start, majors + 1));
    }
done:
    return status;
}

static base_status add_places(base_context *context, archive *archive, mm_number_type type, mm_record *record,
                              const char **format) {
    base_status status;
    const mm_places *places = &record->places;
    const int64_t majors = places->by_columns ? record->ncol : record->nrow;
    if (type.bytes == 4 && majors / 4 <= record->nnz + 1 && mm_places_are_standard(record)) {
        *format = places->by_columns ? "csc" : "csr";
        add_member(archive, "indices.npy", type, record->nnz, places->minor);
        BASE_TRY(add_whole(context, archive, "indptr.npy", type, places->start, majors + 1));
    } else {
        BASE_TRY(mm_places_expand(context, record));
        BASE_TRY(add_entries(context, archive, type, record, format));
    }
done:
    return status;
}

static base_status fill(base_context *context, archive *archive, mm_record *record) {
    base_status status;
    const char *format;
    archive->shape[0] = record->nrow;
    archive->shape[1] = record->ncol;
    int64_t most = record->nrow > record->ncol ? record->nrow : record->ncol;
    most = record->nnz > most ? record->nnz : most;
    const mm_number_type type = {'i', most <= INT32_MAX ? 4 : 8, false};
    BASE_TRY(add_places(context, archive, type, record, &format));
    add_format(archive, format);
    BASE_TRY(add_whole(context, archive, "shape.npy", (mm_number_type){'i', 8, false}, archive->shape, 2));
    BASE_TRY(add_data(context, archive, record));
done:
    return status;
}

base_status mm_npz_write(base_context *context, base_output *output, mm_record *record) {
    archive archive = {.count = 0};
    base_status status;
    BASE_TRY(fill(context, &archive, record));
    BASE_TRY(mm_zip_write(context, output, archive.member, archive.count));
done:
    for (int i = 0; i < MEMBERS; i++)
        free(archive.made[i]);
    free(archive.start);
    return status;
}
