/* SPDX-License-Identifier: BSD-3-Clause */
/* MATLAB's .mat files, versions 4, 5 and 7.3, by matio: every variable that is a sparse or full matrix of
 * numbers becomes a record with its name. Of a structure with a field A, as the SuiteSparse Matrix Collection
 * has it, A is taken, and its name, title and kind. Other variables are passed over. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/arrays/matio.h"
#include "mm/arrays/numbers.h"
#include "mm/arrays/whole.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    mm_whole whole;
    void *opened;
    int64_t variables; /* of a file of version 5; -1: not known */
    int64_t read, count;
} file;

bool mm_mat_detect(const char *data, size_t size) {
    return size >= 128 &&
           (memcmp(data, "MATLAB 5.0 MAT-file", 19) == 0 || memcmp(data, "MATLAB 7.3 MAT-file", 19) == 0);
}

static void close_file(void *opened) {
    file *file = opened;
    if (file == NULL)
        return;
    if (file->opened != NULL)
        mm_matio.close(file->opened);
    mm_matio_forget_errors();
    mm_whole_close(&file->whole);
    free(file);
}

/* Counts the variables of a file of version 5 by their sizes: where matio finds the file damaged, it says no
 * more than at its end. */
static base_status count_variables(base_context *context, file *file) {
    base_status status = BASE_OK;
    unsigned char head[128];
    file->variables = -1;
    if (file->whole.bytes < 128)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the .mat file is cut off"));
    BASE_TRY(mm_whole_read(context, &file->whole, 0, (char *)head, sizeof head));
    if (memcmp(head, "MATLAB 5.0", 10) != 0)
        goto done;
    const bool swapped = head[126] == 'M';
    int64_t at = 128;
    for (file->variables = 0; at < file->whole.bytes; file->variables++) {
        unsigned char tag[8];
        if (file->whole.bytes - at < 8)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "the .mat file is cut off"));
        BASE_TRY(mm_whole_read(context, &file->whole, at, (char *)tag, 8));
        uint32_t bytes = 0;
        for (int i = 0; i < 4; i++)
            bytes = bytes << 8 | tag[swapped ? 4 + i : 7 - i];
        at += 8 + (int64_t)bytes;
    }
    if (at != file->whole.bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the .mat file is cut off"));
done:
    return status;
}

static base_status open_file(base_context *context, mm_source *source, void **result) {
    base_status status;
    file *file = base_alloc_zero(context, 1, sizeof *file);
    *result = file;
    if (file == NULL)
        return BASE_MACHINE;
    BASE_TRY(mm_matio_load(context));
    BASE_TRY(mm_whole_open(context, source, &file->whole));
    BASE_TRY(count_variables(context, file));
    file->opened = mm_matio.open(file->whole.path, MM_MAT_READ);
    if (file->opened == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "matio cannot read this: it is damaged or no .mat file"));
done:
    return status;
}

/* ---- a variable ---- */

static bool find_type(int type, mm_number_type *result) {
    static const struct {
        int type;
        mm_number_type is;
    } types[] = {
        {MM_MAT_INT8, {'i', 1, false}},   {MM_MAT_UINT8, {'u', 1, false}},  {MM_MAT_INT16, {'i', 2, false}},
        {MM_MAT_UINT16, {'u', 2, false}}, {MM_MAT_INT32, {'i', 4, false}},  {MM_MAT_UINT32, {'u', 4, false}},
        {MM_MAT_INT64, {'i', 8, false}},  {MM_MAT_UINT64, {'u', 8, false}}, {MM_MAT_SINGLE, {'f', 4, false}},
        {MM_MAT_DOUBLE, {'f', 8, false}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) {
            *result = types[i].is;
            return true;
        }
    return false;
}

static base_status read_part(base_context *context, const void *data, mm_number_type type, int64_t count,
                             mm_record *part) {
    mm_number_memory memory = {data, (const char *)data + count * type.bytes};
    mm_number_bytes bytes = mm_number_bytes_of_memory(&memory);
    part->nnz = count;
    return mm_numbers_read_values(context, &bytes, type, part);
}

/* Two arrays of real and imaginary parts, in turn. */
static base_status read_parts(base_context *context, const mm_mat_parts *parts, mm_number_type type,
                              int64_t count, mm_record *record) {
    base_status status;
    mm_record real, imaginary;
    mm_record_init(&real);
    mm_record_init(&imaginary);
    if (type.letter != 'f' || parts->real == NULL || parts->imaginary == NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "complex whole numbers are not read"));
    BASE_TRY(read_part(context, parts->real, type, count, &real));
    BASE_TRY(read_part(context, parts->imaginary, type, count, &imaginary));
    record->field = MM_COMPLEX;
    record->real = base_alloc(context, count, 2 * sizeof *record->real);
    if (record->real == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < count; k++) {
        record->real[2 * k] = real.real[k];
        record->real[2 * k + 1] = imaginary.real[k];
    }
done:
    mm_record_free(&real);
    mm_record_free(&imaginary);
    return status;
}

