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
 * The room: terms.h is the search for terms, one after the other; simplify.h does what needs no split
 * (elimination, the decomposition of Dulmage and Mendelsohn), split.h chooses the row or column and the
 * entries to split, breadth.h by the order of SUperman's program; scaled.h holds a matrix with its factor and
 * adds two of them, worklist.h finds those that can be added. Beside the methods, for mm-fmdecompose: it sees
 * matrix/ and value/. */
#ifndef PERM_DEGREE_DECOMPOSE_H
#define PERM_DEGREE_DECOMPOSE_H

#include "mm/record/record.h"

typedef enum perm_rule {
    PERM_RULE_SWEEP, /* the first row or column with few enough entries, rows and columns in turn, parted so
                        that both matrices together have fewest entries: what is left differs in few places
                        from one matrix to the next, and much of it merges */
    PERM_RULE_FILL,  /* of the rows and columns with fewest entries and the ways to part those, the one that
                        leaves  fewest entries in both matrices together */
    PERM_RULE_SUPERMAN, /* as SUperman's program: entries in no perfect matching are dropped once, rows and
                           columns of each block stand as a breadth-first search finds them (breadth.h), and
                           the first one with fewest entries is split, its first two entries, as algorithm 4
                           has it */
    PERM_RULE_PLAIN     /* algorithm 4 alone, with rows and columns as they stand. With these two nothing is
                           merged */
} perm_rule;

/* Whether nothing is done to matrices between the steps of algorithm 4. */
static inline bool perm_rule_is_plain(perm_rule rule) {
    return rule == PERM_RULE_SUPERMAN || rule == PERM_RULE_PLAIN;
}

typedef struct perm_decompose_options {
    perm_rule rule;
    int64_t max_degree;   /* rows and columns of up to that many entries are split; 0 to 2: no splitting */
    int64_t stop_n;       /* a matrix of that order or less is a term */
    int64_t max_terms;    /* 0: no limit */
    int64_t most_waiting; /* matrices held at a time so that equal ones, or such as differ in one row or
                             column only, become one; 0, with complex entries or with `round`: depth first,
                             nothing is merged */
    bool round; /* real entries become the nearest doubles instead of integers times powers of two */
} perm_decompose_options;

typedef struct perm_decompose_stats {
    /* Terms found; matrices left out since they have no perfect matching, with the last two rules those of
     * the order of terms only, which their counts include. */
    int64_t terms, zeros;
    int64_t merged; /* matrices that became part of others */
    double n, nnz;  /* sums over the terms given out */
} perm_decompose_stats;

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
