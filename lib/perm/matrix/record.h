/* SPDX-License-Identifier: BSD-3-Clause */
/* An exact matrix as a record again; internal to degree/decompose.c. */
#ifndef PERM_MATRIX_RECORD_H
#define PERM_MATRIX_RECORD_H

#include "perm/matrix/matrix.h"

typedef struct perm_term_options {
    bool round; /* real entries become doubles, exact or not */
} perm_term_options;

/* A general coordinate record by columns, the lines of `matrix`. Integers keep all digits, as texts beyond 64
 * bits; a pattern stays one if all its entries are 1. Where an entry of a real matrix is no double, powers of
 * two on rows and columns make all entries integers, and the record is an integer one; but with
 * `round`, and in a complex matrix, entries become the nearest doubles and *rounded says so. Entries beyond
 * the range of doubles are scaled too. *factor, which the permanent is to be multiplied by, makes up for all
 * scaling. Changes the entries of `matrix`. Fails with BASE_FAILED when an entry would become subnormal.
 * O(digits). */
base_status perm_matrix_to_record(base_context *context, perm_matrix *matrix, perm_term_options options,
                                  mm_record *record, perm_value *factor, bool *rounded);

#endif
