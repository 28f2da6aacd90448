/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/dispatch/kernel.h"
#include "base/core/memory.h"
#include "spmm/device/array.h"
#include "spmm/dispatch/work.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_plan {
    const spmm_problem *problem;
    base_device *device;
    spmm_device_work work;
    const spmm_device_array *from; /* what is multiplied: b, one of next, or an array that is lent */
    spmm_device_array b, c;
    spmm_device_array next[2]; /* a B that a product becomes */
    base_device_buffer flush;
    base_device_event *first, *last;
    spmm_operands operands;
} device_plan;

/* ---- the plan ---- */

static void release(void *opened) {
    device_plan *plan = opened;
    if (plan == NULL)
        return;
    base_device_event_close(plan->first);
    base_device_event_close(plan->last);
    spmm_device_array_free(&plan->b);
    spmm_device_array_free(&plan->c);
    spmm_device_array_free(&plan->next[0]);
    spmm_device_array_free(&plan->next[1]);
    base_device_free(&plan->flush);
    spmm_device_work_free(&plan->work);
    free(plan);
}

static spmm_format c_format(const spmm_problem *problem) {
    if (problem->narrow_c)
        return spmm_format_of(problem->precision);
    return problem->precision == SPMM_FP64 ? SPMM_FORMAT_FP64 : SPMM_FORMAT_FP32;
}

static base_status prepare(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                           const spmm_problem *problem, void **opened, spmm_preparation *took) {
    base_status status = BASE_MACHINE;
    device_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *opened = plan;
    *took = (spmm_preparation){0};
    if (plan == NULL)
        goto done;
    plan->problem = problem;
    plan->device = machine->device;
    BASE_TRY(base_device_start(context, plan->device));
    BASE_TRY(spmm_device_work_init(context, plan->device, problem, kernel->data, &plan->work, took));
    BASE_TRY(spmm_device_array_alloc(context, plan->device, problem->a.nrow, problem->n, problem->precision,
                                     c_format(problem), &plan->c));
    BASE_TRY(base_device_event_open(context, plan->device, &plan->first));
    BASE_TRY(base_device_event_open(context, plan->device, &plan->last));
done:
    return status;
}

/* ---- operands ---- */

/* Rows of row_bytes bytes that lie from_stride and to_stride apart. */
static void copy_rows(const void *from, int64_t from_stride, void *to, int64_t to_stride, int64_t row_bytes,
                      int64_t rows) {
    for (int64_t row = 0; row < rows; row++)
        memcpy((char *)to + row * to_stride, (const char *)from + row * from_stride, (size_t)row_bytes);
}

/* An array of B's shape, if it is not there yet; zeros, which padding stays: products of a B with zeros there
 * have zeros there. */
static base_status make_b(base_context *context, const device_plan *plan, spmm_device_array *array) {
    base_status status = BASE_OK;
    const spmm_problem *problem = plan->problem;
    if (array->buffer.address != 0)
        goto done;
    BASE_TRY(spmm_device_array_alloc(context, plan->device, problem->a.ncol, problem->n, problem->precision,
                                     spmm_format_of(problem->precision), array));
    BASE_TRY(base_device_fill(context, &array->buffer, 0, 0, array->buffer.bytes, NULL));
done:
    return status;
}

static base_status load(base_context *context, void *opened, const spmm_operands *operands) {
    base_status status = BASE_OK;
    device_plan *plan = opened;
    const int64_t b_bytes = spmm_format_bytes(spmm_format_of(plan->problem->precision)),
                  c_bytes = spmm_c_bytes(plan->problem);
    plan->operands = *operands;
    plan->from = operands->b_array;
    if (plan->from == NULL) {
        BASE_TRY(make_b(context, plan, &plan->b));
        BASE_TRY(spmm_device_array_upload(context, &plan->b, operands->b, operands->b_row * b_bytes));
        plan->from = &plan->b;
    }
    if (operands->beta != 0)
        BASE_TRY(spmm_device_array_upload(context, &plan->c, operands->c, operands->c_row * c_bytes));
done:
    return status;
}

static base_status store(base_context *context, void *opened) {
    base_status status = BASE_MACHINE;
    const device_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const spmm_operands *o = &plan->operands;
    const int64_t c_bytes = spmm_c_bytes(problem), row_bytes = problem->n * c_bytes, rows = problem->a.nrow;
    const int64_t stride = plan->c.stride;
    if (row_bytes == stride && o->c_row * c_bytes == stride)
        return base_device_download_pieces(context, &plan->c.buffer, o->c, rows * row_bytes);
    char *staged = base_alloc(context, rows, stride);
    if (staged == NULL)
        goto done;
    BASE_TRY(base_device_download_pieces(context, &plan->c.buffer, staged, rows * stride));
    copy_rows(staged, stride, o->c, o->c_row * c_bytes, row_bytes, rows);
done:
    free(staged);
    return status;
}

