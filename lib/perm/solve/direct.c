/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks whose method is known without a plan: they go to the batch at once (block.h). */
#include "perm/dense/batch.h"
#include "perm/solve/block.h"

/* As perm_solve_block would choose; *seconds is what it is priced at. */
static bool is_direct(base_context *context, const mm_sparse *block, const perm_solver *solver,
                      double *seconds) {
    const perm_options *options = solver->options;
    const mm_field field =
        solver->partial_result->field > block->field ? solver->partial_result->field : block->field;
    *seconds = 0;
    if (options->batch == NULL || options->emit != NULL || options->precision.has_decimals)
        return false;
    if (options->kernel != NULL)
        return perm_solve_is_deferred(context, options) && block->ncol <= PERM_DENSE_BATCH_LARGEST;
    const perm_plan_options wanted = perm_solve_plan_options(context, solver);
    *seconds = perm_plan_direct_seconds(context, block->ncol, field, &wanted);
    return *seconds > 0;
}

base_status perm_solve_direct(base_context *context, const mm_sparse *block, perm_solver *solver,
                              bool *taken) {
    base_status status = BASE_OK;
    const perm_options *options = solver->options;
    perm_dense_matrix entries = {.n = 0};
    double seconds;
    *taken = is_direct(context, block, solver, &seconds);
    if (!*taken)
        goto done;
    perm_block_result *block_result =
        perm_partial_result_block(context, solver->partial_result, solver->block_result);
    if (block_result == NULL)
        BASE_TRY(BASE_MACHINE);
    block_result->bits =
        options->kernel != NULL || options->precision.kind != PERM_PRECISION_ANY ? 0 : PERM_RESULT_FEW_BITS;
    BASE_TRY(perm_dense_matrix_from_sparse(context, block, &entries));
    BASE_TRY(options->defer(context, options->batch, &entries, solver->partial_result, solver->block_result,
                            block_result->bits));
    if (seconds > 0)
        block_result->cost_seconds = seconds;
    block_result->is_done = true;
done:
    solver->block_result += *taken;
    perm_dense_matrix_free(&entries);
    return status;
}
