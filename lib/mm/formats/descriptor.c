/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/descriptor.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    mm_binsparse_layout layout;
    bool by_columns, is_vector;
} formats[] = {
    {"COO", MM_BINSPARSE_PAIRS, false, false},   {"COOR", MM_BINSPARSE_PAIRS, false, false},
    {"COOC", MM_BINSPARSE_PAIRS, true, false},   {"VEC", MM_BINSPARSE_PAIRS, false, true},
    {"CVEC", MM_BINSPARSE_PAIRS, false, true},   {"CSR", MM_BINSPARSE_STARTS, false, false},
    {"CSC", MM_BINSPARSE_STARTS, true, false},   {"DCSR", MM_BINSPARSE_DOUBLE, false, false},
    {"DCSC", MM_BINSPARSE_DOUBLE, true, false},  {"DMAT", MM_BINSPARSE_DENSE, false, false},
    {"DMATR", MM_BINSPARSE_DENSE, false, false}, {"DMATC", MM_BINSPARSE_DENSE, true, false},
    {"DVEC", MM_BINSPARSE_DENSE, true, true},
};

static const struct {
    const char *name;
    mm_symmetry symmetry;
    bool is_upper;
} structures[] = {
    {"general", MM_GENERAL, false},
    {"symmetric_lower", MM_SYMMETRIC, false},
    {"symmetric_upper", MM_SYMMETRIC, true},
    {"hermitian_lower", MM_HERMITIAN, false},
    {"hermitian_upper", MM_HERMITIAN, true},
    {"skew_symmetric_lower", MM_SKEW_SYMMETRIC, false},
    {"skew_symmetric_upper", MM_SKEW_SYMMETRIC, true},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static base_status take_format(base_context *context, const json_t *own, mm_descriptor *descriptor) {
    const char *name = json_string_value(json_object_get(own, "format"));
    if (name == NULL)
        return base_fail(context, BASE_FAILED, "a custom Binsparse format is not read");
    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(formats[i].name, name) == 0) {
            descriptor->layout = formats[i].layout;
            descriptor->by_columns = formats[i].by_columns;
            descriptor->is_vector = formats[i].is_vector;
            descriptor->is_dmat = strcmp(name, "DMAT") == 0;
            return BASE_OK;
        }
    return base_fail(context, BASE_DAMAGED, "unknown Binsparse format '%.40s'", name);
}

/* A whole number from 0 to 2^62. */
static bool take_size(const json_t *value, int64_t *size) {
    if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) <= 0x1p53 &&
        json_real_value(value) == (double)(int64_t)json_real_value(value)) /* cJSON writes 1e+20 so */
        *size = (int64_t)json_real_value(value);
    else if (json_is_integer(value))
        *size = json_integer_value(value);
    else
        return false;
    return *size >= 0 && *size <= INT64_C(1) << 62;
}

static base_status take_shape(base_context *context, const json_t *own, mm_descriptor *descriptor) {
    const json_t *shape = json_object_get(own, "shape"),
                 *nnz = json_object_get(own, "number_of_stored_values");
    descriptor->ncol = 1;
    descriptor->nnz = -1;
    const size_t rank = json_array_size(shape);
    bool good = rank == 2 || (rank == 1 && descriptor->is_vector);
    good = good && take_size(json_array_get(shape, 0), &descriptor->nrow);
    if (good && rank == 2)
        good = take_size(json_array_get(shape, 1), &descriptor->ncol);
    if (good && descriptor->is_vector)
        good = descriptor->ncol == 1;
    if (good && nnz != NULL)
        good = take_size(nnz, &descriptor->nnz);
    return good ? BASE_OK
                : base_fail(context, BASE_DAMAGED,
                            "Binsparse: shape or number_of_stored_values are not those of a matrix");
}

static base_status take_structure(base_context *context, const json_t *own, mm_descriptor *descriptor) {
    const json_t *structure = json_object_get(own, "structure"), *fill = json_object_get(own, "fill");
    if (json_is_true(fill))
        return base_fail(context, BASE_FAILED, "a Binsparse matrix with a fill value is not read");
    if (structure == NULL)
        return BASE_OK;
    for (size_t i = 0; i < COUNT(structures) && json_is_string(structure); i++)
        if (strcmp(structures[i].name, json_string_value(structure)) == 0) {
            descriptor->symmetry = structures[i].symmetry;
            descriptor->is_upper = structures[i].is_upper;
            return BASE_OK;
        }
    return base_fail(context, BASE_DAMAGED, "Binsparse: unknown structure");
}

/* "iso[complex[float64]]": what stands around the type; the type itself the dataset tells. */
static base_status take_values(base_context *context, const json_t *own, mm_descriptor *descriptor) {
    const char *type = json_string_value(json_object_get(json_object_get(own, "data_types"), "values"));
    if (type == NULL)
        return base_fail(context, BASE_DAMAGED, "Binsparse: data_types has no values");
    descriptor->is_iso = strncmp(type, "iso[", 4) == 0;
    type += descriptor->is_iso ? 4 : 0;
    descriptor->is_complex = strncmp(type, "complex[", 8) == 0;
    descriptor->is_boolean = strncmp(type, "bint8", 5) == 0;
    return BASE_OK;
}

/* ---- comments ---- */