static base_status store_columns(base_context *context, void *opened, const base_device_buffer *columns,
                                 int64_t *beyond) {
    const device_plan *plan = opened;
    return spmm_device_array_to_columns(context, &plan->c, columns, beyond);
}

/* ---- products ---- */

/* Writes more than the second-level cache holds. */
static base_status clear_cache(base_context *context, device_plan *plan) {
    base_status status = BASE_OK;
    const int64_t bytes = 2 * base_device_get_properties(plan->device)->l2_bytes;
    if (plan->flush.address == 0)
        BASE_TRY(base_device_alloc(context, plan->device, bytes, 1, &plan->flush));
    BASE_TRY(base_device_fill(context, &plan->flush, 0, 0, bytes, NULL));
done:
    return status;
}

static base_status multiply(base_context *context, void *opened, bool cold, double *seconds) {
    base_status status = BASE_OK;
    device_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const spmm_device_operands operands = {.b = plan->from->buffer.address,
                                           .c = plan->c.buffer.address,
                                           .n = problem->n,
                                           .b_stride = plan->from->stride,
                                           .c_stride = plan->c.stride,
                                           .alpha = plan->operands.alpha,
                                           .beta = plan->operands.beta,
                                           .wide = !problem->narrow_c};
    if (cold)
        BASE_TRY(clear_cache(context, plan));
    else if (seconds != NULL) /* one more before it, lest the device wait for the host in between */
        BASE_TRY(spmm_device_work_run(context, &plan->work, &operands));
    if (seconds != NULL)
        BASE_TRY(base_device_event_record(context, plan->first, NULL));
    BASE_TRY(spmm_device_work_run(context, &plan->work, &operands));
    if (seconds == NULL)
        goto done;
    BASE_TRY(base_device_event_record(context, plan->last, NULL));
    BASE_TRY(base_device_event_seconds(context, plan->first, plan->last, seconds));
done:
    return status;
}

/* A product becomes the B of the next one; a B that is lent stays as it is. */
static base_status advance(base_context *context, void *opened, int64_t times) {
    base_status status = BASE_OK;
    device_plan *plan = opened;
    spmm_device_array *second = plan->b.buffer.address != 0 ? &plan->b : &plan->next[1];
    for (int64_t k = 0; k < times; k++) {
        spmm_device_array *to = plan->from == &plan->next[0] ? second : &plan->next[0];
        BASE_TRY(make_b(context, plan, to));
        const spmm_device_operands operands = {.b = plan->from->buffer.address,
                                               .c = to->buffer.address,
                                               .n = plan->problem->n,
                                               .b_stride = plan->from->stride,
                                               .c_stride = to->stride,
                                               .alpha = 1};
        BASE_TRY(spmm_device_work_run(context, &plan->work, &operands));
        if (plan->problem->precision == SPMM_TF32) /* matrix units would truncate what is not rounded */
            BASE_TRY(spmm_device_array_round(context, to));
        plan->from = to;
    }
done:
    return status;
}

/* ---- the entries ---- */

static void price(const spmm_kernel *kernel, const spmm_machine *machine, const spmm_problem *problem,
                  spmm_price *price) {
    spmm_device_variant variant;
    spmm_device_price(kernel->data, base_device_get_properties(machine->device), problem, &variant, price);
}

static bool is_whole(const spmm_kernel *kernel) {
    return ((const spmm_device_family *)kernel->data)->whole;
}

static const char *get_publication(const spmm_kernel *kernel) {
    return ((const spmm_device_family *)kernel->data)->paper;
}

#define DEFINE_KERNEL(family)                                                                                \
    const spmm_kernel spmm_device_##family##_kernel = {.name = #family,                                      \
                                                       .device = "cuda",                                     \
                                                       .data = &spmm_family_##family,                        \
                                                       .price = price,                                       \
                                                       .prepare = prepare,                                   \
                                                       .load = load,                                         \
                                                       .multiply = multiply,                                 \
                                                       .advance = advance,                                   \
                                                       .store = store,                                       \
                                                       .store_columns = store_columns,                       \
                                                       .release = release,                                   \
                                                       .is_whole = is_whole,                                 \
                                                       .publication = get_publication};
SPMM_FAMILIES(DEFINE_KERNEL)
SPMM_COMPARED_FAMILIES(DEFINE_KERNEL)
