/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix from which rows and columns are eliminated exactly, by the rules of reduce.h. Each entry is
 * linked along its row and its column. A line is a row or a column, as in König's theorem; the rules treat
 * both alike. Internal to reduce.c and degree/. */
#ifndef PERM_MATRIX_ELIMINATION_H
#define PERM_MATRIX_ELIMINATION_H

#include "perm/matrix/matrix.h"
#include "perm/value/product.h"

typedef struct perm_line {
    int64_t *entry; /* numbers of entries, in no order */
    int64_t count, capacity;
    bool gone;
} perm_line;

/* Lines 0 … n-1 are the rows, lines n … 2n-1 the columns; an entry lies in one of each. */
typedef struct perm_elimination {
    base_context *context;
    int64_t n, left; /* the order at first, and of what is left */
    int64_t nnz;     /* entries at first, which keep their numbers */
    perm_line *lines;
    int64_t (*end)[2]; /* of each entry: its row, its column as a line */
    perm_value *entry;
    perm_product factor; /* what the permanent of the rest is to be multiplied by */
    bool zero;           /* a line became empty: the permanent is 0 */
    int64_t *mark;       /* 2n, all -1 between calls */
    int64_t *stack;      /* lines with two entries or fewer; each at most once */
    bool *stacked;
    int64_t stack_count;
} perm_elimination;

/* Copies the entries. What was allocated before a failure is released by perm_elimination_free. */
base_status perm_elimination_init(base_context *context, const perm_matrix *matrix, perm_elimination *e);
/* The same, but takes the entries out of the matrix, which keeps zeros. */
base_status perm_elimination_init_taking(base_context *context, perm_matrix *matrix, perm_elimination *e);
void perm_elimination_free(perm_elimination *e);

/* The column of an entry in row `at`, as a line; or its row where `at` is a column. */
int64_t perm_elimination_opposite(const perm_elimination *e, int64_t entry, int64_t at);

/* Takes an entry out of the matrix. */
void perm_elimination_drop(perm_elimination *e, int64_t entry);

/* Two rows or two columns, neither gone, change places: their numbers, and those in their entries. */
void perm_elimination_exchange(perm_elimination *e, int64_t a, int64_t b);

/* Eliminates a row, all of whose entries but the given ones are dropped. perm_eliminate_one also takes out
 * the column of `entry`. perm_eliminate_two replaces the columns of `entry` and `other` by one, which stands
 * where the one with the smaller number stood. The same for a column with its rows. */
void perm_eliminate_one(perm_elimination *e, int64_t at, int64_t entry);
base_status perm_eliminate_two(perm_elimination *e, int64_t at, int64_t entry, int64_t other);

/* Eliminates lines of one or two entries, as they come, until none or `stop_n` lines are left. */
base_status perm_elimination_run(perm_elimination *e, int64_t stop_n);

/* A copy of what is left, renumbered, each row in ascending order. */
base_status perm_elimination_rest(const perm_elimination *e, mm_field field, perm_matrix *rest);
/* The same, but takes the entries; then `e` is only good to be freed. */
base_status perm_elimination_take_rest(perm_elimination *e, mm_field field, perm_matrix *rest);

#endif
