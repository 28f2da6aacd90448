/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/npy.h"
#include "base/core/memory.h"
#include "mm/formats/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

bool mm_npy_detect(const char *data, size_t size) {
    return size >= MM_NPY_MAGIC_BYTES && memcmp(data, magic, 6) == 0;
}

/* ---- the header ---- */

/* What stands behind 'key': in the dictionary; NULL: there is no such key. */
static const char *find_key(const char *header, const char *key) {
    char quoted[32];
    for (int i = 0; i < 2; i++) {
        snprintf(quoted, sizeof quoted, i == 0 ? "'%s'" : "\"%s\"", key);
        const char *at = strstr(header, quoted);
        if (at == NULL)
            continue;
        at += strlen(quoted);
        at += strspn(at, " ");
        if (*at == ':')
            return at + 1 + strspn(at + 1, " ");
    }
    return NULL;
}

/* '<f8', '|b1', '>i4' */
static bool read_type(const char *text, mm_number_type *type) {
    if (text == NULL || (*text != '\'' && *text != '"') || strchr("<>|=", text[1]) == NULL ||
        text[1] == '\0' || text[2] == '\0')
        return false;
    type->swapped = text[1] == '>';
    type->letter = text[2];
    char *end;
    const long bytes = strtol(text + 3, &end, 10);
    type->bytes = (int)bytes;
    return (isdigit((unsigned char)text[3]) || text[3] == text[0]) && *end == *text && bytes >= 0 &&
           bytes < 1 << 20;
}

static bool read_shape(const char *text, mm_npy *npy) {
    npy->extent[0] = npy->extent[1] = npy->extent[2] = 1;
    if (text == NULL || *text++ != '(')
        return false;
    for (npy->rank = 0;; npy->rank++) {
        text += strspn(text, " ,");
        if (*text == ')')
            return true;
        char *end;
        const long long extent = strtoll(text, &end, 10);
        if (!isdigit((unsigned char)*text) || extent < 0 || extent > INT64_C(1) << 56 || npy->rank > 30)
            return false;
        if (npy->rank < 3)
            npy->extent[npy->rank] = extent;
        text = end + (*end == 'L');
    }
}

base_status mm_npy_read_header(base_context *context, mm_number_bytes *from, mm_npy *npy) {
    base_status status;
    unsigned char start[12] = {0};
    char *header = NULL;
    *npy = (mm_npy){0};
    BASE_TRY(from->read(context, from->self, (char *)start, 10));
    if (memcmp(start, magic, 6) != 0 || start[6] < 1 || start[6] > 3)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "this is no array of NumPy"));
    size_t length = start[8] | (size_t)start[9] << 8, taken = 10;
    if (start[6] > 1) {
        BASE_TRY(from->read(context, from->self, (char *)start + 10, 2));
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        taken = 12;
    }
    if (length > MM_NPY_HEADER_LIMIT)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "a NumPy header of %zu bytes", length));
    header = base_alloc_zero(context, (int64_t)length + 1, 1);
    if (header == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(from->read(context, from->self, header, length));
    if (from->available >= 0)
        from->available -= (int64_t)(taken + length);
    const char *order = find_key(header, "fortran_order");
    if (order == NULL || !read_shape(find_key(header, "shape"), npy))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "malformed NumPy header"));
    if (!read_type(find_key(header, "descr"), &npy->type))
        BASE_TRY(base_fail(context, BASE_FAILED, "a NumPy array of records or objects is not read"));
    npy->by_columns = strncmp(order, "True", 4) == 0;
done:
    free(header);
    return status;
}

/* ---- a matrix ---- */

/* Brings an array from the order of rows to that of columns, square by square so that both stay in the cache.
 */
static base_status transpose(base_context *context, int64_t nrow, int64_t ncol, int words, void *array) {
    enum { SIDE = 16 };
    int64_t *from, *to;
    memcpy(&from, array, sizeof from);
    to = base_alloc(context, nrow * ncol, 8 * words);
    if (to == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < nrow; i += SIDE)
        for (int64_t j = 0; j < ncol; j += SIDE)
            for (int64_t r = i; r < nrow && r < i + SIDE; r++)
                for (int64_t c = j; c < ncol && c < j + SIDE; c++)
                    for (int w = 0; w < words; w++)
                        to[words * (c * nrow + r) + w] = from[words * (r * ncol + c) + w];
    free(from);
    memcpy(array, &to, sizeof to);
    return BASE_OK;
}

