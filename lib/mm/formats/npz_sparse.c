/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices of SciPy from the arrays that scipy.sparse.save_npz writes. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/formats/npz.h"
#include "mm/record/places.h"

#include <stdlib.h>
#include <string.h>

const char *const mm_npz_part_names[MM_NPZ_PARTS] = {"data",    "shape", "indices", "indptr",
                                                     "offsets", "row",   "col"};

void mm_npz_drop(mm_npz_member *member) {
    free(member->made);
    member->made = NULL;
    member->is_there = false;
}

static base_status take_whole(base_context *context, mm_npz_member *members, mm_npz_part part, int64_t limit,
                              int64_t **result, int64_t *count) {
    mm_npz_member *member = &members[part];
    *result = NULL;
    if (!member->is_there || member->npy.rank != 1)
        return base_fail(context, BASE_DAMAGED, "the sparse matrix has no list '%s'",
                         mm_npz_part_names[part]);
    *count = member->npy.extent[0];
    const base_status status = mm_numbers_read_indices(context, &member->bytes, member->npy.type, *count,
                                                       mm_npz_part_names[part], limit, result);
    mm_npz_drop(member);
    return status;
}

static base_status take_shape(base_context *context, mm_npz_member *members, mm_record *record) {
    base_status status;
    int64_t *shape, count;
    BASE_TRY(take_whole(context, members, MM_NPZ_SHAPE, INT64_C(1) << 62, &shape, &count));
    if (count != 2)
        BASE_TRY(base_fail(context, BASE_FAILED, "a sparse array of %lld dimensions is no matrix",
                           (long long)count));
    record->nrow = shape[0];
    record->ncol = shape[1];
done:
    free(shape);
    return status;
}

/* The numbers of `data`, which are `count`. Booleans that are all true make a pattern. */
static base_status take_values(base_context *context, mm_npz_member *members, int64_t count,
                               mm_record *record) {
    base_status status = BASE_OK;
    mm_npz_member *member = &members[MM_NPZ_DATA];
    bool all_true = true;
    if (!member->is_there || !mm_number_type_is_known(member->npy.type))
        BASE_TRY(
            base_fail(context, BASE_DAMAGED, "the sparse matrix has no numbers of 8 to 64 bits in 'data'"));
    record->nnz = count;
    BASE_TRY(mm_numbers_read_values(context, &member->bytes, member->npy.type, record));
    for (int64_t k = 0; member->npy.type.letter == 'b' && k < count; k++)
        all_true = all_true && record->integer[k] == 1;
    if (member->npy.type.letter == 'b' && all_true) {
        free(record->integer);
        record->integer = NULL;
        record->field = MM_PATTERN;
    }
    mm_npz_drop(member);
done:
    return status;
}

static base_status check_length(base_context *context, const mm_npz_member *members, int64_t length) {
    const mm_npy *data = &members[MM_NPZ_DATA].npy;
    return data->rank == 1 && data->extent[0] == length
               ? BASE_OK
               : base_fail(context, BASE_DAMAGED, "'data' has not as many numbers as there are indices");
}

static base_status read_pairs(base_context *context, mm_npz_member *members, mm_record *record) {
    base_status status;
    int64_t rows, cols;
    BASE_TRY(take_whole(context, members, MM_NPZ_ROW, record->nrow, &record->row, &rows));
    BASE_TRY(take_whole(context, members, MM_NPZ_COL, record->ncol, &record->col, &cols));
    if (rows != cols)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "'row' and 'col' are not of the same length"));
    BASE_TRY(check_length(context, members, rows));
    BASE_TRY(take_values(context, members, rows, record));
done:
    return status;
}

