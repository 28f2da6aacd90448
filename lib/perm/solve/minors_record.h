/* SPDX-License-Identifier: BSD-3-Clause */
/* All minors of the matrix of a record: perm-gpu --minors. */
#ifndef PERM_SOLVE_MINORS_RECORD_H
#define PERM_SOLVE_MINORS_RECORD_H

#include "perm/solve/solve.h"

/* Entry (i, j) of `result`, a general coordinate record without comments but the name, is the permanent of
 * the matrix without row i and column j, times the record's factor: an integer for patterns and integers,
 * else the nearest double; zeros are left out. `% perm.error` is a bound of what any entry is off, where it
 * is not 0. By minors/minors.h, or, where n^2 permanents are expected to take less time or a kernel or a
 * precision that is not of minors/minors.h is asked for, one by one. With options->list nothing but
 * options->log gets lines.
 *
 * Fails with BASE_FAILED for a matrix that is not square, a piece, one with multiplicities or rounded
 * entries, minors beyond the range of doubles, and where perm_solve does. */
base_status perm_minors_record(base_context *context, const mm_record *record, const perm_options *options,
                               mm_record *result);

/* All minors one by one, each by the planner's choice: for matrices that minors/minors.h does not take, or
 * whose permanents cost next to nothing. minor[j n + i], n^2 initialised values, becomes the permanent of a
 * square matrix by columns without row i and column j. Fails as perm_solve does. */
base_status perm_minors_each(base_context *context, const mm_sparse *matrix, const perm_options *options,
                             perm_value *minor);

#endif
