/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix as scipy.sparse.save_npz writes it, without compression: compressed columns or rows where
 * the entries are in that order, else pairs of indices, so that their order stays. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/coding/zip.h"
#include "mm/formats/formats.h"
#include "mm/formats/npy.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 5 };

typedef struct archive {
    mm_zip_member member[MEMBERS];
    char *content[MEMBERS];
    int count;
} archive;

/* A new member with a header and room for `count` numbers. */
static char *add_member(base_context *context, archive *archive, const char *name, mm_number_type type,
                        int64_t count) {
    const int64_t bytes = MM_NPY_HEADER_BYTES + count * type.bytes;
    char *content = base_alloc(context, bytes, 1);
    if (content == NULL)
        return NULL;
    mm_npy_print_header(type, false, count, -1, content);
    archive->content[archive->count] = content;
    archive->member[archive->count++] = (mm_zip_member){name, content, (size_t)bytes};
    return content + MM_NPY_HEADER_BYTES;
}

static base_status add_whole(base_context *context, archive *archive, const char *name, mm_number_type type,
                             const int64_t *from, int64_t count) {
    char *to = add_member(context, archive, name, type, count);
    if (to == NULL)
        return BASE_MACHINE;
    mm_numbers_put_whole(to, type, from, count);
    return BASE_OK;
}

/* A text of three letters, an array without dimensions. */
static base_status add_format(base_context *context, archive *archive, const char *format) {
    char *to = add_member(context, archive, "format.npy", (mm_number_type){'S', 3, false}, 1);
    if (to == NULL)
        return BASE_MACHINE;
    char *header = to - MM_NPY_HEADER_BYTES, *shape = strstr(header + 10, "(1,)");
    memcpy(shape, "()  ", 4);
    char *type = strstr(header + 10, "'<S3'");
    type[1] = '|';
    memcpy(to, format, 3);
    return BASE_OK;
}

static base_status add_data(base_context *context, archive *archive, const mm_record *record) {
    mm_number_type type;
    base_status status;
    BASE_TRY(mm_npy_type(context, record, &type));
    char *to = add_member(context, archive, "data.npy", type, record->nnz);
    if (to == NULL)
        BASE_TRY(BASE_MACHINE);
    if (record->field == MM_PATTERN)
        memset(to, 1, (size_t)record->nnz);
    else
        mm_numbers_put_values(to, type, record, 0, record->nnz);
done:
    return status;
}

static base_status fill(base_context *context, archive *archive, const mm_record *record) {
    base_status status;
    const int64_t shape[] = {record->nrow, record->ncol}, nnz = record->nnz;
    int64_t *start = NULL;
    const bool by_columns = mm_compressed_is_ordered(record->col, record->row, nnz);
    const bool by_rows = !by_columns && mm_compressed_is_ordered(record->row, record->col, nnz);
    const int64_t majors = by_columns ? record->ncol : record->nrow;
    const bool pairs = (!by_columns && !by_rows) || majors / 4 > nnz + 1;
    int64_t most = record->nrow > record->ncol ? record->nrow : record->ncol;
    most = nnz > most ? nnz : most;
    const mm_number_type type = {'i', most <= INT32_MAX ? 4 : 8, false};
    if (pairs) {
        BASE_TRY(add_whole(context, archive, "row.npy", type, record->row, nnz));
        BASE_TRY(add_whole(context, archive, "col.npy", type, record->col, nnz));
    } else {
        BASE_TRY(mm_compressed_starts(context, by_columns ? record->col : record->row, majors, nnz, &start));
        BASE_TRY(
            add_whole(context, archive, "indices.npy", type, by_columns ? record->row : record->col, nnz));
        BASE_TRY(add_whole(context, archive, "indptr.npy", type, start, majors + 1));
    }
    BASE_TRY(add_format(context, archive, pairs ? "coo" : by_columns ? "csc" : "csr"));
    BASE_TRY(add_whole(context, archive, "shape.npy", (mm_number_type){'i', 8, false}, shape, 2));
    BASE_TRY(add_data(context, archive, record));
done:
    free(start);
    return status;
}

base_status mm_npz_write(base_context *context, base_output *output, mm_record *record) {
    archive archive = {.count = 0};
    base_status status;
    BASE_TRY(fill(context, &archive, record));
    BASE_TRY(mm_zip_write(context, output, archive.member, archive.count));
done:
    for (int i = 0; i < archive.count; i++)
        free(archive.content[i]);
    return status;
}
