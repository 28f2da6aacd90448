/* SPDX-License-Identifier: BSD-3-Clause */
/* The different rows and columns of a matrix, with how often each stands there. */
#ifndef PERM_MATRIX_DISTINCT_H
#define PERM_MATRIX_DISTINCT_H

#include "perm/matrix/matrix.h"

enum { PERM_DISTINCT_MOST = 4096 };

/* A dense matrix of exact entries, column by column, with multiplicities. */
typedef struct perm_distinct {
    int64_t nrow, ncol;
    perm_value *entry;                 /* nrow ncol */
    int64_t *row_count, *column_count; /* nrow and ncol, at least 1 each */
} perm_distinct;

/* From a matrix by columns, of any shape up to PERM_DISTINCT_MOST rows and columns, else BASE_FAILED; all
 * multiplicities 1. O(nrow ncol). */
base_status perm_distinct_from_sparse(base_context *context, const mm_sparse *matrix,
                                      perm_distinct *distinct);
/* The same from a square matrix in compressed form. */
base_status perm_distinct_from_matrix(base_context *context, const perm_matrix *matrix,
                                      perm_distinct *distinct);
void perm_distinct_free(perm_distinct *distinct); /* NULL is allowed */

/* Puts equal rows together, then equal columns: counts add up. */
void perm_distinct_group(perm_distinct *distinct);

#endif
