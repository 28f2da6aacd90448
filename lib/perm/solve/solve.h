/* SPDX-License-Identifier: BSD-3-Clause */
/* The permanent of a matrix from start to end: Dulmage-Mendelsohn blocks, reduction, a method for what is
 * left of each.
 *
 * The room: options.h has the types; solve.c takes a record apart and puts its value together; square.c finds
 * the blocks, multiplicities.c matrices with equal rows or columns, and rectangular ones; block.c plans a
 * block, run.c has a method compute it, error_sampler.h estimates the error of that, repeat.c has another one
 * compute it again where too few digits are left; wanted.c says what the planner is asked, direct.c does
 * without it. batch.h solves many records together, stream.h keeps batches flowing past each other,
 * cost_history.h knows when devices are worth their start; minors_record.h is perm-gpu --minors. */
#ifndef PERM_SOLVE_SOLVE_H
#define PERM_SOLVE_SOLVE_H

#include "perm/solve/options.h"

void perm_result_init(perm_result *result);
void perm_result_free(perm_result *result); /* NULL is allowed */

/* A matrix by columns, of any size; `counts`, its multiplicities, may be NULL. Patterns and
 * integers give an exact integer, or BASE_FAILED with the estimates when the machine is too small for that;
 * others a value with a bound of its error, and so do all with an inexact precision. */
base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       const perm_counts *counts, perm_result *result);

/* The same for a record, which becomes part of options->work. */
base_status perm_solve_record(base_context *context, const mm_record *record, const perm_options *options,
                              perm_result *result);

/* Sets the context's deadline for a record, and ends it: `status` is that of the record. */
void perm_solve_begin_limit(base_context *context, const perm_options *options);
base_status perm_solve_end_limit(base_context *context, const perm_options *options, base_status status);

/* What options->work->part has of it; `partial_result` is initialised. */
base_status perm_solve_part(base_context *context, const mm_record *record, const perm_options *options,
                            perm_partial_result *partial_result);

/* The permanent of a matrix whose partial result is complete. */
void perm_solve_finish(const perm_partial_result *partial_result, perm_result *result);

#endif
