/* SPDX-License-Identifier: BSD-3-Clause */
/* Random matrices for permanents, of every kind that users have, as texts of their entries. */
#ifndef TESTS_ORACLE_DRAW_H
#define TESTS_ORACLE_DRAW_H

#include "base/core/random.h"
#include "mm/record/record.h"
#include <stdio.h>

enum {
    ORACLE_ORDER = 14, /* rows and columns, counted as often as they stand, at most, … */
    ORACLE_LINES = 19, /* … but of matrices with factors */
    ORACLE_TEXT = 48   /* of a number, with the NUL */
};

typedef struct oracle_entry {
    int row, col;              /* from 0 */
    char text[2][ORACLE_TEXT]; /* real and imaginary part, as in a file; empty where the field has none */
} oracle_entry;

typedef struct oracle_matrix {
    const char *structure, *numbers; /* what was drawn, in words */
    mm_field field;
    int nrow, ncol, count;
    oracle_entry entry[ORACLE_LINES * ORACLE_LINES]; /* none twice; zeros may be among them */
    bool is_counted;                                 /* rows and columns stand as often as these lists say */
    int row_count[ORACLE_LINES], col_count[ORACLE_LINES];
    bool has_factors; /* products.c */
    int factor[4][ORACLE_LINES][2], shift;
} oracle_matrix;

/* The draw depends on the state of `random` alone. */
void oracle_draw(base_random *random, oracle_matrix *matrix);
/* The few that have factors. */
void oracle_draw_products(base_random *random, oracle_matrix *matrix);

/* Whether --decimal takes the entries for their texts: longer ones stand for shorter ones. */
bool oracle_has_short_texts(const oracle_matrix *matrix);

/* As a record, with perm.row_mult and perm.col_mult where lines are counted; the name is NAME. The record is
 * freed by the caller. */
base_status oracle_to_record(base_context *context, const oracle_matrix *matrix, const char *name,
                             mm_record *record);

/* The same as Matrix Market text, each line after `before`. */
void oracle_write(FILE *file, const oracle_matrix *matrix, const char *name, const char *before);

#endif
