/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/product.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/device/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_product_gpu_fatbin;

enum { GROUP = 16, SUM_THREADS = 256 };

struct h2_device_plan {
    const h2_device_matrix *on_device;
    const h2_basis *in_basis, *out_basis;
    h2_product_tasks tasks;
    int width;
    base_device_module *module;
    base_device_function apply, base, sum, load, store;
    int64_t shared_bytes, base_shared_bytes;
    base_device_stream *main, *side;
    base_device_event *loaded, *dense_done;
    base_device_buffer task, block, sums, pairs, pieces, permutation;
    base_device_buffer x, y, in, out, coupling_slots, dense_slots; /* doubles, width side by side */
    base_device_buffer x_vectors, y_vectors;                       /* of the host, column by column */
};

static base_status load_kernels(base_context *context, h2_device_plan *plan) {
    base_status status;
    base_device *device = plan->on_device->device;
    const h2_matrix *matrix = plan->on_device->matrix;
    const int64_t bytes = matrix->head.value_bytes;
    char name[32];
    BASE_TRY(base_device_load_fatbin(context, device, &h2_product_gpu_fatbin, &plan->module));
    snprintf(name, sizeof name, "h2_gpu_apply_%d", plan->width);
    BASE_TRY(h2_device_get_function(context, plan->module, matrix, name, &plan->apply));
    snprintf(name, sizeof name, "h2_gpu_base_%d", plan->width);
    BASE_TRY(h2_device_get_function(context, plan->module, matrix, name, &plan->base));
    BASE_TRY(base_device_get_function(context, plan->module, "h2_gpu_sum_slots", &plan->sum));
    BASE_TRY(base_device_get_function(context, plan->module, "h2_gpu_load", &plan->load));
    BASE_TRY(base_device_get_function(context, plan->module, "h2_gpu_store", &plan->store));
    plan->shared_bytes = plan->width == 1 ? 0 : H2_GPU_SHARED_BYTES(bytes, plan->width);
    plan->base_shared_bytes = plan->width == 1 ? 0 : H2_GPU_BASE_SHARED_BYTES(bytes, plan->width);
    BASE_TRY(base_device_allow_shared(context, &plan->apply, plan->shared_bytes));
    BASE_TRY(base_device_allow_shared(context, &plan->base, plan->base_shared_bytes));
done:
    return status;
}

base_status h2_device_mv_open(base_context *context, const h2_device_matrix *on_device, bool transposed,
                              int64_t vectors, h2_device_plan **result) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = on_device->matrix;
    base_device *device = on_device->device;
    const bool turned = transposed && !h2_is_symmetric(matrix);
    h2_device_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *result = plan;
    if (plan == NULL)
        BASE_TRY(BASE_MACHINE);
    h2_product_tasks *tasks = &plan->tasks;
    plan->on_device = on_device;
    plan->in_basis = turned ? &matrix->row : &matrix->col;
    plan->out_basis = turned ? &matrix->col : &matrix->row;
    plan->width = h2_product_width(vectors);
    const int64_t size = plan->width * (int64_t)sizeof(double), n = matrix->tree.n;
    BASE_TRY(load_kernels(context, plan));
    BASE_TRY(h2_product_tasks_init(context, matrix, transposed, plan->width, tasks));
    BASE_TRY(h2_device_send(context, device, tasks->task, tasks->tasks, sizeof *tasks->task, &plan->task));
    BASE_TRY(
        h2_device_send(context, device, tasks->block, tasks->blocks, sizeof *tasks->block, &plan->block));
    BASE_TRY(h2_device_send(context, device, tasks->pair, tasks->pairs, sizeof *tasks->pair, &plan->pairs));
    BASE_TRY(
        h2_device_send(context, device, tasks->piece, tasks->pieces, sizeof *tasks->piece, &plan->pieces));
    BASE_TRY(h2_device_send(context, device, tasks->sum, tasks->sums, sizeof *tasks->sum, &plan->sums));
    BASE_TRY(
        h2_device_send(context, device, matrix->tree.permutation, n, sizeof(int64_t), &plan->permutation));
    BASE_TRY(base_device_alloc(context, device, n, size, &plan->x));
    BASE_TRY(base_device_alloc(context, device, n, size, &plan->y));
    BASE_TRY(base_device_alloc(context, device, tasks->in + 1, size, &plan->in));
    BASE_TRY(base_device_alloc(context, device, tasks->out + 1, size, &plan->out));
    BASE_TRY(base_device_alloc(context, device, tasks->coupling_slots + 1, size, &plan->coupling_slots));
    BASE_TRY(base_device_alloc(context, device, tasks->dense_slots + 1, size, &plan->dense_slots));
    /* Coefficients to which nothing is ever added are read, too: they have to be 0. */
    BASE_TRY(base_device_fill(context, &plan->in, 0, 0, plan->in.bytes, NULL));
    BASE_TRY(base_device_fill(context, &plan->out, 0, 0, plan->out.bytes, NULL));
    BASE_TRY(base_device_stream_open(context, device, &plan->main));
    BASE_TRY(base_device_stream_open(context, device, &plan->side));
    BASE_TRY(base_device_event_open(context, device, &plan->loaded));
    BASE_TRY(base_device_event_open(context, device, &plan->dense_done));
    BASE_TRY(base_device_wait(context, device));
