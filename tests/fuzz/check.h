/* SPDX-License-Identifier: BSD-3-Clause */
/* What every record that a reader returns must hold. */
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include "mm/record/record.h"

#include <stdlib.h>

static inline void check_that(bool holds) {
    if (!holds)
        abort();
}

static inline void check_record(const mm_record *record) {
    check_that(record->nrow >= 0 && record->ncol >= 0 && record->nnz >= 0);
    if (record->kind == MM_H2 || record->kind == MM_STATE)
        return;
    check_that((record->field == MM_PATTERN) ==
               (record->real == NULL && record->integer == NULL && record->digits == NULL));
    if (record->format == MM_ARRAY) {
        check_that(record->nnz == mm_array_length(record->nrow, record->ncol, record->symmetry));
        return;
    }
    for (int64_t k = 0; k < record->nnz; k++) {
        check_that(record->row[k] >= 0 && record->row[k] < record->nrow);
        check_that(record->col[k] >= 0 && record->col[k] < record->ncol);
        check_that(record->symmetry == MM_GENERAL || record->row[k] >= record->col[k]);
    }
}

#endif