static base_status read_numbers(base_context *context, const mm_mat_variable *variable, const void *data,
                                int64_t count, mm_record *record) {
    base_status status = BASE_OK;
    mm_number_type type;
    if (!find_type(variable->type, &type))
        BASE_TRY(base_fail(context, BASE_FAILED, "the variable %.60s has numbers of an unknown type",
                           variable->name));
    if (count == 0) {
        record->field = variable->is_complex ? MM_COMPLEX : mm_number_field(type);
        const mm_format format = record->format;
        record->format = MM_COORDINATE;
        record->nnz = 0;
        status = mm_record_alloc(context, record);
        record->format = format;
        goto done;
    }
    if (data == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the variable %.60s has no numbers", variable->name));
    record->nnz = count;
    BASE_TRY(variable->is_complex ? read_parts(context, data, type, count, record)
                                  : read_part(context, data, type, count, record));
done:
    return status;
}

/* A logical matrix is a pattern. */
static base_status read_sparse(base_context *context, const mm_mat_variable *variable, mm_record *record) {
    base_status status = BASE_OK;
    const mm_mat_sparse *sparse = variable->data;
    int64_t *start = NULL;
    if (sparse == NULL || sparse->starts != (uint64_t)record->ncol + 1 || sparse->start == NULL ||
        sparse->start[record->ncol] > sparse->rows)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the sparse variable %.60s is damaged", variable->name));
    const int64_t count = sparse->start[record->ncol];
    if (count > 0 && (sparse->row == NULL || (!variable->is_logical && (int64_t)sparse->count < count)))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the sparse variable %.60s is damaged", variable->name));
    start = base_alloc(context, record->ncol + 1, sizeof *start);
    record->row = base_alloc(context, count, sizeof *record->row);
    if (start == NULL || record->row == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t j = 0; j <= record->ncol; j++)
        start[j] = sparse->start[j];
    for (int64_t k = 0; k < count; k++) {
        record->row[k] = sparse->row[k];
        if (record->row[k] >= record->nrow)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "row %lld (from 0) exceeds %lld",
                               (long long)record->row[k], (long long)record->nrow - 1));
    }
    BASE_TRY(mm_compressed_expand(context, start, record->ncol, count, &record->col));
    record->nnz = count;
    record->field = MM_PATTERN;
    if (!variable->is_logical) {
        int64_t *row = record->row, *col = record->col;
        record->row = record->col = NULL;
        status = read_numbers(context, variable, sparse->data, count, record);
        free(record->row);
        free(record->col);
        record->row = row;
        record->col = col;
    }
done:
    free(start);
    return status;
}

static bool is_matrix(const mm_mat_variable *variable) {
    return variable->rank == 2 && variable->extents != NULL && variable->class >= MM_MAT_CLASS_SPARSE &&
           variable->class <= MM_MAT_CLASS_UINT64;
}

static base_status read_variable(base_context *context, const mm_mat_variable *variable, mm_record *record) {
    base_status status = BASE_OK;
    int64_t count;
    record->nrow = (int64_t)variable->extents[0];
    record->ncol = (int64_t)variable->extents[1];
    if (variable->class == MM_MAT_CLASS_SPARSE) {
        BASE_TRY(read_sparse(context, variable, record));
    } else {
        record->format = MM_ARRAY;
        count = mm_array_length(record->nrow, record->ncol, MM_GENERAL);
        if (count < 0 || (count > 0 && (variable->number_bytes < 1 ||
                                        (size_t)count > variable->bytes / (size_t)variable->number_bytes)))
            BASE_TRY(base_fail(context, BASE_DAMAGED, "the variable %.60s is damaged", variable->name));
        BASE_TRY(read_numbers(context, variable, variable->data, count, record));
    }
done:
    return status;
}

/* A text of a structure becomes a comment. */
static base_status add_text(base_context *context, mm_mat_variable *structure, const char *key,
                            mm_record *record) {
    const mm_mat_variable *text = mm_matio.field(structure, key, 0);
    char value[512];
    size_t used = 0;
    if (text == NULL || text->class != MM_MAT_CLASS_CHAR || text->data == NULL || text->number_bytes < 1)
        return BASE_OK;
    for (size_t at = 0; at + (size_t)text->number_bytes <= text->bytes && used + 1 < sizeof value;
         at += (size_t)text->number_bytes)
        value[used++] = ((const char *)text->data)[at]; /* the low byte, of ASCII all of it */
    value[used] = '\0';
    return used > 0 ? mm_metadata_set(context, record, key, "%s", value) : BASE_OK;
}

static base_status read_any(base_context *context, mm_mat_variable *variable, mm_record *record,
                            bool *found) {
    static const char *const keys[] = {"name", "title", "kind"};
    base_status status = BASE_OK;
    mm_mat_variable *inner = variable->class == MM_MAT_CLASS_STRUCT ? mm_matio.field(variable, "A", 0) : NULL;
    const mm_mat_variable *matrix = inner != NULL ? inner : variable;
    if (!is_matrix(matrix))
        goto done;
    *found = true;
    BASE_TRY(read_variable(context, matrix, record));
    if (variable->name != NULL)
        BASE_TRY(mm_metadata_set(context, record, "name", "%s", variable->name));
    for (size_t i = 0; inner != NULL && i < sizeof keys / sizeof *keys; i++)
        BASE_TRY(add_text(context, variable, keys[i], record));
done:
    return status;
}

static base_status next_matrix(base_context *context, void *opened, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    file *file = opened;
    *found = false;
    BASE_TRY(mm_matio_load(context));
    while (!*found) {
        mm_mat_variable *variable = mm_matio.read_next(file->opened);
        if (variable == NULL)
            break;
        file->read++;
        status = read_any(context, variable, record, found);
        mm_matio.free(variable);
        BASE_TRY(status);
    }
    file->count += *found;
    if (!*found && file->variables >= 0 && file->read < file->variables)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "variable %lld of %lld is damaged",
                           (long long)file->read + 1, (long long)file->variables));
    if (!*found && file->count == 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "a .mat file without a matrix"));
done:
    return status;
}

const mm_format_reader mm_mat_reader = {open_file, next_matrix, close_file, NULL};
