/* One irreducible, reduced block of solve.h: a method is chosen and run as far as the part of the work goes.
 * Private to solve.c, multiplicities.c, block.c and run.c. */
#ifndef PERM_SOLVE_BLOCK_H
#define PERM_SOLVE_BLOCK_H

#include "perm/multiplicities/multiplicities.h"
#include "perm/plan/plan.h"
#include "perm/solve/solve.h"

/* What a matrix is being solved with. */
typedef struct perm_solver {
    const perm_options *options;
    perm_answer *answer;
    int64_t leaf;      /* number of the next one */
    bool has_integers; /* the block was read as such, which sums in doubles may leave no digits of */
} perm_solver;

/* What is asked for of its work. */
static inline base_part perm_solver_part(const perm_solver *solver) {
    return solver->options->work ? solver->options->work->part : (base_part){0, 0};
}

/* What is to be computed: a matrix with its plan, or lines. */
typedef struct perm_task {
    const perm_matrix *matrix;
    const perm_plan *plan;
    const perm_lines *lines;
} perm_task;

/* Begins with attempt `number` of a leaf or goes on with one from a state, until this part's share of it is
 * done. BASE_USAGE when the state is of another method. */
base_status perm_attempt_run(base_context *context, const perm_task *task, const perm_candidate *way,
                             const perm_solver *solver, perm_leaf *leaf, int number);

/* What its blocks are planned for. */
perm_plan_options perm_solve_plan_options(base_context *context, const perm_solver *solver);

/* Makes the next leaf of the answer, or goes on with one that a state has. */
base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver);

/* Whether the kernel that is named takes blocks from the batch, and can. */
bool perm_solve_is_deferred(base_context *context, const perm_options *options);

/* Gives a block that nothing can be taken out of to the batch, if there is one and its method is known
 * without a plan; else *taken is false. */
base_status perm_solve_quick(base_context *context, const mm_sparse *block, perm_solver *solver, bool *taken);

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
