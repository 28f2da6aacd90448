/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Binsparse: HDF5 lays the file out, in memory, without the numbers; these go from the record to
 * their places in the output, so that a matrix is copied once. A file of several matrices, whose layout is
 * known only at its end, takes its numbers into the file in memory. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/arrays/hdf5.h"
#include "mm/arrays/row_major.h"
#include "mm/formats/descriptor.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"
#include "mm/record/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARRAYS = 4, BLOCK_NUMBERS = 1 << 15 };

/* An array of the matrix: whole numbers, or the record's values where `whole` is NULL. */
typedef struct array {
    const char *name;
    mm_number_type type; /* in the file; complex numbers are pairs there */
    const char *there;   /* the numbers in that type; NULL: they have to be put */
    const int64_t *whole;
    int64_t count, offset;
} array;

typedef struct file {
    base_output *output;
    mm_whole whole;
    mm_hdf5_id id;
    mm_record lone; /* the matrix of a file that has one */
    int64_t *start;
    int64_t one; /* the value of a pattern */
    array arrays[ARRAYS];
    int count;
    int64_t groups;
} file;

static void close_file(void *opened) {
    file *file = opened;
    if (file == NULL)
        return;
    mm_hdf5_close_file(file->id);
    mm_whole_close(&file->whole);
    mm_record_free(&file->lone);
    free(file->start);
    free(file);
}

static base_status open_file(base_context *context, base_output *output, void **result) {
    base_status status;
    file *file = base_alloc_zero(context, 1, sizeof *file);
    *result = file;
    if (file == NULL)
        return BASE_MACHINE;
    file->output = output;
    file->id = -1;
    mm_record_init(&file->lone);
    BASE_TRY(mm_hdf5_load(context));
    BASE_TRY(mm_whole_create(context, &file->whole));
    BASE_TRY(mm_hdf5_create(context, &file->whole, &file->id));
done:
    return status;
}

/* ---- what a matrix becomes ---- */

/* The least unsigned type for indices and places, as the reference library chooses it. */
static mm_number_type index_type(const mm_record *record) {
    int64_t most = record->nrow > record->ncol ? record->nrow : record->ncol;
    most = record->nnz > most ? record->nnz : most;
    return (mm_number_type){'u',
                            most < UINT8_MAX             ? 1
                            : most < UINT16_MAX          ? 2
                            : most < (int64_t)UINT32_MAX ? 4
                                                         : 8,
                            false};
}

static void add_array(file *file, const char *name, mm_number_type type, const int64_t *whole,
                      int64_t count) {
    file->arrays[file->count++] = (array){.name = name, .type = type, .whole = whole, .count = count};
}

static void add_starts(file *file, const mm_record *record, mm_number_type type, bool by_columns,
                       const char **format) {
    *format = by_columns ? "CSC" : "CSR";
    add_array(file, "pointers_to_1", type, file->start, (by_columns ? record->ncol : record->nrow) + 1);
}

/* Places that are in the file what they are in the record. */
static void take_places(file *file, mm_record *record, mm_number_type type, const char **format) {
    file->start = record->places.start;
    record->places.start = NULL;
    add_array(file, "indices_1", type, NULL, record->nnz);
    file->arrays[0].there = (const char *)record->places.minor;
    add_starts(file, record, type, record->places.by_columns, format);
}

/* Places of a coordinate matrix: compressed columns or rows, whichever its order is; columns where it is
 * neither. Pairs where most rows and columns are empty. */
static base_status add_places(base_context *context, file *file, mm_record *record, const char **format) {
    base_status status = BASE_OK;
    const mm_number_type type = index_type(record);
    const bool pairs = record->ncol / 2 > record->nnz || record->nrow / 2 > record->nnz;
    if (!pairs && type.bytes == 4 && mm_places_are_standard(record)) {
        take_places(file, record, type, format);
        goto done;
    }
    BASE_TRY(mm_places_expand(context, record));
    if (pairs) {
        BASE_TRY(mm_compressed_sort(context, record, false));
        *format = "COO";
        add_array(file, "indices_0", type, record->row, record->nnz);
        add_array(file, "indices_1", type, record->col, record->nnz);
        goto done;
    }
    bool by_columns;
    BASE_TRY(mm_compressed_make(context, record, &by_columns, &file->start));
    add_array(file, "indices_1", type, by_columns ? record->row : record->col, record->nnz);
    add_starts(file, record, type, by_columns, format);
done:
    return status;
}

/* Lists the arrays, and makes the descriptor. */
static base_status describe(base_context *context, file *file, mm_record *record, char **text) {
    base_status status = BASE_OK;
    const char *format = "DMATR", *types[2 * ARRAYS + 1] = {"values"};
    file->count = 0;
    if (record->format == MM_ARRAY)
        BASE_TRY(mm_array_to_rows(context, record));
    else
        BASE_TRY(add_places(context, file, record, &format));
    mm_number_type type = {'b', 1, false};
    file->one = 1;
    if (record->field == MM_PATTERN) {
        types[1] = "iso[bint8]";
        add_array(file, "values", (mm_number_type){'i', 1, false}, &file->one, 1);
    } else {
        BASE_TRY(mm_numbers_least_type(context, record, &type));
        types[1] = mm_descriptor_type(type);
        add_array(file, "values", type, NULL, record->nnz);
    }
    for (int i = 0; i + 1 < file->count; i++) {
        types[2 * i + 2] = file->arrays[i].name;
        types[2 * i + 3] = mm_descriptor_type(file->arrays[i].type);
    }
    types[2 * file->count] = NULL;
    BASE_TRY(mm_descriptor_print(context, record, format, types, text));
done:
    return status;
}

