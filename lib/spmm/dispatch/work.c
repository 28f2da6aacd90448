/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/dispatch/work.h"
#include "base/run/progress.h"

/* ---- A ---- */

/* Code is loaded when it is first asked for: not while a preparation is timed. */
static base_status load_code(base_context *context, const spmm_problem *problem,
                             const spmm_device_variant *variant, spmm_device_work *work) {
    base_status status;
    base_device_function function, second;
    BASE_TRY(spmm_device_load_packs(context, work->device));
    if (work->family->engine != NULL)
        return work->family->engine->open(context, work->device, problem->precision, &work->own);
    BASE_TRY(
        spmm_device_product_load(context, work->device, problem->precision, variant, &function, &second));
done:
    return status;
}

static base_status fill(base_context *context, const spmm_problem *problem,
                        const spmm_device_variant *variant, spmm_device_work *work) {
    base_status status = BASE_OK;
    if (work->family->engine != NULL)
        return work->family->engine->fill(context, work->family, &work->matrix, problem, work->own);
    if (variant->code->takes_entries)
        BASE_TRY(spmm_device_entries_init(context, &work->matrix, &work->entries));
    BASE_TRY(spmm_device_product_init(context, &work->matrix, problem->precision, variant, &work->entries,
                                      &work->product));
done:
    return status;
}

base_status spmm_device_work_init(base_context *context, base_device *device, const spmm_problem *problem,
                                  const spmm_device_family *family, spmm_device_work *work,
                                  spmm_preparation *took) {
    base_status status;
    const base_device_properties *properties = base_device_get_properties(device);
    spmm_device_variant variant;
    spmm_price price;
    *work = (spmm_device_work){.device = device, .family = family};
    *took = (spmm_preparation){0};
    spmm_device_price(family, properties, problem, &variant, &price);
    if (price.seconds == 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s", price.reason));
    BASE_TRY(load_code(context, problem, &variant, work));
    BASE_TRY(spmm_device_matrix_init(context, device, &problem->a, problem->precision, price.format_bytes,
                                     &work->matrix));
    took->send_seconds = work->matrix.send_seconds;
    const double start = base_clock_seconds();
    BASE_TRY(fill(context, problem, &variant, work));
    took->format_seconds = base_clock_seconds() - start;
done:
    if (status != BASE_OK)
        spmm_device_work_free(work);
    return status;
}

void spmm_device_work_free(spmm_device_work *work) {
    if (work == NULL)
        return;
    spmm_device_product_free(&work->product);
    if (work->own != NULL)
        work->family->engine->close(work->own);
    spmm_device_entries_free(&work->entries);
    spmm_device_matrix_free(&work->matrix);
    *work = (spmm_device_work){.device = NULL};
}

base_status spmm_device_work_run(base_context *context, spmm_device_work *work,
                                 const spmm_device_operands *operands) {
    if (work->family->engine != NULL)
        return work->family->engine->run(context, work->own, operands);
    return spmm_device_product_run(context, &work->product, operands, NULL);
}