done:
    return status;
}

void h2_device_mv_close(h2_device_plan *plan) {
    if (plan == NULL)
        return;
    base_device_buffer *buffers[] = {
        &plan->pairs,          &plan->pieces,      &plan->task,      &plan->block,    &plan->sums,
        &plan->permutation,    &plan->x,           &plan->y,         &plan->in,       &plan->out,
        &plan->coupling_slots, &plan->dense_slots, &plan->x_vectors, &plan->y_vectors};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        base_device_free(buffers[i]);
    base_device_event_close(plan->loaded);
    base_device_event_close(plan->dense_done);
    base_device_stream_close(plan->main);
    base_device_stream_close(plan->side);
    base_device_module_close(plan->module);
    h2_product_tasks_free(&plan->tasks);
    free(plan);
}

/* The tasks of a phase on blocks that lie in `array`. */
static base_status apply(base_context *context, h2_device_plan *plan, const h2_product_phase *phase,
                         const void *array, uint64_t x, uint64_t xt, uint64_t y, uint64_t slots,
                         base_device_stream *stream) {
    const bool in_pairs = plan->width > 1 && !phase->is_base;
    uint64_t tasks = in_pairs ? plan->pairs.address + (uint64_t)phase->first * sizeof(h2_gpu_pair)
                              : plan->task.address + (uint64_t)phase->first * sizeof(h2_gpu_task);
    uint64_t blocks = in_pairs ? plan->pieces.address : plan->block.address;
    uint64_t values = h2_device_address(plan->on_device, array);
    int flags = phase->flags;
    const base_device_launch_config shape = {
        .grid = {(unsigned)phase->count},
        .block = {phase->is_base && plan->width > 1 ? H2_GPU_MANY_THREADS : H2_GPU_THREADS},
        .shared_bytes = phase->is_base ? plan->base_shared_bytes : plan->shared_bytes};
    if (phase->count == 0)
        return BASE_OK;
    return base_device_launch(context, phase->is_base ? &plan->base : &plan->apply, &shape, stream,
                              (void *[]){&tasks, &blocks, &values, &x, &xt, &y, &slots, &flags});
}

static base_status add_slots(base_context *context, h2_device_plan *plan, const h2_product_phase *phase,
                             uint64_t slots, uint64_t y, base_device_stream *stream) {
    uint64_t sums = plan->sums.address + (uint64_t)phase->first * sizeof(h2_gpu_sum);
    int flags = phase->flags;
    const base_device_launch_config shape = {.grid = {(unsigned)phase->count}, .block = {SUM_THREADS}};
    if (phase->count == 0)
        return BASE_OK;
    return base_device_launch(context, &plan->sum, &shape, stream,
                              (void *[]){&sums, &slots, &y, &plan->width, &flags});
}

/* Upwards on levels first … last, from the last one on. */
static base_status submit_up_levels(base_context *context, h2_device_plan *plan, int64_t first,
                                    int64_t last) {
    base_status status = BASE_OK;
    const uint64_t in = plan->in.address;
    const int64_t leaves = plan->on_device->matrix->tree.levels - 1;
    for (int64_t level = last; level >= first; level--)
        BASE_TRY(apply(context, plan, &plan->tasks.up[level],
                       level == leaves ? plan->in_basis->leaf : plan->in_basis->transfer, in,
                       level == leaves ? plan->x.address : in, plan->out.address, in, plan->main));
done:
    return status;
}

static base_status submit_up(base_context *context, h2_device_plan *plan) {
    return submit_up_levels(context, plan, 0, plan->on_device->matrix->tree.levels - 1);
}

static base_status submit_coupling(base_context *context, h2_device_plan *plan) {
    return apply(context, plan, &plan->tasks.coupling, plan->on_device->matrix->coupling.value,
                 plan->in.address, plan->in.address, plan->out.address, plan->coupling_slots.address,
                 plan->main);
}

static base_status submit_coupling_sums(base_context *context, h2_device_plan *plan) {
    return add_slots(context, plan, &plan->tasks.coupling_sum, plan->coupling_slots.address,
                     plan->out.address, plan->main);
}

/* Downwards to the leaves' coefficients. */
static base_status submit_down(base_context *context, h2_device_plan *plan) {
    base_status status = BASE_OK;
    const uint64_t out = plan->out.address;
    for (int64_t level = 0; level + 1 < plan->on_device->matrix->tree.levels; level++)
        BASE_TRY(apply(context, plan, &plan->tasks.down[level], plan->out_basis->transfer, out,
                       plan->in.address, out, 0, plan->main));
done:
    return status;
}

static base_status submit_leaves(base_context *context, h2_device_plan *plan) {
    const int64_t last = plan->on_device->matrix->tree.levels - 1;
    return apply(context, plan, &plan->tasks.down[last], plan->out_basis->leaf, plan->out.address,
                 plan->x.address, plan->y.address, 0, plan->main);
}