/* Minors that have 32 bits in the file, as they are there; *minor NULL: they have not. */
static base_status take_minors(base_context *context, mm_npz_member *members, int64_t minors, int32_t **minor,
                               int64_t *count) {
    base_status status = BASE_OK;
    mm_npz_member *member = &members[MM_NPZ_INDICES];
    const mm_number_type type = member->npy.type;
    *minor = NULL;
    *count = member->npy.extent[0];
    if (!member->is_there || member->npy.rank != 1 || (type.letter != 'i' && type.letter != 'u') ||
        type.bytes != 4 || type.swapped || minors > INT32_MAX || *count > member->bytes.available / 4)
        goto done;
    *minor = base_alloc(context, *count, sizeof **minor);
    if (*minor == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(member->bytes.read(context, member->bytes.self, (char *)*minor, 4 * (size_t)*count));
    mm_npz_drop(member);
done:
    return status;
}

/* Says which minor is not in the matrix. */
static base_status refuse_minors(base_context *context, mm_number_type type, const int32_t *minor,
                                 int64_t count, int64_t minors) {
    mm_number_memory memory = {(const char *)minor, (const char *)(minor + count)};
    mm_number_bytes bytes = mm_number_bytes_of_memory(&memory);
    int64_t *index;
    const base_status status = mm_numbers_read_indices(context, &bytes, type, count,
                                                       mm_npz_part_names[MM_NPZ_INDICES], minors, &index);
    free(index);
    return status;
}

static base_status read_compressed(base_context *context, mm_npz_member *members, bool by_columns,
                                   mm_record *record) {
    base_status status;
    int64_t starts, count;
    mm_places places = {.by_columns = by_columns};
    const int64_t majors = by_columns ? record->ncol : record->nrow;
    const int64_t minors = by_columns ? record->nrow : record->ncol;
    int64_t **major = by_columns ? &record->col : &record->row;
    int64_t **minor = by_columns ? &record->row : &record->col;
    BASE_TRY(take_minors(context, members, minors, &places.minor, &count));
    if (places.minor == NULL)
        BASE_TRY(take_whole(context, members, MM_NPZ_INDICES, minors, minor, &count));
    BASE_TRY(take_whole(context, members, MM_NPZ_POINTERS, count + 1, &places.start, &starts));
    if (starts != majors + 1)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "'indptr' has %lld numbers, not %lld", (long long)starts,
                           (long long)majors + 1));
    if (places.minor == NULL) {
        BASE_TRY(mm_compressed_expand(context, places.start, majors, count, major));
    } else {
        BASE_TRY(mm_compressed_check(context, places.start, majors, count));
        if (!mm_places_check(&places, majors, count, (int32_t)minors))
            BASE_TRY(refuse_minors(context, members[MM_NPZ_INDICES].npy.type, places.minor, count, minors));
        record->places = places;
        places = (mm_places){.start = NULL};
    }
    BASE_TRY(check_length(context, members, count));
    BASE_TRY(take_values(context, members, count, record));
done:
    free(places.start);
    free(places.minor);
    return status;
}

/* Blocks of height x width numbers by rows; zeros in them are entries, as for SciPy. */
static base_status read_blocks(base_context *context, mm_npz_member *members, mm_record *record) {
    base_status status = BASE_OK;
    const mm_npy *data = &members[MM_NPZ_DATA].npy;
    int64_t *start = NULL, *block_row = NULL, *block_col = NULL, starts, blocks, entries = 0;
    const int64_t height = data->extent[1];
    if (data->rank != 3 || data->by_columns || height < 1 || data->extent[2] < 1 ||
        record->nrow % height != 0 || record->ncol % data->extent[2] != 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the blocks do not divide the matrix"));
    const int64_t width = data->extent[2], majors = record->nrow / height;
    BASE_TRY(take_whole(context, members, MM_NPZ_INDICES, record->ncol / width, &block_col, &blocks));
    BASE_TRY(take_whole(context, members, MM_NPZ_POINTERS, blocks + 1, &start, &starts));
    if (starts != majors + 1 || data->extent[0] != blocks ||
        __builtin_mul_overflow(blocks, height * width, &entries))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "'indptr', 'indices' and 'data' contradict each other"));
    BASE_TRY(mm_compressed_expand(context, start, majors, blocks, &block_row));
    BASE_TRY(take_values(context, members, entries, record));
    record->row = base_alloc(context, entries, sizeof *record->row);
    record->col = base_alloc(context, entries, sizeof *record->col);
    if (record->row == NULL || record->col == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < entries; k++) {
        const int64_t block = k / (height * width), inside = k % (height * width);
        record->row[k] = block_row[block] * height + inside / width;
        record->col[k] = block_col[block] * width + inside % width;
    }
