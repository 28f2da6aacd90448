/* One irreducible, reduced block of solve.h: a method is chosen and run as far as the part of the work goes.
 * Private to solve.c, solve_shape.c
 * and solve_block.c. */
#ifndef PERM_SOLVE_BLOCK_H
#define PERM_SOLVE_BLOCK_H

#include "perm/plan.h"
#include "perm/repeated.h"
#include "perm/solve.h"

/* What a matrix is being solved with. */
typedef struct perm_solver {
    const perm_options *options;
    perm_answer *answer;
    int64_t leaf; /* number of the next one */
} perm_solver;

/* Makes the next leaf of the answer, or goes on with one that a state has. */
base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver);

/* The same for lines with multiplicities, by the sum over these, which is expected to take `seconds`: the
 * leaf is |rows - columns|! times the permanent. */
base_status perm_solve_lines(base_context *context, const perm_lines *lines, double seconds,
                             perm_solver *solver);

/* A square matrix: its blocks, or as it is. Sets the answer's factor. */
base_status perm_solve_square(base_context *context, const mm_sparse *matrix, perm_solver *solver);

/* A matrix of any other shape, or with multiplicities. */
base_status perm_solve_shape(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                             perm_solver *solver);

void perm_solve_tell(const perm_options *options, bool detail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
