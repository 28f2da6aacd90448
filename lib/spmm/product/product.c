/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/product.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "spmm/device/array.h"
#include "spmm/device/matrix.h"
#include "spmm/problem/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

spmm_machine spmm_machine_without_devices(const base_context *context) {
    return (spmm_machine){.features = base_cpu_features(),
                          .threads = context->threads,
                          .no_device = "not looked for: to start a device takes longer"};
}

base_status spmm_machine_find(base_context *context, base_device_search *search, int64_t device_memory_bytes,
                              spmm_machine *machine) {
    base_status status;
    *machine = spmm_machine_without_devices(context);
    machine->device_only = search->choice == BASE_DEVICE_CUDA;
    BASE_TRY(base_devices_find(context, search));
    base_devices *found = search->found;
    machine->no_device = search->choice == BASE_DEVICE_CPU ? "--device cpu" : base_devices_reason(found);
    /* --device cuda fails where the code is missed. */
    if (base_devices_count(found) > 0 && search->choice == BASE_DEVICE_AUTO && !spmm_device_is_built()) {
        machine->no_device = "built without CUDA kernels";
    } else if (base_devices_count(found) > 0) {
        machine->device = base_devices_get(found, 0);
        machine->devices = found;
        machine->memory_bytes = base_device_get_properties(machine->device)->memory_bytes / 10 * 9;
        if (device_memory_bytes > 0 && device_memory_bytes < machine->memory_bytes)
            machine->memory_bytes = device_memory_bytes;
    }
done:
    return status;
}

/* What each device does with its share. */
typedef struct task {
    spmm_product *product;
    enum { OPEN, LOAD, ADVANCE, MULTIPLY, STORE, RUN } step;
    const spmm_operands *operands;
    int64_t *cut; /* OPEN: first row of each share, and the end */
    bool cold;
    double *seconds; /* of each share; NULL: nobody asks */
    int64_t times;   /* ADVANCE */
} task;

/* Kernels do not get to see products without elements. */
static bool is_empty(const task *task, int position) {
    const spmm_product *product = task->product;
    return product->problem->n == 0 || (task->step == OPEN ? task->cut[position] == task->cut[position + 1]
                                                           : product->share[position].problem.a.nrow == 0);
}

static base_status do_share(base_context *context, base_device *device, int position, void *data) {
    const task *task = data;
    spmm_product *product = task->product;
    spmm_share *share = &product->share[position];
    const spmm_kernel *kernel = product->kernel;
    spmm_machine machine = *product->machine;
    spmm_operands operands = {0};
    if (task->operands != NULL)
        operands = *task->operands;
    if (operands.b_array != NULL)
        operands.b_array += position;
    machine.device = device;
    if (is_empty(task, position))
        return BASE_OK;
    switch (task->step) {
    case OPEN:
        return spmm_share_open(context, kernel, &machine, product->problem, task->cut[position],
                               task->cut[position + 1], share);
    case LOAD: return spmm_share_load(context, kernel, share, &operands);
    case ADVANCE: return kernel->advance(context, share->plan, task->times);
    case MULTIPLY:
        return kernel->multiply(context, share->plan, task->cold,
                                task->seconds != NULL ? &task->seconds[position] : NULL);
    case STORE: return kernel->store(context, share->plan);
    default: return spmm_share_run(context, kernel, share, &operands);
    }
}

static base_status do_shares(base_context *context, task *task) {
    const spmm_product *product = task->product;
    if (product->shares > 1)
        return base_devices_each(context, product->machine->devices, do_share, task);
    return do_share(context, product->machine->device, 0, task);
}

/* Gives each share about as many entries and rows. Cuts are multiples of SPMM_CUT_ROWS: windows and bands of
 * a share are those of the whole matrix, so that sums keep their order. */
static void cut_rows(const spmm_csr *a, int shares, int64_t *cut) {
    const int64_t work = a->nnz + a->nrow;
    int64_t row = 0;
    cut[0] = 0;
    for (int k = 1; k < shares; k++) {
        const double wanted = (double)work / shares * k;
        while (row < a->nrow && (double)(a->start[row] + row) < wanted)
            row++;
        const int64_t even = (row + SPMM_CUT_ROWS / 2) / SPMM_CUT_ROWS * SPMM_CUT_ROWS;
        cut[k] = even < a->nrow ? even : a->nrow;
    }
    cut[shares] = a->nrow;
}

base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product) {
    base_status status = BASE_MACHINE;
    const double start = base_clock_seconds();
    const int shares = spmm_kernel_shares(kernel, machine);
    int64_t cut[BASE_DEVICES + 1];
    *product = (spmm_product){.kernel = kernel, .machine = machine, .problem = problem, .shares = shares};
    product->share = base_alloc_zero(context, shares, sizeof *product->share);
    if (product->share == NULL)
        goto done;
    cut_rows(&problem->a, shares, cut);
    BASE_TRY(do_shares(context, &(task){.product = product, .step = OPEN, .cut = cut}));
    for (int k = 0; k < shares; k++) {
        const spmm_preparation *took = &product->share[k].took;
        product->took.send_seconds = fmax(product->took.send_seconds, took->send_seconds);
        product->took.format_seconds = fmax(product->took.format_seconds, took->format_seconds);
    }
    product->open_seconds = base_clock_seconds() - start;
done:
    if (status != BASE_OK)
        spmm_product_close(product);
    return status;
}

base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands) {
    return do_shares(context, &(task){.product = product, .step = RUN, .operands = operands});
}

