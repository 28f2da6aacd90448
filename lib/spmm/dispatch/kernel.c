#include "spmm/dispatch/kernel.h"
#include "base/core/memory.h"
#include "spmm/dispatch/work.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_plan {
    const spmm_problem *problem;
    base_device *device;
    spmm_device_work work;
    base_device_buffer b, c, flush;
    base_device_buffer next;    /* the B that a product becomes */
    int64_t b_stride, c_stride; /* bytes from row to row on the device */
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
    base_device_free(&plan->b);
    base_device_free(&plan->c);
    base_device_free(&plan->flush);
    base_device_free(&plan->next);
    spmm_device_work_free(&plan->work);
    free(plan);
}

/* Rows of B are whole vectors of 16 bytes; those of C have as many numbers. */
static base_status make_room(base_context *context, device_plan *plan) {
    base_status status;
    const spmm_problem *problem = plan->problem;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(problem->precision)), many = 16 / bytes;
    const int64_t columns = (problem->n + many - 1) / many * many,
                  rows = problem->a.ncol > 0 ? problem->a.ncol : 1;
    plan->b_stride = columns * bytes;
    plan->c_stride = columns * spmm_c_bytes(problem);
    BASE_TRY(base_device_alloc(context, plan->device, rows, plan->b_stride, &plan->b));
    BASE_TRY(base_device_alloc(context, plan->device, problem->a.nrow, plan->c_stride, &plan->c));
done:
    return status;
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
    BASE_TRY(make_room(context, plan));
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

static base_status upload(base_context *context, const void *from, int64_t from_stride, int64_t row_bytes,
                          int64_t rows, int64_t stride, const base_device_buffer *to) {
    base_status status = BASE_MACHINE;
    if (from_stride == stride && row_bytes == stride)
        return base_device_upload(context, to, 0, from, rows * stride, NULL);
    char *staged = base_alloc_zero(context, rows, stride);
    if (staged == NULL)
        goto done;
    copy_rows(from, from_stride, staged, stride, row_bytes, rows);
    BASE_TRY(base_device_upload(context, to, 0, staged, rows * stride, NULL));
done:
    free(staged);
    return status;
}

static base_status load(base_context *context, void *opened, const spmm_operands *operands) {
    base_status status = BASE_OK;
    device_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const int64_t b_bytes = spmm_format_bytes(spmm_format_of(problem->precision)),
                  c_bytes = spmm_c_bytes(problem);
    plan->operands = *operands;
    if (problem->a.ncol > 0)
        BASE_TRY(upload(context, operands->b, operands->b_row * b_bytes, problem->n * b_bytes,
                        problem->a.ncol, plan->b_stride, &plan->b));
    if (operands->beta != 0)
        BASE_TRY(upload(context, operands->c, operands->c_row * c_bytes, problem->n * c_bytes,
                        problem->a.nrow, plan->c_stride, &plan->c));
done:
    return status;
}

static base_status store(base_context *context, void *opened) {
    base_status status = BASE_MACHINE;
    const device_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const spmm_operands *o = &plan->operands;
    const int64_t c_bytes = spmm_c_bytes(problem), row_bytes = problem->n * c_bytes, rows = problem->a.nrow;
    if (row_bytes == plan->c_stride && o->c_row * c_bytes == plan->c_stride)
        return base_device_download(context, &plan->c, 0, o->c, rows * row_bytes, NULL);
    char *staged = base_alloc(context, rows, plan->c_stride);
    if (staged == NULL)
        goto done;
    BASE_TRY(base_device_download(context, &plan->c, 0, staged, rows * plan->c_stride, NULL));
    copy_rows(staged, plan->c_stride, o->c, o->c_row * c_bytes, row_bytes, rows);
done:
    free(staged);
    return status;
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
    const spmm_device_operands operands = {.b = plan->b.address,
                                           .c = plan->c.address,
                                           .n = problem->n,
                                           .b_stride = plan->b_stride,
                                           .c_stride = plan->c_stride,
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

/* Columns of padding in B are 0 and stay so. */
static base_status advance(base_context *context, void *opened, int64_t times) {
    base_status status = BASE_OK;
    device_plan *plan = opened;
    const int64_t rows = plan->problem->a.nrow;
    if (times > 0 && plan->next.address == 0)
        BASE_TRY(base_device_alloc(context, plan->device, rows > 0 ? rows : 1, plan->b_stride, &plan->next));
    for (int64_t k = 0; k < times; k++) {
        const spmm_device_operands operands = {.b = plan->b.address,
                                               .c = plan->next.address,
                                               .n = plan->problem->n,
                                               .b_stride = plan->b_stride,
                                               .c_stride = plan->b_stride,
                                               .alpha = 1};
        BASE_TRY(base_device_fill(context, &plan->next, 0, 0, rows * plan->b_stride, NULL));
        BASE_TRY(spmm_device_work_run(context, &plan->work, &operands));
        const base_device_buffer was = plan->b;
        plan->b = plan->next;
        plan->next = was;
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
                                                       .release = release,                                   \
                                                       .is_whole = is_whole,                                 \
                                                       .publication = get_publication};
SPMM_FAMILIES(DEFINE_KERNEL)
SPMM_COMPARED_FAMILIES(DEFINE_KERNEL)
