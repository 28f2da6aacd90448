/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/cpu/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "spmm/cpu/sell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE_WORK = 1 << 12,  /* entries of a piece, … */
    ROW_WORK = 4,          /* … a row counting as so many more */
    PANEL_ROW_BYTES = 128, /* of a row of a panel: two lines, which processors fetch together */
    CLEAR_BYTES = 128 << 20,
    SHARE_BYTES = 32 << 20 /* of the last cache, which may be larger but not as near, at most */
};

/* What an entry of the table has of its own. */
typedef struct cpu_kernel {
    const spmm_rows_kernel *kernel;
    double flop_per_second; /* of a thread */
} cpu_kernel;

typedef struct cpu_plan {
    const spmm_rows_kernel *kernel;
    const spmm_problem *problem;
    int threads;
    int64_t *piece; /* first row of each, and the end */
    int64_t pieces;
    uint8_t *supernode;    /* of common/kernel.h; NULL where there are few */
    int64_t panel_columns; /* 0: B is used where it lies */
    char *panel;
    spmm_sell_plan slices; /* if it has blocks, instead of pieces and panels */
    spmm_operands operands;
} cpu_plan;

/* ---- panels ---- */

static int64_t cache_bytes(int level, int64_t otherwise) {
    const int64_t bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? bytes : otherwise;
}

static int64_t last_cache_bytes(void) {
    const int64_t bytes = cache_bytes(3, 8 << 20);
    return bytes < SHARE_BYTES ? bytes : SHARE_BYTES;
}

/* Columns of a panel, or 0. Copying costs as much as two passes over B, so rows must come back more often;
 * and where neighbouring rows of A share most of their columns the caches do well without. */
static int64_t choose_panel(const spmm_problem *problem) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(problem->precision)), k = problem->a.ncol;
    const int64_t l2 = cache_bytes(2, 1 << 20), l3 = last_cache_bytes();
    const double nnz = (double)problem->a.nnz;
    int64_t columns = PANEL_ROW_BYTES / bytes;
    if (problem->n <= columns || (double)k * (double)problem->n * (double)bytes <= (double)l2)
        return 0;
    if (nnz < 6.0 * (double)k || problem->profile.vectors[3] < 0.3 * nnz)
        return 0;
    /* Even the narrowest panel must stay in the last cache; a wider one must fit the second-level cache. */
    if ((double)k * PANEL_ROW_BYTES > (double)l3 / 2)
        return 0;
    while (2 * columns < problem->n && 2 * columns * k * bytes <= l2 / 2)
        columns *= 2;
    return columns;
}

static void copy_panel(const cpu_plan *plan, int64_t column, int64_t columns) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(plan->problem->precision));
    const char *from = (const char *)plan->operands.b + column * bytes;
    const size_t row_bytes = (size_t)(columns * bytes);
#pragma omp for schedule(static)
    for (int64_t row = 0; row < plan->problem->a.ncol; row++)
        memcpy(plan->panel + row * (int64_t)row_bytes, from + row * plan->operands.b_row * bytes, row_bytes);
}

/* ---- the plan ---- */

static int threads_of(const spmm_machine *machine) {
    return machine->threads > 0 ? machine->threads : 1;
}

/* Rates of one thread. Rows of B come from the last cache, where a panel or all of B fits, or from memory,
 * whose rate a few threads exhaust. Measured on a 2.6 GHz EPYC of 2022 (Zen 4). */
static const double cache_rate = 40e9, memory_rate = 12e9;
enum { MEMORY_THREADS = 4, PRICED_HEIGHT = 3 /* 64 rows: about what the first caches remember */ };