/* ---- powers ---- */

static bool can_advance(const spmm_product *product) {
    return product->kernel->advance != NULL && product->shares == 1 && product->share[0].plan != NULL;
}

bool spmm_product_is_whole(const spmm_product *product) {
    for (int k = 0; k < product->shares; k++)
        if (product->share[k].plan == NULL && product->share[k].problem.a.nrow > 0)
            return false;
    return true;
}

base_device *spmm_product_device(const spmm_product *product, int share) {
    return product->shares > 1 ? base_devices_get(product->machine->devices, share)
                               : product->machine->device;
}

bool spmm_product_stays(const spmm_product *product, int64_t power) {
    return product->shares == 1 && product->share[0].plan != NULL &&
           spmm_kernel_makes_records(product->kernel, product->problem, power);
}

base_status spmm_product_store_columns(base_context *context, spmm_product *product,
                                       const base_device_buffer *columns, int64_t *beyond) {
    return product->kernel->store_columns(context, product->share[0].plan, columns, beyond);
}

base_status spmm_product_run_there(base_context *context, spmm_product *product,
                                   const spmm_operands *operands, int64_t power) {
    base_status status;
    BASE_TRY(do_shares(context, &(task){.product = product, .step = LOAD, .operands = operands}));
    if (power > 1)
        BASE_TRY(do_shares(context, &(task){.product = product, .step = ADVANCE, .times = power - 1}));
    BASE_TRY(do_shares(context, &(task){.product = product, .step = MULTIPLY}));
done:
    return status;
}

static base_status power_on_device(base_context *context, spmm_product *product,
                                   const spmm_operands *operands, int64_t power) {
    base_status status;
    BASE_TRY(spmm_product_run_there(context, product, operands, power));
    BASE_TRY(do_shares(context, &(task){.product = product, .step = STORE}));
done:
    return status;
}

/* Rounds C to a B; both without gaps. */
static void round_sums(const base_context *context, const spmm_problem *problem, const void *c, void *b) {
    const spmm_format sums = problem->precision == SPMM_FP64 ? SPMM_FORMAT_FP64 : SPMM_FORMAT_FP32;
    const int64_t row_bytes = problem->n * spmm_format_bytes(spmm_format_of(problem->precision));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t row = 0; row < problem->a.nrow; row++)
        for (int64_t j = 0; j < problem->n; j++) {
            const double number = spmm_unpack(sums, c, row * problem->n + j);
            spmm_pack(problem->precision, &number, 1, 1,
                      (char *)b + row * row_bytes + j * (row_bytes / problem->n));
        }
}

static base_status power_by_host(base_context *context, spmm_product *product, const spmm_operands *operands,
                                 int64_t power) {
    base_status status = BASE_OK;
    const spmm_problem *problem = product->problem;
    const int64_t rows = problem->a.nrow, n = problem->n;
    char *sums = base_alloc_aligned(context, rows * n, spmm_c_bytes(problem));
    char *b = base_alloc_aligned(context, rows * n, spmm_format_bytes(spmm_format_of(problem->precision)));
    if (sums == NULL || b == NULL)
        BASE_TRY(BASE_MACHINE);
    spmm_operands step = *operands;
    step.c = sums;
    step.c_row = n;
    step.alpha = 1;
    step.beta = 0;
    for (int64_t k = 1; k < power; k++) {
        BASE_TRY(spmm_product_run(context, product, &step));
        round_sums(context, problem, sums, b);
        step.b = b;
        step.b_row = n;
        step.b_array = NULL;
    }
    step.c = operands->c;
    step.c_row = operands->c_row;
    step.alpha = operands->alpha;
    step.beta = operands->beta;
    BASE_TRY(spmm_product_run(context, product, &step));
done:
    free(sums);
    free(b);
    return status;
}

base_status spmm_product_run_power(base_context *context, spmm_product *product,
                                   const spmm_operands *operands, int64_t power) {
    if (power == 1 || product->problem->n == 0 || product->problem->a.nrow == 0)
        return spmm_product_run(context, product, operands);
    return can_advance(product) ? power_on_device(context, product, operands, power)
                                : power_by_host(context, product, operands, power);
}

void spmm_product_close(spmm_product *product) {
    if (product == NULL || product->kernel == NULL)
        return;
    for (int k = 0; k < product->shares && product->share != NULL; k++)
        spmm_share_close(product->kernel, &product->share[k]);
    free(product->share);
    memset(product, 0, sizeof *product);
}

/* ---- step by step ---- */

base_status spmm_product_load(base_context *context, spmm_product *product, const spmm_operands *operands) {
    if (!spmm_product_is_whole(product))
        return base_fail(context, BASE_FAILED, "a product that exceeds the device's memory is not measured");
    return do_shares(context, &(task){.product = product, .step = LOAD, .operands = operands});
}

base_status spmm_product_multiply(base_context *context, spmm_product *product, bool cold, double *seconds) {
    double each[BASE_DEVICES] = {0};
    const base_status status = do_shares(context, &(task){.product = product,
                                                          .step = MULTIPLY,
                                                          .cold = cold,
                                                          .seconds = seconds != NULL ? each : NULL});
    if (seconds != NULL)
        *seconds = 0;
    for (int k = 0; seconds != NULL && k < product->shares; k++)
        *seconds = each[k] > *seconds ? each[k] : *seconds;
    return status;
}

base_status spmm_product_store(base_context *context, spmm_product *product) {
    return do_shares(context, &(task){.product = product, .step = STORE});
}