base_status mm_npy_read_matrix(base_context *context, mm_number_bytes *from, const mm_npy *npy,
                               mm_record *record) {
    base_status status = BASE_OK;
    if (npy->rank < 1 || npy->rank > 2)
        BASE_TRY(base_fail(context, BASE_FAILED, "an array of %d dimensions is no matrix", npy->rank));
    if (!mm_number_type_is_known(npy->type))
        BASE_TRY(base_fail(context, BASE_FAILED, "an array of the type %c%d is no matrix of numbers",
                           isprint((unsigned char)npy->type.letter) ? npy->type.letter : '?',
                           npy->type.bytes));
    record->format = MM_ARRAY;
    record->nrow = npy->extent[0];
    record->ncol = npy->extent[1];
    record->nnz = mm_array_length(record->nrow, record->ncol, MM_GENERAL);
    if (record->nnz < 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "an array of more than 2^62 numbers"));
    BASE_TRY(mm_numbers_read_values(context, from, npy->type, record));
    if (npy->by_columns || record->nrow < 2 || record->ncol < 2)
        goto done;
    if (record->digits != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "a matrix by rows with integers beyond 63 bits"));
    if (record->real != NULL)
        BASE_TRY(transpose(context, record->nrow, record->ncol, record->field == MM_COMPLEX ? 2 : 1,
                           &record->real));
    else
        BASE_TRY(transpose(context, record->nrow, record->ncol, 1, &record->integer));
done:
    return status;
}

base_status mm_npy_read(base_context *context, mm_source *source, mm_record *record) {
    base_status status;
    mm_npy npy;
    const char *data;
    size_t size;
    mm_number_bytes bytes = mm_number_bytes_of_source(source);
    BASE_TRY(mm_npy_read_header(context, &bytes, &npy));
    BASE_TRY(mm_npy_read_matrix(context, &bytes, &npy, record));
    BASE_TRY(mm_source_peek(context, source, 1, &data, &size));
    if (size > 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "there is more behind the last number"));
done:
    return status;
}

/* ---- writing ---- */

base_status mm_npy_type(base_context *context, const mm_record *record, mm_number_type *type) {
    switch (record->field) {
    case MM_PATTERN: *type = (mm_number_type){'b', 1, false}; break;
    case MM_REAL: *type = (mm_number_type){'f', 8, false}; break;
    case MM_COMPLEX: *type = (mm_number_type){'c', 16, false}; break;
    case MM_INTEGER:
        *type = (mm_number_type){'i', 8, false};
        return record->digits != NULL ? mm_numbers_least_type(context, record, type) : BASE_OK;
    }
    return BASE_OK;
}

void mm_npy_print_header(mm_number_type type, bool by_columns, int64_t nrow, int64_t ncol,
                         char text[MM_NPY_HEADER_BYTES]) {
    char shape[60];
    snprintf(shape, sizeof shape, ncol < 0 ? "%lld," : "%lld, %lld", (long long)nrow, (long long)ncol);
    memset(text, ' ', MM_NPY_HEADER_BYTES);
    memcpy(text, "\x93NUMPY\1\0v\0", 10);
    const int used = snprintf(
        text + 10, MM_NPY_HEADER_BYTES - 10, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (%s), }",
        type.bytes == 1 ? '|' : '<', type.letter, type.bytes, by_columns ? "True" : "False", shape);
    text[10 + used] = ' ';
    text[MM_NPY_HEADER_BYTES - 1] = '\n';
}

base_status mm_npy_write(base_context *context, base_output *output, mm_record *record) {
    base_status status;
    char header[MM_NPY_HEADER_BYTES];
    mm_number_type type;
    BASE_TRY(mm_npy_type(context, record, &type));
    mm_npy_print_header(type, true, record->nrow, record->ncol, header);
    BASE_TRY(base_output_write(context, output, header, sizeof header));
    BASE_TRY(mm_numbers_write(context, output, type, NULL, record, record->nnz));
done:
    return status;
}
