/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/binsparse_matrix.h"
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/formats/descriptor.h"
#include "mm/metadata/metadata.h"
#include "mm/record/places.h"

#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    base_context *context;
    const mm_whole *whole; /* the file */
    mm_hdf5_id group;
    mm_descriptor descriptor;
    mm_record *record;
} matrix;

static base_status open_data(matrix *matrix, const char *name, int64_t count, mm_hdf5_data *data) {
    base_status status = mm_hdf5_open_data(matrix->context, matrix->group, matrix->whole, name, data);
    /* The reference library leaves out datasets that would be empty. */
    if (status == BASE_OK && count >= 0 && data->count != count)
        status = base_fail(matrix->context, BASE_DAMAGED, "the dataset %s has %lld numbers, not %lld", name,
                           (long long)data->count, (long long)count);
    if (status != BASE_OK)
        mm_hdf5_close_data(data);
    return status;
}

static base_status read_indices(matrix *matrix, const char *name, int64_t count, const char *what,
                                int64_t limit, int64_t **result) {
    base_status status;
    mm_hdf5_data data;
    *result = NULL;
    BASE_TRY(open_data(matrix, name, count, &data));
    mm_number_bytes bytes = mm_hdf5_bytes(&data);
    const mm_number_type type = data.id >= 0 ? data.type : (mm_number_type){'u', 1, false};
    BASE_TRY(mm_numbers_read_indices(matrix->context, &bytes, type, data.count, what, limit, result));
done:
    mm_hdf5_close_data(&data);
    return status;
}

/* Indices that become an array of the record. */
static base_status take_indices(matrix *matrix, const char *name, const char *what, int64_t limit,
                                int64_t **result) {
    base_status status;
    mm_hdf5_data data;
    BASE_TRY(open_data(matrix, name, matrix->record->nnz, &data));
    *result = data.type.letter != 'f' ? mm_hdf5_map_data(matrix->context, &data, 8, matrix->record) : NULL;
    if (*result != NULL)
        BASE_TRY(mm_numbers_check_indices(matrix->context, *result, data.count, what, limit));
    else
        BASE_TRY(read_indices(matrix, name, matrix->record->nnz, what, limit, result));
done:
    mm_hdf5_close_data(&data);
    return status;
}

/* Majors of doubly compressed ones, from places where those begin that have entries. */
static base_status read_present(matrix *matrix, int64_t majors, const char *what, int64_t **major) {
    base_status status;
    const int64_t nnz = matrix->record->nnz;
    int64_t *start = NULL, *present = NULL;
    mm_hdf5_data data;
    BASE_TRY(open_data(matrix, "indices_0", -1, &data));
    const int64_t count = data.count;
    mm_hdf5_close_data(&data);
    BASE_TRY(read_indices(matrix, "indices_0", count, what, majors, &present));
    if (count > 0 || nnz > 0) {
        BASE_TRY(read_indices(matrix, "pointers_to_1", count + 1, "pointer", nnz + 1, &start));
        BASE_TRY(mm_compressed_expand(matrix->context, start, count, nnz, major));
    }
    for (int64_t k = 0; *major != NULL && k < nnz; k++)
        (*major)[k] = present[(*major)[k]];
done:
    free(start);
    free(present);
    return status;
}

/* The minors where the file has them, NULL if they have to be read. */
static base_status map_minors(matrix *matrix, int64_t minors, int32_t **result) {
    base_status status;
    mm_hdf5_data data;
    *result = NULL;
    BASE_TRY(open_data(matrix, "indices_1", matrix->record->nnz, &data));
    if (minors <= INT32_MAX && (data.type.letter == 'u' || data.type.letter == 'i'))
        *result = mm_hdf5_map_data(matrix->context, &data, 4, matrix->record);
done:
    mm_hdf5_close_data(&data);
    return status;
}

/* Majors from places where they begin; or the places as they are. Minors out of range are read once more, to
 * be named. */
static base_status read_starts(matrix *matrix, int64_t majors, int64_t minors, int64_t **major) {
    base_status status;
    const int64_t nnz = matrix->record->nnz;
    mm_places places = {.by_columns = matrix->descriptor.by_columns};
    BASE_TRY(read_indices(matrix, "pointers_to_1", majors + 1, "pointer", nnz + 1, &places.start));
    BASE_TRY(mm_compressed_check(matrix->context, places.start, majors, nnz));
    BASE_TRY(map_minors(matrix, minors, &places.minor));
    if (places.minor != NULL && mm_places_check(&places, majors, nnz, (int32_t)minors)) {
        matrix->record->places = places;
        return BASE_OK;
    }
    BASE_TRY(mm_compressed_expand(matrix->context, places.start, majors, nnz, major));
done:
    free(places.start);
    return status;
}

