/* The kernels of processors as entries of the table: rows in pieces of about equal work, by threads. */
#include "spmm/cpu.h"
#include "base/memory.h"
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIECE_WORK = 1 << 12 }; /* entries of a piece, a row counting as ROW_WORK more */
enum { ROW_WORK = 4 };

typedef struct cpu_plan {
    const spmm_rows_kernel *kernel;
    const spmm_problem *problem;
    int threads;
    int64_t *piece; /* first row of each, and the end */
    int64_t pieces;
    spmm_operands operands;
} cpu_plan;

static void price(const spmm_rows_kernel *kernel, double flop_per_second, const spmm_machine *machine,
                  const spmm_problem *problem, spmm_price *result) {
    const double flop = 2.0 * (double)problem->a.nnz * (double)problem->n;
    *result = (spmm_price){0};
    if (machine->cpu_level < kernel->cpu_level) {
        snprintf(result->reason, sizeof result->reason, "this processor has not the instructions");
        return;
    }
    if (problem->narrow_c) {
        snprintf(result->reason, sizeof result->reason, "results have 32 bits on processors");
        return;
    }
    result->math_seconds = flop / flop_per_second / machine->threads;
    result->seconds = result->math_seconds + 1e-7 * (double)(problem->a.nrow + 1);
}

/* Rows are cut where the work passes multiples of PIECE_WORK. */
static base_status cut(base_context *context, const spmm_csr *a, cpu_plan *plan) {
    const int64_t work = a->nnz + ROW_WORK * a->nrow;
    plan->piece = base_alloc(context, work / PIECE_WORK + 2, sizeof *plan->piece);
    if (plan->piece == NULL)
        return BASE_MACHINE;
    plan->piece[0] = 0;
    for (int64_t row = 0, last = 0; row < a->nrow; row++) {
        const int64_t done = a->start[row + 1] + ROW_WORK * (row + 1);
        if (done - last < PIECE_WORK && row + 1 < a->nrow)
            continue;
        plan->piece[++plan->pieces] = row + 1;
        last = done;
    }
    return BASE_OK;
}

static void release(void *opened) {
    cpu_plan *plan = opened;
    if (plan == NULL)
        return;
    free(plan->piece);
    free(plan);
}

static base_status prepare(base_context *context, const spmm_rows_kernel *kernel, const spmm_machine *machine,
                           const spmm_problem *problem, void **opened) {
    base_status status = BASE_MACHINE;
    cpu_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *opened = plan;
    if (plan == NULL)
        goto done;
    plan->kernel = kernel;
    plan->problem = problem;
    plan->threads = machine->threads;
    BASE_TRY(cut(context, &problem->a, plan));
done:
    return status;
}

static base_status load(base_context *context, void *opened, const spmm_operands *operands) {
    (void)context;
    ((cpu_plan *)opened)->operands = *operands;
    return BASE_OK;
}

/* Caches of processors belong to others as well; nothing is cleared. */
static base_status multiply(base_context *context, void *opened, bool cold, double *seconds) {
    cpu_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const spmm_operands *o = &plan->operands;
    const spmm_job job = {&problem->a, problem->n, o->b, o->b_row, o->c, o->c_row, o->alpha, o->beta};
    const double start = base_clock_seconds();
    (void)context;
    (void)cold;
#pragma omp parallel for schedule(dynamic) num_threads(plan->threads) if (plan->pieces > 1)
    for (int64_t k = 0; k < plan->pieces; k++)
        plan->kernel->run[spmm_format_of(problem->precision)](&job, plan->piece[k], plan->piece[k + 1]);
    if (seconds != NULL)
        *seconds = base_clock_seconds() - start;
    return BASE_OK;
}

static base_status store(base_context *context, void *opened) {
    (void)context;
    (void)opened;
    return BASE_OK;
}

/* An entry of the table for each instruction set. */
#define CPU_KERNEL(set, flop_per_second)                                                                     \
    static void set##_price(const spmm_machine *machine, const spmm_problem *problem, spmm_price *result) {  \
        price(&spmm_##set, flop_per_second, machine, problem, result);                                       \
    }                                                                                                        \
    static base_status set##_prepare(base_context *context, const spmm_machine *machine,                     \
                                     const spmm_problem *problem, void **plan) {                             \
        return prepare(context, &spmm_##set, machine, problem, plan);                                        \
    }                                                                                                        \
    const spmm_kernel spmm_cpu_##set = {#set, "cpu",    set##_price, set##_prepare,                          \
                                        load, multiply, store,       release}

CPU_KERNEL(ref, 1e9);
