#include "perm/solve/batch.h"
#include "perm/solve/block.h"
#include <string.h>

bool perm_solve_is_deferred(base_context *context, const perm_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    return options->batch && options->kernel && strcmp(options->kernel, "dense-cuda") == 0 &&
           (kind == PERM_PRECISION_ANY || kind == PERM_PRECISION_DOUBLE || kind == PERM_PRECISION_KAHAN) &&
           perm_plan_finds_devices(context, options->devices);
}

/* As perm_solve_block would choose; *seconds is what it is priced at. */
static bool is_quick(base_context *context, const mm_sparse *block, const perm_solver *solver,
                     double *seconds) {
    const perm_options *options = solver->options;
    const mm_field field = solver->answer->field > block->field ? solver->answer->field : block->field;
    *seconds = 0;
    if (!options->batch || options->emit || options->precision.has_decimals)
        return false;
    if (options->kernel)
        return perm_solve_is_deferred(context, options) && block->ncol <= PERM_PLAN_SHARED_LARGEST;
    const perm_plan_options wanted = perm_solve_plan_options(context, solver);
    *seconds = perm_plan_quick_seconds(context, block->ncol, field, &wanted);
    return *seconds > 0;
}

base_status perm_solve_quick(base_context *context, const mm_sparse *block, perm_solver *solver,
                             bool *taken) {
    base_status status = BASE_OK;
    const perm_options *options = solver->options;
    perm_dense_matrix entries = {.n = 0};
    double seconds;
    *taken = is_quick(context, block, solver, &seconds);
    if (!*taken)
        goto done;
    perm_leaf *leaf = perm_answer_leaf(context, solver->answer, solver->leaf);
    if (!leaf) {
        status = BASE_MACHINE;
        goto done;
    }
    leaf->bits = options->kernel || options->precision.kind != PERM_PRECISION_ANY ? 0 : PERM_ANSWER_FEW_BITS;
    BASE_TRY(perm_plan_dense_from_sparse(context, block, &entries));
    BASE_TRY(perm_batch_defer(context, options->batch, &entries, solver->answer, solver->leaf, leaf->bits));
    if (seconds > 0)
        leaf->cost_seconds = seconds;
    leaf->is_done = true;
done:
    solver->leaf += *taken;
    perm_plan_dense_free(&entries);
    return status;
}