static base_status add_line(base_context *context, mm_descriptor *descriptor, const char *start,
                            const char *key, const char *text, size_t length) {
    const size_t before = descriptor->comments != NULL ? strlen(descriptor->comments) : 0;
    const size_t added = strlen(start) + strlen(key) + 2 + length + 2;
    base_status status = base_resize(context, &descriptor->comments, (int64_t)(before + added), 1);
    if (status != BASE_OK)
        return status;
    char *line = descriptor->comments + before;
    snprintf(line, added, "%s%s%s%.*s\n", start, key, *key != '\0' ? ": " : "", (int)length, text);
    for (char *c = line; c[1] != '\0'; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            *c = '?';
    return BASE_OK;
}

/* Lines of a .mtx file; others get a percent sign. */
static base_status add_comment(base_context *context, mm_descriptor *descriptor, const char *text) {
    base_status status = BASE_OK;
    descriptor->from_mtx2bsp = *text == '%';
    for (; *text != '\0'; text += *text == '\n') {
        const size_t length = strcspn(text, "\n");
        if (length > INT32_MAX)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "a comment of more than 2 GB"));
        BASE_TRY(add_line(context, descriptor, *text == '%' ? "" : "% ", "", text, length));
        text += length;
    }
done:
    return status;
}

/* What stands beside the descriptor: the comment of mtx2bsp, and keys with a text or a number. */
static base_status take_comments(base_context *context, json_t *root, mm_descriptor *descriptor) {
    base_status status = BASE_OK;
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) {
        const char *text = json_string_value(value);
        char number[40] = "";
        if (strcmp(key, "binsparse") == 0)
            continue;
        if (text != NULL && strcmp(key, "comment") == 0) {
            BASE_TRY(add_comment(context, descriptor, text));
            continue;
        }
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (json_is_real(value))
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        text = text != NULL ? text : number;
        if (*text != '\0' && strlen(text) < INT32_MAX && strpbrk(key, "\n:") == NULL)
            BASE_TRY(add_line(context, descriptor, "% ", key, text, strlen(text)));
    }
done:
    return status;
}

base_status mm_descriptor_parse(base_context *context, const char *text, mm_descriptor *descriptor) {
    base_status status = BASE_OK;
    json_error_t error;
    *descriptor = (mm_descriptor){0};
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    const json_t *own = json_object_get(root, "binsparse");
    if (root == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the attribute binsparse is no JSON, line %d: %.100s",
                           error.line, error.text));
    if (!json_is_object(own))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the attribute binsparse has no object binsparse"));
    BASE_TRY(take_format(context, own, descriptor));
    BASE_TRY(take_shape(context, own, descriptor));
    BASE_TRY(take_structure(context, own, descriptor));
    BASE_TRY(take_values(context, own, descriptor));
    BASE_TRY(take_comments(context, root, descriptor));
done:
    json_decref(root);
    if (status != BASE_OK)
        mm_descriptor_free(descriptor);
    return status;
}

void mm_descriptor_free(mm_descriptor *descriptor) {
    if (descriptor == NULL)
        return;
    free(descriptor->comments);
    *descriptor = (mm_descriptor){0};
}

/* ---- writing ---- */

const char *mm_descriptor_type(mm_number_type type) {
    switch (type.letter) {
    case 'b': return "bint8";
    case 'f': return type.bytes == 4 ? "float32" : "float64";
    case 'c': return type.bytes == 8 ? "complex[float32]" : "complex[float64]";
    case 'i':
        return type.bytes == 1 ? "int8" : type.bytes == 2 ? "int16" : type.bytes == 4 ? "int32" : "int64";
    default:
        return type.bytes == 1 ? "uint8" : type.bytes == 2 ? "uint16" : type.bytes == 4 ? "uint32" : "uint64";
    }
}

base_status mm_descriptor_print(base_context *context, const mm_record *record, const char *format,
                                const char *const *types, char **text) {
    json_t *own = json_pack("{s:s, s:s, s:[I, I], s:I, s:{}}", "version", "0.1", "format", format, "shape",
                            (json_int_t)record->nrow, (json_int_t)record->ncol, "number_of_stored_values",
                            (json_int_t)record->nnz, "data_types");
    json_t *root = json_pack("{s:O}", "binsparse", own), *data_types = json_object_get(own, "data_types");
    char *printed = NULL;
    for (; types[0] != NULL; types += 2)
        json_object_set_new(data_types, types[0], json_string(types[1]));
    for (size_t i = 0; i < COUNT(structures) && record->symmetry != MM_GENERAL; i++)
        if (structures[i].symmetry == record->symmetry && !structures[i].is_upper)
            json_object_set_new(own, "structure", json_string(structures[i].name));
    if (record->comments != NULL) {
        const size_t length = strlen(record->comments);
        json_t *comment = json_stringn(record->comments, length > 0 ? length - 1 : 0);
        if (comment == NULL) /* bytes that are no UTF-8 are those of Latin 1 */
            comment = json_null();
        json_object_set_new(root, "comment", comment);
    }
    printed = json_dumps(root, JSON_INDENT(2));
    *text = printed != NULL ? base_copy_text(context, printed, (int64_t)strlen(printed)) : NULL;
    const bool lost = printed == NULL;
    free(printed);
    json_decref(own);
    json_decref(root);
    if (lost)
        return base_fail(context, BASE_MACHINE, "out of memory");
    return *text != NULL ? BASE_OK : BASE_MACHINE;
}
