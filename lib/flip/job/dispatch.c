#include "flip/job/dispatch.h"
#include "flip/job/device_work.h"
#include "flip/scheme/cyclic.h"
#include "flip/search/walk.h"

#include <string.h>

static bool is_device_kernel(const char *name) {
    for (const flip_device_kernel *kernel = flip_device_kernels; kernel->name != NULL; kernel++)
        if (name != NULL && strcmp(kernel->name, name) == 0)
            return true;
    return false;
}

base_status flip_place_open(base_context *context, flip_place *place) {
    base_status status = BASE_OK;
    const bool needs_device = is_device_kernel(place->kernel);
    if (!is_device_kernel(place->kernel))
        BASE_TRY(flip_choose_kernel(context, place->kernel, &place->on_processors));
    if (place->devices->choice == BASE_DEVICE_CPU && needs_device)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s: on devices only", place->kernel));
    if (place->devices->choice == BASE_DEVICE_CUDA && place->kernel != NULL && !needs_device)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s: on processors only", place->kernel));
    if (place->kernel != NULL && !needs_device)
        goto done;
    BASE_TRY(base_devices_find(context, place->devices));
    place->found = place->devices->found;
    if (needs_device && base_devices_count(place->found) == 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "%s needs a device: %s", place->kernel,
                           base_devices_reason(place->found)));
done:
    return status;
}

bool flip_place_has_devices(const flip_place *place) {
    return place->found != NULL && base_devices_count(place->found) > 0;
}

base_status flip_place_list(base_context *context, base_output *output) {
    base_status status = BASE_OK;
    for (int k = 0; flip_kernels[k] != NULL; k++)
        BASE_TRY(
            base_output_print(context, output, "%s\t%s\n", flip_kernels[k]->name, flip_kernels[k]->device));
    for (const flip_device_kernel *kernel = flip_device_kernels; kernel->name != NULL; kernel++)
        BASE_TRY(base_output_print(context, output, "%s\tcuda\t%s\n", kernel->name, kernel->what));
done:
    return status;
}

static flip_symmetry get_symmetry(const flip_place *place) {
    return place->reversed ? FLIP_REVERSED : place->cyclic ? FLIP_CYCLIC : FLIP_PLAIN;
}

base_status flip_place_ready(base_context *context, const flip_place *place, flip_scheme *scheme) {
    return get_symmetry(place) == FLIP_PLAIN ? BASE_OK : flip_cyclic_start(context, scheme);
}

base_status flip_place_search(base_context *context, const flip_place *place, flip_work *work,
                              const mm_record *record, flip_scheme *scheme,
                              const flip_search_options *options, flip_pools *result, bool *reached) {
    base_status status;
    flip_engine engine;
    const flip_symmetry symmetry = get_symmetry(place);
    const flip_device_options device_options = {.kernel = place->kernel, .symmetry = symmetry};
    const bool may_choose = place->devices->choice == BASE_DEVICE_AUTO && place->kernel == NULL;
    flip_search_options chosen = *options;
    flip_work_method method;
    chosen.symmetry = symmetry;
    BASE_TRY(flip_place_ready(context, place, scheme));
    /* What began on processors with a choice of devices goes on there. */
    const bool began = may_choose && flip_work_next_kind(work) == FLIP_WORK_PROCESSORS;
    if (flip_place_has_devices(place) && !began) {
        method = flip_work_on_devices(&(flip_work_devices){
            .devices = place->found, .options = &chosen, .device_options = &device_options});
        status = flip_work_search(context, work, record, scheme, options->keep, &method, result, reached);
        if (status != BASE_FAILED || !may_choose)
            goto done;
    }
    flip_engine_on_processors(place->on_processors, symmetry, &engine);
    method = flip_work_on_processors(&(flip_work_processors){.options = &chosen, .engine = &engine});
    BASE_TRY(flip_work_search(context, work, record, scheme, options->keep, &method, result, reached));
done:
    return status;
}
