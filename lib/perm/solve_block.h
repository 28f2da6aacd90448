/* One irreducible, reduced block of solve.h: a method is chosen and run as far as the part of the work goes.
 * Private to solve.c and solve_block.c. */
#ifndef PERM_SOLVE_BLOCK_H
#define PERM_SOLVE_BLOCK_H

#include "perm/matrix.h"
#include "perm/solve.h"

/* What a matrix is being solved with. */
typedef struct perm_solver {
    const perm_options *options;
    perm_answer *answer;
    int64_t leaf; /* number of the next one */
} perm_solver;

/* Makes the next leaf of the answer, or goes on with one that a state has. */
base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver);

void perm_solve_tell(const perm_options *options, bool detail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
