/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/job/dispatch.h"
#include "flip/job/device_work.h"
#include "flip/scheme/cyclic.h"
#include "flip/search/walk.h"

static flip_symmetry get_symmetry(const flip_dispatch *dispatch) {
    return dispatch->reversed ? FLIP_REVERSED : dispatch->cyclic ? FLIP_CYCLIC : FLIP_PLAIN;
}

base_status flip_dispatch_open(base_context *context, flip_dispatch *dispatch) {
    base_status status = BASE_OK;
    if (dispatch->groups != NULL && get_symmetry(dispatch) == FLIP_PLAIN)
        return base_fail(context, BASE_USAGE, "--groups: with --cyclic or --reversed only");
    const bool needs_device = flip_device_get_kernel(dispatch->kernel) != NULL;
    if (!needs_device)
        BASE_TRY(flip_choose_kernel(context, dispatch->kernel, &dispatch->on_processors));
    if (dispatch->devices->choice == BASE_DEVICE_CPU && needs_device)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s: on devices only", dispatch->kernel));
    if (dispatch->devices->choice == BASE_DEVICE_CUDA && dispatch->kernel != NULL && !needs_device)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s: on processors only", dispatch->kernel));
    if (dispatch->kernel != NULL && !needs_device)
        goto done;
    BASE_TRY(base_devices_find(context, dispatch->devices));
    /* --device cuda fails where the code is missed. */
    if (needs_device || dispatch->devices->choice == BASE_DEVICE_CUDA || flip_device_is_built())
        dispatch->found = dispatch->devices->found;
    if (needs_device && base_devices_count(dispatch->found) == 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "%s needs a device: %s", dispatch->kernel,
                           base_devices_reason(dispatch->found)));
done:
    return status;
}

bool flip_dispatch_has_devices(const flip_dispatch *dispatch) {
    return dispatch->found != NULL && base_devices_count(dispatch->found) > 0;
}

base_status flip_dispatch_list(base_context *context, base_output *output) {
    base_status status = BASE_OK;
    for (int k = 0; flip_kernels[k] != NULL; k++)
        BASE_TRY(
            base_output_print(context, output, "%s\t%s\n", flip_kernels[k]->name, flip_kernels[k]->device));
    for (const flip_device_kernel *kernel = flip_device_kernels; kernel->name != NULL; kernel++)
        BASE_TRY(base_output_print(context, output, "%s\tcuda\t%s\n", kernel->name, kernel->what));
done:
    return status;
}

base_status flip_dispatch_ready(base_context *context, const flip_dispatch *dispatch, flip_scheme *scheme) {
    return get_symmetry(dispatch) == FLIP_PLAIN
               ? BASE_OK
               : flip_cyclic_start(context, dispatch->groups, dispatch->reversed, scheme);
}

base_status flip_dispatch_search(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                                 const mm_record *record, flip_scheme *scheme,
                                 const flip_search_options *options, flip_pools *result, bool *reached) {
    base_status status;
    flip_engine engine;
    const flip_symmetry symmetry = get_symmetry(dispatch);
    const flip_device_options device_options = {.kernel = dispatch->kernel, .symmetry = symmetry};
    const bool may_choose = dispatch->devices->choice == BASE_DEVICE_AUTO && dispatch->kernel == NULL;
    flip_search_options chosen = *options;
    flip_work_method method;
    chosen.symmetry = symmetry;
    BASE_TRY(flip_dispatch_ready(context, dispatch, scheme));
    /* A search that began on processors goes on there, also where a device has been added since. */
    const bool began = may_choose && flip_work_next_kind(work) == FLIP_WORK_PROCESSORS;
    if (flip_dispatch_has_devices(dispatch) && !began) {
        method = flip_work_on_devices(&(flip_work_devices){
            .devices = dispatch->found, .options = &chosen, .device_options = &device_options});
        status = flip_work_search(context, work, record, scheme, options->keep, &method, result, reached);
        /* BASE_FAILED: no device kernel has room for the scheme. */
        if (status != BASE_FAILED || !may_choose)
            goto done;
    }
    flip_engine_on_processors(dispatch->on_processors, symmetry, &engine);
    method = flip_work_on_processors(&(flip_work_processors){.options = &chosen, .engine = &engine});
    BASE_TRY(flip_work_search(context, work, record, scheme, options->keep, &method, result, reached));
done:
    return status;
}