static base_status submit_dense(base_context *context, h2_device_plan *plan) {
    return apply(context, plan, &plan->tasks.dense, plan->on_device->matrix->dense.value, plan->x.address,
                 plan->x.address, plan->y.address, plan->dense_slots.address, plan->side);
}

static base_status submit_dense_sums(base_context *context, h2_device_plan *plan) {
    return add_slots(context, plan, &plan->tasks.dense_sum, plan->dense_slots.address, plan->y.address,
                     plan->side);
}

static base_status submit_group(base_context *context, h2_device_plan *plan, double alpha, uint64_t x,
                                double beta, uint64_t y, int vectors) {
    base_status status;
    long long n = plan->on_device->matrix->tree.n;
    const base_device_launch_config shape = {.grid = {(unsigned)((n * plan->width + 255) / 256)},
                                             .block = {256}};
    BASE_TRY(base_device_launch(
        context, &plan->load, &shape, plan->main,
        (void *[]){&plan->permutation.address, &n, &x, &vectors, &plan->width, &plan->x.address}));
    /* The upper levels have too few nodes for the device; the dense blocks fill it meanwhile. */
    const int64_t levels = plan->on_device->matrix->tree.levels, large = levels > 3 ? levels - 3 : 0;
    BASE_TRY(submit_up_levels(context, plan, large, levels - 1));
    BASE_TRY(base_device_event_record(context, plan->loaded, plan->main));
    BASE_TRY(base_device_event_hold(context, plan->loaded, plan->side));
    BASE_TRY(submit_dense(context, plan));
    BASE_TRY(submit_dense_sums(context, plan));
    BASE_TRY(base_device_event_record(context, plan->dense_done, plan->side));
    BASE_TRY(submit_up_levels(context, plan, 0, large - 1));
    BASE_TRY(submit_coupling(context, plan));
    BASE_TRY(submit_coupling_sums(context, plan));
    BASE_TRY(submit_down(context, plan));
    BASE_TRY(base_device_event_hold(context, plan->dense_done, plan->main));
    BASE_TRY(submit_leaves(context, plan));
    BASE_TRY(base_device_launch(context, &plan->store, &shape, plan->main,
                                (void *[]){&plan->permutation.address, &n, &plan->y.address, &vectors,
                                           &plan->width, &alpha, &beta, &y}));
done:
    return status;
}

base_status h2_device_mv_resident(base_context *context, h2_device_plan *plan, double alpha, uint64_t x,
                                  double beta, uint64_t y, int64_t vectors) {
    base_status status = BASE_OK;
    const int64_t step = plan->width, n = plan->on_device->matrix->tree.n;
    for (int64_t first = 0; first < vectors; first += step)
        BASE_TRY(submit_group(context, plan, alpha, x + (uint64_t)(first * n) * sizeof(double), beta,
                              y + (uint64_t)(first * n) * sizeof(double),
                              (int)(vectors - first < step ? vectors - first : step)));
done:
    return status;
}

base_status h2_device_mv(base_context *context, h2_device_plan *plan, double alpha, const double *x,
                         double beta, double *y, int64_t vectors) {
    base_status status = BASE_OK;
    base_device *device = plan->on_device->device;
    const int64_t n = plan->on_device->matrix->tree.n, size = n * (int64_t)sizeof(double);
    if (plan->x_vectors.bytes == 0)
        BASE_TRY(base_device_alloc(context, device, plan->width, size, &plan->x_vectors));
    if (plan->y_vectors.bytes == 0)
        BASE_TRY(base_device_alloc(context, device, plan->width, size, &plan->y_vectors));
    for (int64_t first = 0; first < vectors; first += plan->width) {
        const int64_t count = vectors - first < plan->width ? vectors - first : plan->width;
        BASE_TRY(base_device_upload(context, &plan->x_vectors, 0, x + first * n, count * size, NULL));
        if (beta != 0)
            BASE_TRY(base_device_upload(context, &plan->y_vectors, 0, y + first * n, count * size, NULL));
        BASE_TRY(base_device_wait(context, device));
        BASE_TRY(h2_device_mv_resident(context, plan, alpha, plan->x_vectors.address, beta,
                                       plan->y_vectors.address, count));
        BASE_TRY(base_device_wait(context, device));
        BASE_TRY(base_device_download(context, &plan->y_vectors, 0, y + first * n, count * size, NULL));
    }
done:
    return status;
}

base_status h2_device_mv_measure(base_context *context, h2_device_plan *plan, double *seconds) {
    static base_status (*const phases[H2_PRODUCT_PHASES])(base_context *, h2_device_plan *) = {
        submit_up,     submit_coupling, submit_coupling_sums, submit_down,
        submit_leaves, submit_dense,    submit_dense_sums};
    base_status status = BASE_OK;
    base_device *device = plan->on_device->device;
    for (int phase = 0; phase < H2_PRODUCT_PHASES; phase++) {
        BASE_TRY(base_device_wait(context, device));
        const double start = base_clock_seconds();
        BASE_TRY(phases[phase](context, plan));
        BASE_TRY(base_device_wait(context, device));
        seconds[phase] = base_clock_seconds() - start;
    }
done:
    return status;
}
