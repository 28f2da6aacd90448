/* SPDX-License-Identifier: BSD-3-Clause */
/* What the planner is asked for a block (block.h). */
#include "perm/solve/block.h"

/* Devices that are asked for, or that the stream has been worth, are started. */
perm_plan_options perm_solve_plan_options(base_context *context, const perm_solver *solver) {
    const perm_options *options = solver->options;
    const base_device_choice choice = options->devices != NULL ? options->devices->choice : BASE_DEVICE_CPU;
    const bool worth =
        options->cost_history != NULL && options->cost_history->seconds > PERM_PLAN_WORTH_SECONDS;
    return (perm_plan_options){.kernel = options->kernel,
                               .precision = options->precision,
                               .list = options->list,
                               .certify = options->certify,
                               .parts = perm_solver_part(solver).count,
                               .started = choice == BASE_DEVICE_CUDA || (choice == BASE_DEVICE_AUTO && worth),
                               .many = choice != BASE_DEVICE_CPU && worth && !solver->has_integers &&
                                       perm_plan_finds_devices(context, options->devices),
                               .direct = true,
                               .devices = options->devices};
}

bool perm_solve_is_deferred(base_context *context, const perm_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    const perm_method *method = options->kernel != NULL ? perm_method_find(options->kernel) : NULL;
    return options->batch != NULL && !options->certify && method != NULL &&
           perm_method_has(method, PERM_METHOD_IS_BATCHED) &&
           (kind == PERM_PRECISION_ANY || (method->computes & PERM_COMPUTES(kind)) != 0) &&
           perm_plan_finds_devices(context, options->devices);
}
