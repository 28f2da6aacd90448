/* One result for each input matrix, whether it comes whole or as the blocks of mm-dm --blocks, whose
 * permanents multiply. Metadata: `% dm.of: NAME` and `% dm.block: k/K` mark a block, `% dm.singular: 1` one
 * of a matrix without a perfect matching, `% perm.factor: VALUE` a number to multiply by. The blocks of a
 * matrix follow each other, in any order; the records of two matrices do not mix. */
#ifndef PERM_FOLD_H
#define PERM_FOLD_H

#include "perm/solve.h"

typedef struct perm_fold {
    char name[512];
    int64_t n, nnz; /* of all blocks together */
    mm_field field; /* the least that holds every block's and factor's */
    perm_result result;
    int64_t count, seen; /* blocks of the matrix; 0: none is open */
    bool *here;          /* count */
    double seconds;      /* spent, kept by the caller */
} perm_fold;

void perm_fold_init(perm_fold *fold);
void perm_fold_free(perm_fold *fold); /* NULL is allowed */

/* Fails with BASE_FAILED, and forgets the matrix, when blocks of it are missing and the record is not one of
 * them, or there is no more record (NULL). */
base_status perm_fold_check(base_context *context, perm_fold *fold, const mm_record *record);

/* Takes a record after perm_fold_check; *complete: the permanent of the whole matrix is in `fold` until the
 * next one. Fails with BASE_FAILED for a block that was there already and for what perm_solve refuses. */
base_status perm_fold_take(base_context *context, perm_fold *fold, const mm_record *record,
                           const perm_options *options, bool *complete);

#endif
