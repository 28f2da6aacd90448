/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing .mat files of version 5, which MATLAB, Octave and SciPy read: a variable for each matrix. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/arrays/matio.h"
#include "mm/arrays/whole.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file {
    base_output *output;
    mm_whole whole;
    void *created;
    char (*names)[MM_FORMAT_NAME_BYTES];
    int64_t count, capacity;
} file;

static void close_file(void *opened) {
    file *file = opened;
    if (file == NULL)
        return;
    if (file->created != NULL)
        mm_matio.close(file->created);
    mm_whole_close(&file->whole);
    free(file->names);
    free(file);
}

/* The text in front is ours: matio's would have the date. */
static base_status open_file(base_context *context, base_output *output, void **result) {
    base_status status;
    file *file = base_alloc_zero(context, 1, sizeof *file);
    *result = file;
    if (file == NULL)
        return BASE_MACHINE;
    file->output = output;
    BASE_TRY(mm_matio_load(context));
    BASE_TRY(mm_whole_create(context, &file->whole));
    file->created =
        mm_matio.create(file->whole.path, "MATLAB 5.0 MAT-file, written by mmpipe", MM_MAT_VERSION_5);
    if (file->created == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "matio cannot make a file"));
done:
    return status;
}

/* A name as MATLAB allows: a letter, then letters, digits and _, at most 63 of them. */
void mm_mat_write_name(const char *name, char written[MM_FORMAT_NAME_BYTES]) {
    snprintf(written, MM_FORMAT_NAME_BYTES, "%s%.50s", isalpha((unsigned char)name[0]) ? "" : "A_", name);
    for (char *c = written; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* Such a name, or another one where that is taken. */
static base_status choose_name(base_context *context, file *file, const mm_record *record,
                               const char **name) {
    base_status status;
    char *given = NULL;
    BASE_TRY(base_reserve(context, &file->names, &file->capacity, file->count + 1, sizeof *file->names));
    BASE_TRY(mm_record_name(context, record, &given));
    char *made = file->names[file->count];
    mm_mat_write_name(given, made);
    for (int64_t k = 0; k < file->count; k++)
        if (strcmp(file->names[k], made) == 0) {
            snprintf(made + strlen(made), 12, "_%d", (int)(file->count + 1) % 1000000);
            break;
        }
    file->count++;
    *name = made;
done:
    free(given);
    return status;
}

/* ---- a variable ---- */

/* What is handed to matio, which copies nothing. */
typedef struct content {
    mm_mat_parts parts;
    mm_mat_sparse sparse;
    double *real, *imaginary;
    int64_t *start;
} content;

static void free_content(content *content) {
    free(content->real);
    free(content->imaginary);
    free(content->sparse.row);
    free(content->sparse.start);
    free(content->start);
}

/* MATLAB's sparse matrices are double or logical. */
static base_status whole_as_double(base_context *context, const mm_record *record, content *content) {
    content->real = base_alloc(context, record->nnz, sizeof *content->real);
    if (content->real == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < record->nnz; k++) {
        content->real[k] = (double)record->integer[k];
        if (fabs(content->real[k]) > 0x1p53)
            return base_fail(context, BASE_FAILED, "a sparse .mat matrix has doubles, and %lld is none",
                             (long long)record->integer[k]);
    }
    return BASE_OK;
}

static base_status split_parts(base_context *context, const mm_record *record, content *content) {
    content->real = base_alloc(context, record->nnz, sizeof *content->real);
    content->imaginary = base_alloc(context, record->nnz, sizeof *content->imaginary);
    if (content->real == NULL || content->imaginary == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < record->nnz; k++) {
        content->real[k] = record->real[2 * k];
        content->imaginary[k] = record->real[2 * k + 1];
    }
    content->parts = (mm_mat_parts){content->real, content->imaginary};
    return BASE_OK;
}

static base_status make_sparse(base_context *context, mm_record *record, content *content) {
    base_status status;
    mm_mat_sparse *sparse = &content->sparse;
    BASE_TRY(mm_compressed_starts(context, record->col, record->ncol, record->nnz, &content->start));
    sparse->row = base_alloc(context, record->nnz, sizeof *sparse->row);
    sparse->start = base_alloc(context, record->ncol + 1, sizeof *sparse->start);
    if (sparse->row == NULL || sparse->start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++)
        sparse->row[k] = (uint32_t)record->row[k];
    for (int64_t j = 0; j <= record->ncol; j++)
        sparse->start[j] = (uint32_t)content->start[j];
    sparse->room = sparse->rows = sparse->count = (uint32_t)record->nnz;
    sparse->starts = (uint32_t)record->ncol + 1;
    if (record->field == MM_PATTERN) { /* matio takes doubles here, too */
        content->real = base_alloc(context, record->nnz, sizeof *content->real);
        if (content->real == NULL)
            BASE_TRY(BASE_MACHINE);
        for (int64_t k = 0; k < record->nnz; k++)
            content->real[k] = 1;
    }
    sparse->data = record->field == MM_COMPLEX ? (void *)&content->parts
                   : content->real != NULL     ? content->real
                                               : record->real;
done:
    return status;
}

static base_status write_variable(base_context *context, file *file, const char *name, mm_record *record) {
    base_status status = BASE_OK;
    content content = {.real = NULL};
    mm_mat_variable *variable = NULL;
    size_t extents[] = {(size_t)record->nrow, (size_t)record->ncol};
    const bool is_sparse = record->format == MM_COORDINATE, is_whole = record->field == MM_INTEGER;
    if (record->nnz >= INT32_MAX / 16 || record->nrow >= INT32_MAX || record->ncol >= INT32_MAX / 16)
        BASE_TRY(base_fail(context, BASE_FAILED, "a .mat file of version 5 holds variables below 2 GB"));
    if (record->digits != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "a .mat file holds no integers beyond 64 bits"));
    if (is_sparse)
        BASE_TRY(mm_compressed_sort(context, record, true));
    if (is_whole && is_sparse)
        BASE_TRY(whole_as_double(context, record, &content));
    if (record->field == MM_COMPLEX)
        BASE_TRY(split_parts(context, record, &content));
    if (is_sparse)
        BASE_TRY(make_sparse(context, record, &content));
    void *data = is_sparse                     ? (void *)&content.sparse
                 : record->field == MM_COMPLEX ? (void *)&content.parts
                 : is_whole                    ? (void *)record->integer
                                               : (void *)record->real;
    const int class = is_sparse ? MM_MAT_CLASS_SPARSE : is_whole ? MM_MAT_CLASS_INT64 : MM_MAT_CLASS_DOUBLE;
    const int type = is_whole && !is_sparse ? MM_MAT_INT64 : MM_MAT_DOUBLE;
    const int flags = MM_MAT_KEEP | (record->field == MM_COMPLEX ? MM_MAT_COMPLEX : 0) |
                      (record->field == MM_PATTERN ? MM_MAT_LOGICAL : 0);
    variable = mm_matio.create_variable(name, class, type, 2, extents, data, flags);
    if (variable == NULL || mm_matio.write(file->created, variable, 0) != 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "matio cannot write the matrix"));
done:
    mm_matio.free(variable);
    free_content(&content);
    return status;
}

static base_status put_record(base_context *context, void *opened, mm_record *record, bool alone) {
    base_status status;
    file *file = opened;
    const char *name;
    (void)alone;
    BASE_TRY(choose_name(context, file, record, &name));
    BASE_TRY(write_variable(context, file, name, record));
done:
    return status;
}

static base_status finish(base_context *context, void *opened) {
    file *file = opened;
    struct stat about;
    void *created = file->created;
    file->created = NULL;
    if (mm_matio.close(created) != 0 || fstat(file->whole.descriptor, &about) != 0)
        return base_fail(context, BASE_MACHINE, "matio cannot write the file");
    return mm_whole_copy(context, &file->whole, 0, about.st_size, file->output);
}

const mm_format_writer mm_mat_writer = {open_file, put_record, finish, close_file};
