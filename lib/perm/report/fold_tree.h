/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of one matrix that have come: a tree of splits whose complete ones are folded into what they
 * split, so that only the open ones are held. */
#ifndef PERM_REPORT_FOLD_TREE_H
#define PERM_REPORT_FOLD_TREE_H

#include "mm/metadata/piece.h"
#include "perm/solve/solve.h"

/* The value of a piece, or of several together. */
typedef struct perm_fold_part {
    int64_t n, nnz;
    mm_field field;
    perm_value value;
} perm_fold_part;

typedef struct perm_fold_node perm_fold_node;

void perm_fold_tree_free(perm_fold_node *root); /* NULL is allowed */

/* Whether a piece may come now: it fits the splits that are open and was not there before. Fails with
 * BASE_FAILED; `name` is the matrix's, for the message. */
base_status perm_fold_tree_check(base_context *context, const perm_fold_node *root, const mm_piece *piece,
                                 const char *name);

/* Adds a piece (of depth 1 at least) that was checked; the part's value is moved away. When the matrix is
 * complete *root becomes NULL and *part what all pieces amount to. *root is NULL before the first. */
base_status perm_fold_tree_add(base_context *context, perm_fold_node **root, const mm_piece *piece,
                               perm_fold_part *part, bool *complete);

/* Says what is missing in the first open split, "3 of its 5 blocks came". */
void perm_fold_tree_missing(const perm_fold_node *root, char *text, size_t size);

#endif
