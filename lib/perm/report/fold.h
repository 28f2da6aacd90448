/* SPDX-License-Identifier: BSD-3-Clause */
/* One result for each input matrix, whether it comes whole or in pieces (mm/metadata/piece.h) of mm-dm
 * --blocks and mm-fmdecompose, split one after another in any order and depth. `% perm.factor: VALUE` is a
 * number to multiply a record's permanent by, `% rounded: N` says that its entries were rounded to doubles N
 * times, which counts into the bound. The pieces of a matrix follow each other, in any order; those of two
 * matrices do not mix. Missing and doubled pieces are refused. */
#ifndef PERM_REPORT_FOLD_H
#define PERM_REPORT_FOLD_H

#include "perm/solve/solve.h"

typedef struct perm_fold_node perm_fold_node;

typedef struct perm_fold {
    char *name;
    int64_t n, nnz; /* of all blocks together, of the largest of several terms */
    int64_t pieces; /* records that made the matrix */
    mm_field field; /* the least that holds every piece's and factor's */
    perm_result result;
    int64_t digits;       /* to print (perm_value_print_digits) */
    double seconds;       /* spent, kept by the caller */
    perm_fold_node *open; /* pieces of the matrix that are there already; NULL: none is open */
} perm_fold;

void perm_fold_init(perm_fold *fold);
void perm_fold_free(perm_fold *fold); /* NULL is allowed */

/* Fails with BASE_FAILED, and forgets the matrix, when pieces of it are missing and the record is not one of
 * them, or there is no more record (NULL). */
base_status perm_fold_check(base_context *context, perm_fold *fold, const mm_record *record);

/* Takes a record after perm_fold_check; *complete: the permanent of the whole matrix is in `fold` until the
 * next one. Fails with BASE_FAILED for a piece that was there already and for what perm_solve refuses.
 * Memory: one value for each split that is not complete, a bit for each of its pieces. */
base_status perm_fold_take(base_context *context, perm_fold *fold, const mm_record *record,
                           const perm_options *options, bool *complete);

#endif
