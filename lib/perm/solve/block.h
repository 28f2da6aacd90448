/* SPDX-License-Identifier: BSD-3-Clause */
/* One irreducible, reduced block of solve.h: a method is chosen and run as far as the part of the work goes.
 * Private to this room. */
#ifndef PERM_SOLVE_BLOCK_H
#define PERM_SOLVE_BLOCK_H

#include "perm/plan/plan.h"
#include "perm/solve/options.h"

/* What a matrix is being solved with. */
typedef struct perm_solver {
    const perm_options *options;
    perm_partial_result *partial_result;
    int64_t block_result; /* number of the next one */
    bool has_integers;    /* the block was read as such, which sums in doubles may leave no digits of */
} perm_solver;

/* What is asked for of its work. */
static inline base_part perm_solver_part(const perm_solver *solver) {
    return solver->options->work != NULL ? solver->options->work->part : (base_part){0, 0};
}

static inline bool perm_solver_is_split(const perm_solver *solver) {
    return perm_solver_part(solver).count > 1;
}

/* What is to be computed: a matrix, or distinct rows and columns with multiplicities. */
typedef struct perm_block {
    const perm_matrix *matrix;
    const perm_distinct *distinct;
} perm_block;

/* Begins with run `number` of a block or goes on with one from a state, until this part's share of it is
 * done. BASE_USAGE when the state is of another method. */
base_status perm_solve_run(base_context *context, const perm_block *block, const perm_candidate *candidate,
                           const perm_solver *solver, perm_block_result *block_result, int number);

/* Bits of a sum that need no second run: more where that is short. */
int64_t perm_solve_choose_bits(const perm_matrix *matrix, const perm_plan_options *wanted,
                               const perm_plan *plan);

/* Whether perm_solve_repeat may find something to do. */
bool perm_solve_may_repeat(const perm_solver *solver, const perm_plan *plan);

/* Computes again what the first run has left too few digits of, and once more where that still has hardly
 * any: a permanent of 0 has none before it is exact. The plan may be made anew. */
base_status perm_solve_repeat(base_context *context, const perm_block *block, perm_plan_options *wanted,
                              perm_plan *plan, const perm_solver *solver, perm_block_result *block_result);

/* What its blocks are planned for. */
perm_plan_options perm_solve_plan_options(base_context *context, const perm_solver *solver);

/* Makes the next block of the result, or goes on with one that a state has. */
base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver);

/* Whether the kernel that is named takes blocks from the batch, and can. */
bool perm_solve_is_deferred(base_context *context, const perm_options *options);

/* Gives a block that nothing can be taken out of to the batch, if there is one and its method is known
 * without a plan; else *taken is false. */
base_status perm_solve_direct(base_context *context, const mm_sparse *block, perm_solver *solver,
                              bool *taken);

/* The same for rows and columns with multiplicities, by the sum over these, which is expected to take
 * `seconds`: the block counts |rows - columns|! times the permanent. */
base_status perm_solve_distinct(base_context *context, const perm_distinct *distinct, double seconds,
                                perm_solver *solver);

/* A square matrix: its blocks, or as it is. Sets the result's factor. */
base_status perm_solve_square(base_context *context, const mm_sparse *matrix, perm_solver *solver);

/* A rectangular matrix, or one with multiplicities. */
base_status perm_solve_rectangular(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                                   perm_solver *solver);

#endif