static base_status read_places(matrix *matrix) {
    base_status status;
    mm_record *record = matrix->record;
    const mm_descriptor *descriptor = &matrix->descriptor;
    int64_t **major = descriptor->by_columns ? &record->col : &record->row;
    int64_t **minor = descriptor->by_columns ? &record->row : &record->col;
    const int64_t majors = descriptor->by_columns ? record->ncol : record->nrow;
    const int64_t minors = descriptor->by_columns ? record->nrow : record->ncol;
    const char *const what[] = {descriptor->by_columns ? "column" : "row",
                                descriptor->by_columns ? "row" : "column"};
    if (descriptor->layout == MM_BINSPARSE_PAIRS)
        BASE_TRY(take_indices(matrix, "indices_0", what[0], majors, major));
    else if (descriptor->layout == MM_BINSPARSE_DOUBLE)
        BASE_TRY(read_present(matrix, majors, what[0], major));
    else
        BASE_TRY(read_starts(matrix, majors, minors, major));
    if (record->places.start != NULL)
        goto done;
    if (descriptor->is_vector) {
        record->col = base_alloc_zero(matrix->context, record->nnz, sizeof *record->col);
        if (record->col == NULL)
            BASE_TRY(BASE_MACHINE);
    } else {
        BASE_TRY(take_indices(matrix, "indices_1", what[1], minors, minor));
    }
done:
    return status;
}

/* The one value of all entries. A true one is what the library makes of a pattern. */
static base_status repeat_value(matrix *matrix) {
    mm_record *record = matrix->record;
    const int64_t count = record->nnz;
    if (matrix->descriptor.is_boolean && record->integer != NULL && record->integer[0] != 0 &&
        record->format == MM_COORDINATE) {
        free(record->integer);
        record->integer = NULL;
        record->field = MM_PATTERN;
        return BASE_OK;
    }
    if (record->digits != NULL)
        return base_fail(matrix->context, BASE_FAILED, "one integer beyond 63 bits for all entries");
    const int words = record->field == MM_COMPLEX ? 2 : 1;
    void *place = record->real != NULL ? (void *)&record->real : (void *)&record->integer;
    const base_status status = base_resize(matrix->context, place, count > 0 ? count : 1, 8 * words);
    if (status != BASE_OK)
        return status;
    char *value;
    memcpy(&value, place, sizeof value);
    for (int64_t k = 1; k < count; k++)
        memcpy(value + 8 * words * k, value, 8 * (size_t)words);
    return BASE_OK;
}

static base_status read_values(matrix *matrix) {
    base_status status;
    mm_record *record = matrix->record;
    const mm_descriptor *descriptor = &matrix->descriptor;
    const int64_t nnz = record->nnz;
    mm_hdf5_data data;
    BASE_TRY(open_data(matrix, "values", -1, &data));
    const bool in_pairs = descriptor->is_complex && data.type.letter == 'f';
    mm_number_type type = data.id >= 0 ? data.type : (mm_number_type){'f', 8, false};
    if (in_pairs) {
        type.letter = 'c';
        type.bytes *= 2;
    }
    const int64_t numbers = in_pairs ? data.count / 2 : data.count;
    if (numbers != (descriptor->is_iso ? 1 : nnz) || (in_pairs && data.count % 2 != 0))
        BASE_TRY(base_fail(matrix->context, BASE_DAMAGED,
                           "the dataset values has %lld numbers for %lld entries", (long long)data.count,
                           (long long)nnz));
    if (data.type.letter == 'f' && !descriptor->is_iso &&
        (record->real = mm_hdf5_map_data(matrix->context, &data, 8, matrix->record)) != NULL) {
        record->field = mm_number_field(type);
        BASE_TRY(mm_numbers_check_values(matrix->context, record->real, data.count));
        goto done;
    }
    mm_number_bytes bytes = mm_hdf5_bytes(&data);
    record->nnz = numbers;
    status = mm_numbers_read_values(matrix->context, &bytes, type, record);
    record->nnz = nnz;
    if (status == BASE_OK && descriptor->is_iso)
        status = repeat_value(matrix);
done:
    mm_hdf5_close_data(&data);
    return status;
}

/* ---- dense matrices ---- */

/* Where the k-th stored number of an array by columns lies in the file. mtx2bsp takes rows for columns when
 * it reads an array that is not square: number j·ncol + i comes to i·nrow + j. */
static int64_t place_of(const mm_descriptor *descriptor, int64_t row, int64_t col) {
    const int64_t nrow = descriptor->nrow, ncol = descriptor->ncol;
    if (descriptor->by_columns)
        return col * nrow + row;
    if (descriptor->is_dmat && descriptor->from_mtx2bsp) {
        const int64_t k = col * nrow + row;
        return k % ncol * nrow + k / ncol;
    }
    return row * ncol + col;
}

static base_status arrange(matrix *matrix, mm_record *all) {
    base_status status;
    mm_record *record = matrix->record;
    const int words = all->field == MM_COMPLEX ? 2 : 1;
    const mm_descriptor *descriptor = &matrix->descriptor;
    int64_t row, col;
    if (all->digits != NULL)
        BASE_TRY(base_fail(matrix->context, BASE_FAILED, "a dense matrix of integers beyond 63 bits"));
    record->field = all->field;
    BASE_TRY(mm_record_alloc(matrix->context, record));
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++, mm_array_next(record, &row, &col)) {
        const int64_t from =
            descriptor->is_upper ? place_of(descriptor, col, row) : place_of(descriptor, row, col);
        if (all->integer != NULL)
            record->integer[k] = all->integer[from];
        else
            memcpy(record->real + words * k, all->real + words * from, 8 * (size_t)words);
    }
