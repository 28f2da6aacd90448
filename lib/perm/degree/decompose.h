/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix as terms whose permanents, times their factors, add up to its own: degree reduction of
 * Forbert and Marx (Calculation of the permanent of a sparse positive matrix, 2003; SUperman §4.2, equation
 * (6) and algorithm 4).
 *
 * Rows and columns of one or two entries are eliminated (matrix/reduce.h). Where all have more, one of few
 * entries is split. Two entries α and β of a row, in the columns d and e, give
 *
 *     perm(A) = perm(A without the row, d and e replaced by α·e + β·d) + perm(A without α and β),
 *
 * and in the second matrix the row has two entries fewer; columns are split in the same way. What is left is
 * decomposed by Dulmage and Mendelsohn after every step: entries in no perfect matching go, blocks are
 * decomposed one by one and multiply. The permanent is linear in each row and column: two matrices that
 * differ in one of them only, in which one matrix has an entry wherever the other one has, become one.
 *
 * The room: options.h has the rules; terms.h is the search for terms, one after the other; simplify.h does
 * what needs no split (elimination, the decomposition of Dulmage and Mendelsohn), split.h chooses the row or
 * column and the entries to split, breadth.h by the order of SUperman's program; scaled.h holds a matrix with
 * its factor and adds two of them, worklist.h finds those that can be added. Beside the methods, for
 * mm-fmdecompose: it sees matrix/ and value/. */
#ifndef PERM_DEGREE_DECOMPOSE_H
#define PERM_DEGREE_DECOMPOSE_H

#include "mm/record/record.h"
#include "perm/degree/options.h"

typedef struct perm_decomposer perm_decomposer;

/* Decomposes a square matrix, which must outlive the decomposer. Fails with BASE_FAILED when it is not
 * square; with `max_terms`, the terms are counted first, and more are refused. */
base_status perm_decomposer_open(base_context *context, const mm_record *record,
                                 perm_decompose_options options, perm_decomposer **decomposer);

/* The next term, *found false after the last; there is at least one. Each has the matrix's name, its place
 * (mm/metadata/piece.h; the last one of each sum with the number of terms), `% perm.factor` where it is not
 * 1, and `% rounded` where entries became doubles (matrix/record.h); the first carries the other comments.
 * Memory for most_waiting matrices, and for n more, for each level of blocks in blocks. Time for each split:
 * a few passes over its matrix, and over the rows and columns next to those it may choose from. */
base_status perm_decomposer_next(base_context *context, perm_decomposer *decomposer, mm_record *term,
                                 bool *found);

/* Counts all terms without writing them; instead of perm_decomposer_next. */
base_status perm_decomposer_count(base_context *context, perm_decomposer *decomposer);

const perm_decompose_stats *perm_decomposer_stats(const perm_decomposer *decomposer);
void perm_decomposer_close(perm_decomposer *decomposer); /* NULL is allowed */

#endif