static void price_memory(const spmm_machine *machine, const spmm_problem *problem, spmm_price *result) {
    const spmm_profile *profile = &problem->profile;
    const double bytes = (double)spmm_format_bytes(spmm_format_of(problem->precision)),
                 n = (double)problem->n;
    const int few = threads_of(machine) < MEMORY_THREADS ? threads_of(machine) : MEMORY_THREADS;
    const bool near =
        choose_panel(problem) > 0 || profile->columns_used * n * bytes <= (double)last_cache_bytes() / 2;
    const double moved = (double)problem->a.nnz * (bytes > 4 ? 12 : 8) + profile->columns_used * n * bytes +
                         spmm_count_c_bytes(problem);
    result->memory_seconds = moved / memory_rate / few;
    result->gather_seconds = profile->vectors[PRICED_HEIGHT] * n * bytes /
                             (near ? cache_rate * threads_of(machine) : memory_rate * few);
}

static void price(const spmm_kernel *entry, const spmm_machine *machine, const spmm_problem *problem,
                  spmm_price *result) {
    const cpu_kernel *own = entry->data;
    const double flop = 2.0 * (double)problem->a.nnz * (double)problem->n;
    *result = (spmm_price){0};
    if ((own->kernel->features & ~machine->features) != 0) {
        snprintf(result->reason, sizeof result->reason, "this processor has not the instructions");
        return;
    }
    if (problem->narrow_c) {
        snprintf(result->reason, sizeof result->reason, "results have 32 bits on processors");
        return;
    }
    price_memory(machine, problem, result);
    result->math_seconds = flop / own->flop_per_second / threads_of(machine);
    if (problem->precision == SPMM_FP64) /* half as many numbers in a vector */
        result->math_seconds *= 2;
    /* Of arithmetic and gathering the longer hides all but a tenth of the other. */
    result->seconds = fmax(result->math_seconds, result->gather_seconds) +
                      0.1 * fmin(result->math_seconds, result->gather_seconds) + result->memory_seconds +
                      1e-6;
    result->prepare_seconds = 2e-9 * (double)problem->a.nrow;
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

/* Marks rows that have the columns of the row before them. */
static base_status find_supernodes(base_context *context, const spmm_csr *a, cpu_plan *plan) {
    int64_t count = 0;
    plan->supernode = base_alloc_zero(context, a->nrow, sizeof *plan->supernode);
    if (plan->supernode == NULL)
        return BASE_MACHINE;
    for (int64_t row = 1; row < a->nrow; row++) {
        const int64_t before = a->start[row - 1], first = a->start[row], length = a->start[row + 1] - first;
        plan->supernode[row] =
            first - before == length && length > 0 &&
            memcmp(a->index + before, a->index + first, (size_t)length * sizeof *a->index) == 0;
        count += plan->supernode[row];
    }
    if (8 * count < a->nrow) {
        free(plan->supernode);
        plan->supernode = NULL;
    }
    return BASE_OK;
}

static void release(void *opened) {
    cpu_plan *plan = opened;
    if (plan == NULL)
        return;
    free(plan->piece);
    free(plan->supernode);
    free(plan->panel);
    spmm_sell_plan_free(&plan->slices);
    free(plan);
}

static base_status make_plan(base_context *context, const spmm_rows_kernel *kernel,
                             const spmm_machine *machine, const spmm_problem *problem, void **opened) {
    base_status status = BASE_MACHINE;
    cpu_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *opened = plan;
    if (plan == NULL)
        goto done;
    plan->kernel = kernel;
    plan->problem = problem;
    plan->threads = threads_of(machine);
    const int64_t columns = spmm_sell_choose(kernel, problem, cache_bytes(2, 1 << 20));
    if (columns > 0)
        return spmm_sell_plan_init(context, problem, columns, plan->threads, &plan->slices);
    BASE_TRY(cut(context, &problem->a, plan));
    BASE_TRY(find_supernodes(context, &problem->a, plan));
    plan->panel_columns = choose_panel(problem);
    if (plan->panel_columns == 0)
        goto done;
    plan->panel = base_alloc_aligned(context, problem->a.ncol * plan->panel_columns,
                                     spmm_format_bytes(spmm_format_of(problem->precision)));
    if (plan->panel == NULL)
        status = BASE_MACHINE;
done:
    return status;
}

static base_status prepare(base_context *context, const spmm_kernel *entry, const spmm_machine *machine,
                           const spmm_problem *problem, void **opened, spmm_preparation *took) {
    const double start = base_clock_seconds();
    const base_status status =
        make_plan(context, ((const cpu_kernel *)entry->data)->kernel, machine, problem, opened);
    *took = (spmm_preparation){.format_seconds = base_clock_seconds() - start};
    return status;
}

/* ---- products ---- */

static base_status load(base_context *context, void *opened, const spmm_operands *operands) {
    (void)context;
    ((cpu_plan *)opened)->operands = *operands;
    return BASE_OK;
}

/* All rows of the columns of one job; every thread calls it. */
static void run_pieces(base_context *context, const cpu_plan *plan, const spmm_job *job) {
    const spmm_format format = spmm_format_of(plan->problem->precision);
#pragma omp for schedule(dynamic)
    for (int64_t k = 0; k < plan->pieces; k++) {
        plan->kernel->run[format](job, plan->piece[k], plan->piece[k + 1]);
        base_progress_add(context, (plan->piece[k + 1] - plan->piece[k]) * job->n);
    }
}

static void run_panels(base_context *context, const cpu_plan *plan, const spmm_job *whole) {
    for (int64_t column = 0; column < whole->n; column += plan->panel_columns) {
        spmm_job job = *whole;
        job.n = whole->n - column < plan->panel_columns ? whole->n - column : plan->panel_columns;
        job.b = plan->panel;
        job.b_row = job.n;
        job.c = (char *)whole->c + column * spmm_c_bytes(plan->problem);
        copy_panel(plan, column, job.n);
        run_pieces(context, plan, &job);
    }
}

/* Goes through more memory than caches hold. */
static base_status clear_caches(base_context *context) {
    char *memory = base_alloc(context, CLEAR_BYTES, 1);
    if (memory == NULL)
        return BASE_MACHINE;
    memset(memory, 1, CLEAR_BYTES);
    __asm__ volatile("" : : "r"(memory) : "memory"); /* or the compiler leaves it out */
    free(memory);
    return BASE_OK;
}

static base_status multiply(base_context *context, void *opened, bool cold, double *seconds) {
    cpu_plan *plan = opened;
    const spmm_problem *problem = plan->problem;
    const spmm_operands *o = &plan->operands;
    const spmm_job job = {&problem->a, problem->n, o->b,    o->b_row,       o->c,
                          o->c_row,    o->alpha,   o->beta, plan->supernode};
    if (cold && clear_caches(context) != BASE_OK)
        return BASE_MACHINE;
    base_progress_start(context, "multiply", (double)problem->a.nrow * (double)problem->n, "numbers");
    const double start = base_clock_seconds();
#pragma omp parallel num_threads(plan->threads) if (plan->pieces > 1 || plan->slices.slices.blocks > 0)
    if (plan->slices.slices.blocks > 0)
        spmm_sell_plan_run(context, &plan->slices, plan->kernel, &job);
    else if (plan->panel_columns > 0)
        run_panels(context, plan, &job);
    else
        run_pieces(context, plan, &job);
    base_progress_finish(context);
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
#define CPU_KERNEL(set, rate)                                                                                \
    static const cpu_kernel set = {&spmm_##set, rate};                                                       \
    const spmm_kernel spmm_cpu_##set = {.name = #set,                                                        \
                                        .device = "cpu",                                                     \
                                        .data = &set,                                                        \
                                        .price = price,                                                      \
                                        .prepare = prepare,                                                  \
                                        .load = load,                                                        \
                                        .multiply = multiply,                                                \
                                        .store = store,                                                      \
                                        .release = release}

CPU_KERNEL(ref, 0.5e9);
CPU_KERNEL(portable, 10e9);
#if defined(__x86_64__)
CPU_KERNEL(avx2, 40e9);
CPU_KERNEL(avx512, 60e9);
#endif