done:
    free(start);
    free(block_row);
    free(block_col);
    return status;
}

/* Diagonals: number `col` of the k-th lies in that column, `offset` to the right of the main one. Zeros are
 * no entries, as for SciPy. */
static base_status read_diagonals(base_context *context, mm_npz_member *members, mm_record *record) {
    base_status status;
    const mm_npy *data = &members[MM_NPZ_DATA].npy;
    mm_npz_member *list = &members[MM_NPZ_OFFSETS];
    int64_t count = list->npy.extent[0], kept = 0, numbers;
    mm_record offsets, all;
    mm_record_init(&offsets);
    mm_record_init(&all);
    if (!list->is_there || list->npy.rank != 1 || data->rank != 2 || data->by_columns ||
        data->extent[0] != count || __builtin_mul_overflow(count, data->extent[1], &numbers))
        return base_fail(context, BASE_DAMAGED, "'offsets' and 'data' contradict each other");
    offsets.nnz = count;
    BASE_TRY(mm_numbers_read_values(context, &list->bytes, list->npy.type, &offsets));
    if (offsets.integer == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "'offsets' are no whole numbers"));
    BASE_TRY(take_values(context, members, numbers, &all));
    if (all.digits != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "diagonals of integers beyond 63 bits"));
    record->field = all.field;
    record->nnz = numbers;
    BASE_TRY(mm_record_alloc(context, record));
    const int words = all.field == MM_COMPLEX ? 2 : 1;
    for (int64_t k = 0; k < numbers; k++) {
        const int64_t col = k % data->extent[1], offset = offsets.integer[k / data->extent[1]];
        const int64_t row = offset > -(INT64_C(1) << 62) && offset < INT64_C(1) << 62 ? col - offset : -1;
        const bool is_zero = all.integer != NULL ? all.integer[k] == 0
                             : all.real != NULL
                                 ? all.real[words * k] == 0 && (words == 1 || all.real[2 * k + 1] == 0)
                                 : false;
        if (row < 0 || row >= record->nrow || col >= record->ncol || is_zero)
            continue;
        record->row[kept] = row;
        record->col[kept] = col;
        if (all.integer != NULL)
            record->integer[kept] = all.integer[k];
        else if (all.real != NULL)
            memcpy(record->real + words * kept, all.real + words * k, 8 * (size_t)words);
        kept++;
    }
    record->nnz = kept;
done:
    mm_record_free(&offsets);
    mm_record_free(&all);
    return status;
}

base_status mm_npz_read_sparse(base_context *context, mm_npz_member members[MM_NPZ_PARTS], const char *format,
                               mm_record *record) {
    base_status status;
    BASE_TRY(take_shape(context, members, record));
    if (strcmp(format, "csr") == 0)
        BASE_TRY(read_compressed(context, members, false, record));
    else if (strcmp(format, "csc") == 0)
        BASE_TRY(read_compressed(context, members, true, record));
    else if (strcmp(format, "coo") == 0)
        BASE_TRY(read_pairs(context, members, record));
    else if (strcmp(format, "bsr") == 0)
        BASE_TRY(read_blocks(context, members, record));
    else if (strcmp(format, "dia") == 0)
        BASE_TRY(read_diagonals(context, members, record));
    else
        BASE_TRY(base_fail(context, BASE_FAILED, "a sparse matrix in a format that is not read"));
done:
    return status;
}
