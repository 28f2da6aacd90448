/* SPDX-License-Identifier: BSD-3-Clause */
/* A as slices (kernels/spmm/common/kernel.h): for products whose B exceeds the second-level cache and is read
 * in no order. Rows are sorted by their length in each block within windows, so that little is filled up. */
#ifndef SPMM_CPU_SELL_H
#define SPMM_CPU_SELL_H

#include "base/core/context.h"
#include "spmm/problem/spmm.h"

enum { SPMM_SELL_WINDOW = 256 /* rows */ };

typedef struct spmm_sell {
    int64_t block_columns, blocks, windows;
    int64_t *first_slice; /* [block][window], and the end */
    int64_t *first_step;  /* the same */
    spmm_sell_slice *slice;
    char *entry;
} spmm_sell;

/* Blocks of so many columns, at most 65535. O(nnz + nrow blocks) on context->threads; 6 (fp64: 10) bytes an
 * entry and some for filling. */
base_status spmm_sell_init(base_context *context, const spmm_csr *a, int64_t block_columns, bool is_wide,
                           spmm_sell *slices);
void spmm_sell_free(spmm_sell *slices); /* NULL is allowed */

/* The bytes of a step: a place and a value for each row of a slice. */
int64_t spmm_sell_step_bytes(bool is_wide);

/* Columns of a panel of B, for which A is gone through once. */
int64_t spmm_sell_columns(bool is_wide);

/* Bytes that a product of so many windows needs: a panel and the sums that wait. */
int64_t spmm_sell_room_bytes(const spmm_sell *slices, int64_t windows);

/* One panel from that column of C on, for the windows first … end-1. The bits of C are those of kernel->run.
 * Any thread, `room` its own, at 64 bytes' alignment. */
void spmm_sell_run(const spmm_sell *slices, const spmm_rows_kernel *kernel, spmm_format format,
                   const spmm_job *job, int64_t column, int64_t first, int64_t end, char *room);

/* ---- whole products ---- */

/* Columns of a block, of which a panel takes half the second-level cache; 0: where panels of all columns
 * serve as well, or rows have too few entries in a block for the sums to come and go. Does not depend on the
 * number of threads. */
int64_t spmm_sell_choose(const spmm_rows_kernel *kernel, const spmm_problem *problem, int64_t cache_bytes);

typedef struct spmm_sell_plan {
    spmm_sell slices;
    const spmm_problem *problem;
    int64_t parts;       /* of the windows, each with panels of its own */
    char *memory, *room; /* what was allocated; in it a thread's room after the other's */
} spmm_sell_plan;

base_status spmm_sell_plan_init(base_context *context, const spmm_problem *problem, int64_t block_columns,
                                int threads, spmm_sell_plan *plan);
void spmm_sell_plan_free(spmm_sell_plan *plan);

/* Every thread of a parallel region calls it. */
void spmm_sell_plan_run(base_context *context, const spmm_sell_plan *plan, const spmm_rows_kernel *kernel,
                        const spmm_job *job);

#endif