done:
    return status;
}

/* All numbers as they lie there, then in the order of an array; of a symmetric matrix one triangle. */
static base_status read_dense(matrix *matrix) {
    base_status status = BASE_OK;
    mm_record *record = matrix->record, all;
    const mm_descriptor *descriptor = &matrix->descriptor;
    mm_record_init(&all);
    record->format = all.format = MM_ARRAY;
    all.nnz = mm_array_length(record->nrow, record->ncol, MM_GENERAL);
    if (record->symmetry != MM_GENERAL && record->nrow != record->ncol)
        BASE_TRY(base_fail(matrix->context, BASE_DAMAGED, "%s, but not square",
                           mm_symmetry_name(record->symmetry)));
    if (all.nnz < 0 || all.nnz > matrix->whole->bytes * 4096)
        BASE_TRY(base_fail(matrix->context, BASE_DAMAGED, "a dense matrix larger than the file"));
    matrix->record = &all;
    status = read_values(matrix);
    matrix->record = record;
    BASE_TRY(status);
    if (descriptor->is_upper && record->symmetry == MM_HERMITIAN)
        for (int64_t k = 0; all.field == MM_COMPLEX && k < all.nnz; k++)
            all.real[2 * k + 1] = -all.real[2 * k + 1];
    if (descriptor->is_upper && record->symmetry == MM_SKEW_SYMMETRIC)
        BASE_TRY(base_fail(matrix->context, BASE_FAILED, "a dense skew_symmetric_upper matrix is not read"));
    BASE_TRY(arrange(matrix, &all));
done:
    mm_record_free(&all);
    return status;
}

/* ---- matrices ---- */

/* Before its numbers are read, so that messages about them name it. */
static base_status take_comments(matrix *matrix, const char *group) {
    base_status status = BASE_OK;
    mm_record *record = matrix->record;
    record->comments = matrix->descriptor.comments;
    matrix->descriptor.comments = NULL;
    if (group != NULL && !mm_metadata_get(record, "name", NULL, 0))
        BASE_TRY(mm_metadata_add(matrix->context, record, "name", "%s", group));
    mm_metadata_set_place(matrix->context, record);
done:
    return status;
}

/* Places of a symmetric matrix that hold the lower triangle, or the upper one, and need no more. */
static bool take_triangle(matrix *matrix) {
    mm_record *record = matrix->record;
    const bool is_upper = matrix->descriptor.is_upper;
    if (record->places.start == NULL || record->symmetry != MM_SYMMETRIC || record->nrow != record->ncol ||
        !mm_places_are_lower(record, is_upper))
        return false;
    record->places.by_columns ^= is_upper;
    return true;
}

static base_status finish(matrix *matrix) {
    base_status status = BASE_OK;
    mm_record *record = matrix->record;
    if (record->format == MM_COORDINATE && record->symmetry != MM_GENERAL && !take_triangle(matrix)) {
        BASE_TRY(mm_places_expand(matrix->context, record));
        BASE_TRY(mm_triangle_lower(matrix->context, record, matrix->descriptor.is_upper));
    }
    if (record->format == MM_COORDINATE && record->field == MM_INTEGER &&
        mm_metadata_get(record, "scheme", NULL, 0)) {
        record->kind = MM_SCHEME;
        BASE_TRY(mm_places_expand(matrix->context, record));
    }
done:
    return status;
}

base_status mm_binsparse_read(base_context *context, const mm_whole *whole, mm_hdf5_id group,
                              const char *text, const char *name, mm_record *record) {
    base_status status;
    matrix matrix = {.context = context, .whole = whole, .group = group, .record = record};
    const mm_descriptor *descriptor = &matrix.descriptor;
    BASE_TRY(mm_descriptor_parse(context, text, &matrix.descriptor));
    BASE_TRY(take_comments(&matrix, name));
    record->nrow = descriptor->nrow;
    record->ncol = descriptor->ncol;
    record->symmetry = descriptor->symmetry;
    if (descriptor->layout == MM_BINSPARSE_DENSE) {
        BASE_TRY(read_dense(&matrix));
    } else {
        mm_hdf5_data data;
        const char *indices = descriptor->is_vector ? "indices_0" : "indices_1";
        BASE_TRY(open_data(&matrix, indices, descriptor->nnz, &data));
        record->nnz = data.count;
        mm_hdf5_close_data(&data);
        BASE_TRY(read_places(&matrix));
        BASE_TRY(read_values(&matrix));
    }
    BASE_TRY(finish(&matrix));
done:
    mm_descriptor_free(&matrix.descriptor);
    return status;
}
