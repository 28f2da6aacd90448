/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree between the parser and the evaluation of conditions. */
#ifndef MM_WHERE_INTERNAL_H
#define MM_WHERE_INTERNAL_H

#include "mm/where/where.h"

#include <stddef.h>

__extension__ typedef __int128 where_number;

typedef enum where_variable {
    WHERE_NROW,
    WHERE_NCOL,
    WHERE_N,
    WHERE_NNZ,
    WHERE_STORED,
    WHERE_ZEROS,
    WHERE_DENSITY,
    WHERE_SQUARE,
    WHERE_FIELD,
    WHERE_SYMMETRY,
    WHERE_FORMAT,
    WHERE_KIND,
    WHERE_NAME,
    WHERE_COLUMN, /* of the caller */
    WHERE_NO_VARIABLE
} where_variable;

typedef enum where_type { WHERE_CONDITION, WHERE_NUMBER, WHERE_TEXT } where_type;

typedef enum where_operator {
    WHERE_LITERAL,
    WHERE_VALUE_OF, /* a variable */
    WHERE_NOT,
    WHERE_NEGATE,
    WHERE_OR,
    WHERE_AND,
    WHERE_EQUAL,
    WHERE_NOT_EQUAL,
    WHERE_LESS,
    WHERE_LESS_EQUAL,
    WHERE_GREATER,
    WHERE_GREATER_EQUAL,
    WHERE_MATCHES,
    WHERE_MATCHES_NOT,
    WHERE_ADD,
    WHERE_SUBTRACT,
    WHERE_MULTIPLY,
    WHERE_DIVIDE
} where_operator;

typedef struct where_node {
    where_operator action;
    where_type type;
    where_variable variable; /* of WHERE_VALUE_OF; of a literal Matrix Market word, the variable it is of */
    bool bare;               /* a literal without quotes */
    int height;
    int left, right; /* indices of the operands */
    bool is_real;    /* a number literal with a fraction */
    int64_t number;  /* of a literal; the column of WHERE_COLUMN */
    double real;
    int place;  /* in the text, from 0 */
    char *text; /* of a literal; the name of a column */
} where_node;

struct mm_where {
    const mm_where_column *columns; /* the caller's; ended by a NULL name */
    where_node *nodes;
    int64_t count, capacity;
    int root;
};

/* The variable of that name and its type; false: there is none. */
bool where_find_variable(const char *text, size_t length, where_variable *variable, where_type *type);

/* The variable that a word of the Matrix Market is a value of, or WHERE_NO_VARIABLE. */
where_variable where_find_word(const char *text, size_t length);

/* The names of all variables and of the columns, with commas between them. */
const char *where_list_names(const mm_where_column *columns, char *text, size_t size);

/* Parses into an initialised, empty tree. */
base_status mm_where_parse(base_context *context, const char *text, mm_where *where);

#endif