/* ---- into the file ---- */

static base_status lay_out(base_context *context, file *file, mm_hdf5_id group, const char *text) {
    base_status status = BASE_OK;
    for (int i = 0; i < file->count; i++) {
        array *array = &file->arrays[i];
        mm_number_type type = array->type;
        const bool in_pairs = type.letter == 'c';
        if (in_pairs)
            type = (mm_number_type){'f', type.bytes / 2, false};
        BASE_TRY(
            mm_hdf5_create_data(context, group, array->name, type, array->count << in_pairs, &array->offset));
    }
    BASE_TRY(mm_hdf5_write_text(context, group, "binsparse", text));
done:
    return status;
}

static void put(char *to, const array *array, const mm_record *record, int64_t first, int64_t count) {
    if (array->there != NULL)
        memcpy(to, array->there + first * array->type.bytes, (size_t)(count * array->type.bytes));
    else if (array->whole != NULL)
        mm_numbers_put_whole(to, array->type, array->whole + first, count);
    else
        mm_numbers_put_values(to, array->type, record, first, count);
}

static base_status write_into_memory(base_context *context, const file *file, const mm_record *record) {
    base_status status = BASE_OK;
    char *block = base_alloc(context, BLOCK_NUMBERS, 16);
    if (block == NULL)
        return BASE_MACHINE;
    for (int i = 0; i < file->count; i++) {
        const array *array = &file->arrays[i];
        for (int64_t done = 0, some; done < array->count; done += some) {
            some = array->count - done < BLOCK_NUMBERS ? array->count - done : BLOCK_NUMBERS;
            const size_t bytes = (size_t)(some * array->type.bytes);
            put(block, array, record, done, some);
            if (pwrite(file->whole.descriptor, block, bytes,
                       (off_t)(array->offset + done * array->type.bytes)) != (ssize_t)bytes)
                BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write a file in memory"));
        }
    }
done:
    free(block);
    return status;
}

/* A group's name: what HDF5 takes for one step of a path, and a number where that is taken. */
static base_status open_group(base_context *context, file *file, const mm_record *record, mm_hdf5_id *group) {
    base_status status;
    char *name = NULL, safe[256];
    BASE_TRY(mm_record_name(context, record, &name));
    snprintf(safe, sizeof safe - 24, "%s", name);
    for (char *c = safe; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    file->groups++;
    if (safe[0] == '\0' || safe[0] == '.' || mm_hdf5_has_link(file->id, safe))
        snprintf(safe + strlen(safe), 24, "%s%lld", safe[0] != '\0' ? "-" : "", (long long)file->groups);
    BASE_TRY(mm_hdf5_create_group(context, file->id, safe, group));
done:
    free(name);
    return status;
}

static base_status put_record(base_context *context, void *opened, mm_record *record, bool alone) {
    base_status status;
    file *file = opened;
    char *text = NULL;
    mm_hdf5_id group = alone ? file->id : -1;
    free(file->start);
    file->start = NULL;
    if (!alone)
        BASE_TRY(open_group(context, file, record, &group));
    BASE_TRY(describe(context, file, record, &text));
    BASE_TRY(lay_out(context, file, group, text));
    if (alone)
        mm_record_move(&file->lone, record);
    else
        BASE_TRY(write_into_memory(context, file, record));
done:
    free(text);
    if (!alone)
        mm_hdf5_close_object(group);
    return status;
}

/* The numbers in the order of their places, between what HDF5 wrote. */
static base_status write_out(base_context *context, file *file) {
    base_status status = BASE_OK;
    struct stat about;
    int64_t at = 0;
    if (fstat(file->whole.descriptor, &about) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot write a file in memory"));
    while (file->groups == 0) {
        const array *next = NULL;
        for (int i = 0; i < file->count; i++)
            if (file->arrays[i].count > 0 && file->arrays[i].offset >= at &&
                (next == NULL || file->arrays[i].offset < next->offset))
                next = &file->arrays[i];
        if (next == NULL)
            break;
        BASE_TRY(mm_whole_copy(context, &file->whole, at, next->offset - at, file->output));
        const int64_t bytes = next->count * next->type.bytes;
        BASE_TRY(next->there != NULL ? base_output_write(context, file->output, next->there, (size_t)bytes)
                                     : mm_numbers_write(context, file->output, next->type, next->whole,
                                                        &file->lone, next->count));
        at = next->offset + bytes;
    }
    BASE_TRY(mm_whole_copy(context, &file->whole, at, about.st_size - at, file->output));
done:
    return status;
}

static base_status finish(base_context *context, void *opened) {
    file *file = opened;
    const mm_hdf5_id id = file->id;
    file->id = -1;
    const base_status status = mm_hdf5_finish_file(context, id);
    return status == BASE_OK ? write_out(context, file) : status;
}

const mm_format_writer mm_binsparse_writer = {open_file, put_record, finish, close_file};
