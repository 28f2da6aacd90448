/* SPDX-License-Identifier: BSD-3-Clause */
/* The tokens of conditions (where.h); private to scan.c and parse.c. */
#ifndef MM_WHERE_SCAN_H
#define MM_WHERE_SCAN_H

#include "base/core/context.h"

typedef enum where_token {
    WHERE_TOKEN_END,
    WHERE_TOKEN_NUMBER,
    WHERE_TOKEN_WORD,
    WHERE_TOKEN_STRING,
    WHERE_TOKEN_MARK
} where_token;

typedef struct where_scanner {
    base_context *context;
    const char *text, *at;

    where_token kind;  /* the token in hand … */
    const char *start; /* … and its text, without quotes */
    int length;
    int64_t number;
    bool is_real; /* then `real` is the number */
    double real;
} where_scanner;

/* Takes the next token in hand. Fails with BASE_USAGE where none begins. */
base_status where_scan(where_scanner *scanner);

/* Fails with BASE_USAGE at the token in hand. */
base_status where_mistake(where_scanner *scanner, const char *cause);

#endif
