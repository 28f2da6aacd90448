/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by slices (sell.h): panels of B, and rows in parts for all threads. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "spmm/cpu/sell.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* ---- a panel ---- */

int64_t spmm_sell_columns(bool is_wide) {
    return SPMM_SELL_BYTES / (is_wide ? 8 : 4);
}

int64_t spmm_sell_room_bytes(const spmm_sell *slices, int64_t windows) {
    return SPMM_SELL_BYTES * (slices->block_columns + 1 + windows * SPMM_SELL_WINDOW);
}

/* The row of the panel for places without an entry: -0. */
static void put_none(bool is_wide, void *row) {
    for (int64_t i = 0; i < spmm_sell_columns(is_wide); i++)
        if (is_wide)
            ((double *)row)[i] = -0.0;
        else
            ((float *)row)[i] = -0.0F;
}

void spmm_sell_run(const spmm_sell *slices, const spmm_rows_kernel *kernel, spmm_format format,
                   const spmm_job *job, int64_t column, int64_t first, int64_t end, char *room) {
    const bool is_wide = format == SPMM_FORMAT_FP64;
    const int64_t panel_columns = spmm_sell_columns(is_wide), columns = slices->block_columns;
    char *partial = room + (columns + 1) * SPMM_SELL_BYTES;
    spmm_sell_job own = {.whole = job,
                         .column = column,
                         .columns = job->n - column < panel_columns ? job->n - column : panel_columns,
                         .panel = room,
                         .partial = partial,
                         .first_row = first * SPMM_SELL_WINDOW};
    put_none(is_wide, partial - SPMM_SELL_BYTES);
    for (int64_t b = 0; b < slices->blocks; b++) {
        const int64_t at = b * slices->windows + first, last = b * slices->windows + end, low = b * columns,
                      high = low + columns < job->a->ncol ? low + columns : job->a->ncol;
        own.slice = slices->slice + slices->first_slice[at];
        own.slices = slices->first_slice[last] - slices->first_slice[at];
        own.entry = slices->entry + slices->first_step[at] * spmm_sell_step_bytes(is_wide);
        own.is_first = b == 0;
        own.is_last = b == slices->blocks - 1;
        kernel->spread[format](&own, low, high, room);
        kernel->run_sell[format](&own);
    }
}

/* ---- whole products ---- */

/* Entries of a row in a block, on average, and how many columns neighbouring rows may share. */
static const double least_entries = 3, most_shared = 0.7;
/* To make slices takes as long as they save in so many columns. */
static const int64_t paying_columns = 256;
enum { SHARED_HEIGHT = 3 /* 64 rows: about what the first caches remember */, PAGE_BYTES = 2 << 20 };

int64_t spmm_sell_choose(const spmm_rows_kernel *kernel, const spmm_problem *problem, int64_t cache_bytes) {
    const spmm_format format = spmm_format_of(problem->precision);
    const int64_t block = cache_bytes / 2 / SPMM_SELL_BYTES,
                  columns = block < UINT16_MAX ? block : UINT16_MAX, k = problem->a.ncol;
    const double nnz = (double)problem->a.nnz, rows = (double)problem->profile.rows_used;
    if (kernel->run_sell[format] == NULL || problem->n < spmm_sell_columns(format == SPMM_FORMAT_FP64) ||
        k <= columns || problem->profile.vectors[SHARED_HEIGHT] < (1 - most_shared) * nnz)
        return 0;
    if (problem->products > 0 && problem->products * problem->n < 2 * paying_columns)
        return 0;
    return nnz < least_entries * rows * ceil((double)k / (double)columns) ? 0 : columns;
}

static int64_t count_panels(const spmm_sell_plan *plan) {
    const int64_t columns = spmm_sell_columns(plan->problem->precision == SPMM_FP64);
    return (plan->problem->n + columns - 1) / columns;
}

static int64_t part_windows(const spmm_sell_plan *plan) {
    return (plan->slices.windows + plan->parts - 1) / plan->parts;
}

/* A thread's room begins with a page, so that its panel lies in one: 4 KiB each would be more than a
 * processor remembers at first. */
static int64_t room_bytes(const spmm_sell_plan *plan) {
    return (spmm_sell_room_bytes(&plan->slices, part_windows(plan)) + PAGE_BYTES - 1) / PAGE_BYTES *
           PAGE_BYTES;
}

/* Parts for all threads; each has hardly more rows than B, whose panels are copied for it. */
base_status spmm_sell_plan_init(base_context *context, const spmm_problem *problem, int64_t block_columns,
                                int threads, spmm_sell_plan *plan) {
    base_status status;
    const spmm_csr *a = &problem->a;
    *plan = (spmm_sell_plan){.problem = problem};
    BASE_TRY(spmm_sell_init(context, a, block_columns, problem->precision == SPMM_FP64, &plan->slices));
    plan->parts = (threads + count_panels(plan) - 1) / count_panels(plan);
    if (plan->parts < a->nrow / a->ncol)
        plan->parts = a->nrow / a->ncol;
    plan->memory = base_alloc(context, threads * room_bytes(plan) + PAGE_BYTES, 1);
    if (plan->memory == NULL)
        BASE_TRY(BASE_MACHINE);
    plan->room = plan->memory + (PAGE_BYTES - (uintptr_t)plan->memory % PAGE_BYTES) % PAGE_BYTES;
done:
    return status;
}

void spmm_sell_plan_free(spmm_sell_plan *plan) {
    free(plan->memory);
    spmm_sell_free(&plan->slices);
    plan->memory = plan->room = NULL;
}

void spmm_sell_plan_run(base_context *context, const spmm_sell_plan *plan, const spmm_rows_kernel *kernel,
                        const spmm_job *job) {
    const spmm_format format = spmm_format_of(plan->problem->precision);
    const int64_t panels = count_panels(plan), many = part_windows(plan), windows = plan->slices.windows,
                  columns = spmm_sell_columns(format == SPMM_FORMAT_FP64);
    char *room = plan->room + omp_get_thread_num() * room_bytes(plan);
#pragma omp for schedule(dynamic)
    for (int64_t task = 0; task < panels * plan->parts; task++) {
        const int64_t first = task / panels * many, end = first + many < windows ? first + many : windows;
        if (first < end)
            spmm_sell_run(&plan->slices, kernel, format, job, task % panels * columns, first, end, room);
        base_progress_add(context, plan->problem->a.nrow * job->n / (panels * plan->parts));
    }
}
