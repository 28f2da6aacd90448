/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that conditions know: variables, and the words of the Matrix Market. */
#include "mm/where/internal.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    where_variable variable;
    where_type type;
} variables[] = {
    {"nrow", WHERE_NROW, WHERE_NUMBER},
    {"ncol", WHERE_NCOL, WHERE_NUMBER},
    {"n", WHERE_N, WHERE_NUMBER},
    {"nnz", WHERE_NNZ, WHERE_NUMBER},
    {"nnz_stored", WHERE_STORED, WHERE_NUMBER},
    {"explicit_zeros", WHERE_ZEROS, WHERE_NUMBER},
    {"density", WHERE_DENSITY, WHERE_NUMBER},
    {"square", WHERE_SQUARE, WHERE_CONDITION},
    {"field", WHERE_FIELD, WHERE_TEXT},
    {"symmetry", WHERE_SYMMETRY, WHERE_TEXT},
    {"format", WHERE_FORMAT, WHERE_TEXT},
    {"kind", WHERE_KIND, WHERE_TEXT},
    {"name", WHERE_NAME, WHERE_TEXT},
};

static const struct {
    const char *word;
    where_variable variable;
} words[] = {
    {"pattern", WHERE_FIELD},
    {"integer", WHERE_FIELD},
    {"real", WHERE_FIELD},
    {"complex", WHERE_FIELD},
    {"general", WHERE_SYMMETRY},
    {"symmetric", WHERE_SYMMETRY},
    {"hermitian", WHERE_SYMMETRY},
    {"skew-symmetric", WHERE_SYMMETRY},
    {"coordinate", WHERE_FORMAT},
    {"array", WHERE_FORMAT},
    {"matrix", WHERE_KIND},
    {"scheme", WHERE_KIND},
    {"h2", WHERE_KIND},
    {"state", WHERE_KIND},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static bool is_same(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

bool where_find_variable(const char *text, size_t length, where_variable *variable, where_type *type) {
    for (int i = 0; i < COUNT(variables); i++)
        if (is_same(variables[i].name, text, length)) {
            *variable = variables[i].variable;
            *type = variables[i].type;
            return true;
        }
    return false;
}

where_variable where_find_word(const char *text, size_t length) {
    for (int i = 0; i < COUNT(words); i++)
        if (is_same(words[i].word, text, length))
            return words[i].variable;
    return WHERE_NO_VARIABLE;
}

const char *where_list_names(const mm_where_column *columns, char *text, size_t size) {
    size_t length = 0;
    for (int i = 0; i < COUNT(variables) && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", variables[i].name);
    for (; columns->name != NULL && length < size; columns++) {
        where_variable variable;
        where_type type;
        if (!where_find_variable(columns->name, strlen(columns->name), &variable, &type))
            length += (size_t)snprintf(text + length, size - length, ", %s", columns->name);
    }
    return text;
}
