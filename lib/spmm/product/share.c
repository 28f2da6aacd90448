/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/share.h"
#include "base/core/memory.h"
#include "spmm/problem/inspect.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows and columns of a problem ---- */

/* Rows first … end-1; *start gets row starts of its own, to be freed, unless these are all rows. */
static base_status take_rows(base_context *context, const spmm_problem *whole, int64_t first, int64_t end,
                             int64_t **start, spmm_problem *part) {
    base_status status = BASE_OK;
    const spmm_csr *a = &whole->a;
    const int64_t skipped = a->start[first], value_bytes = whole->precision == SPMM_FP64 ? 8 : 4;
    *part = *whole;
    part->whole = whole->whole != NULL ? whole->whole : whole;
    *start = NULL;
    if (first == 0 && end == a->nrow)
        goto done;
    *start = base_alloc(context, end - first + 1, sizeof **start);
    if (*start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t row = first; row <= end; row++)
        (*start)[row - first] = a->start[row] - skipped;
    part->a = (spmm_csr){.nrow = end - first,
                         .ncol = a->ncol,
                         .nnz = a->start[end] - skipped,
                         .start = *start,
                         .index = a->index + skipped,
                         .value = (const char *)a->value + skipped * value_bytes};
    BASE_TRY(spmm_inspect(context, part));
done:
    return status;
}

/* Operands from that row and column on. */
static spmm_operands shift(const spmm_problem *problem, const spmm_operands *whole, int64_t row,
                           int64_t column) {
    const int64_t b_bytes = spmm_format_bytes(spmm_format_of(problem->precision));
    spmm_operands part = *whole;
    part.b = (const char *)whole->b + column * b_bytes;
    part.c = (char *)whole->c + (row * whole->c_row + column) * spmm_c_bytes(problem);
    return part;
}

/* ---- how to divide ---- */

/* Bytes that a block and panel of that size need, if entries are spread evenly over the rows. */
static int64_t price_bytes(const spmm_kernel *kernel, const spmm_share *share, int64_t rows,
                           int64_t columns) {
    spmm_problem part = share->problem;
    spmm_price price = {0};
    const double fraction = part.a.nrow > 0 ? (double)rows / (double)part.a.nrow : 1;
    part.a.nnz = (int64_t)((double)part.a.nnz * fraction);
    part.profile.pairs *= fraction;
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        part.profile.vectors[h] *= fraction;
    part.a.nrow = rows;
    part.n = columns;
    kernel->price(kernel, &share->machine, &part, &price);
    return price.bytes;
}

static int64_t half_rows(int64_t rows) {
    const int64_t half = (rows + 1) / 2;
    return half <= SPMM_CUT_ROWS ? half : (half + SPMM_CUT_ROWS - 1) / SPMM_CUT_ROWS * SPMM_CUT_ROWS;
}

/* Halves the panels first, then the blocks of rows: each block makes A's format anew, a panel does not. */
static base_status divide(base_context *context, const spmm_kernel *kernel, spmm_share *share) {
    const int64_t memory = share->machine.memory_bytes, least = 32;
    share->block_rows = share->problem.a.nrow;
    share->panel_columns = share->problem.n;
    while (memory > 0 && price_bytes(kernel, share, share->block_rows, share->panel_columns) > memory) {
        if (share->panel_columns > least)
            share->panel_columns = (share->panel_columns + 1) / 2;
        else if (share->block_rows > 1)
            share->block_rows = half_rows(share->block_rows);
        else if (share->panel_columns > 1)
            share->panel_columns = (share->panel_columns + 1) / 2;
        else
            return base_fail(context, BASE_MACHINE,
                             "%lld bytes of device memory are too few for this product", (long long)memory);
    }
    return BASE_OK;
}

/* ---- a share ---- */

base_status spmm_share_open(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                            const spmm_problem *problem, int64_t first, int64_t end, spmm_share *share) {
    base_status status;
    *share = (spmm_share){.machine = *machine, .first = first};
    BASE_TRY(take_rows(context, problem, first, end, &share->start, &share->problem));
    BASE_TRY(divide(context, kernel, share));
    if (share->block_rows == share->problem.a.nrow && share->panel_columns == problem->n)
        BASE_TRY(
            kernel->prepare(context, kernel, &share->machine, &share->problem, &share->plan, &share->took));
done:
    return status;
}

void spmm_share_close(const spmm_kernel *kernel, spmm_share *share) {
    kernel->release(share->plan);
    free(share->start);
    memset(share, 0, sizeof *share);
}

base_status spmm_share_load(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                            const spmm_operands *operands) {
    const spmm_operands own = shift(&share->problem, operands, share->first, 0);
    return kernel->load(context, share->plan, &own);
}

/* ---- blocks and panels ---- */

static base_status multiply(base_context *context, const spmm_kernel *kernel, void *plan,
                            const spmm_operands *operands) {
    base_status status;
    BASE_TRY(kernel->load(context, plan, operands));
    BASE_TRY(kernel->multiply(context, plan, false, NULL));
    BASE_TRY(kernel->store(context, plan));
done:
    return status;
}

/* The columns first … end-1, panels of one width. */
static base_status run_panels(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                              const spmm_problem *block, int64_t first, int64_t end,
                              const spmm_operands *operands) {
    base_status status = BASE_OK;
    void *plan = NULL;
    spmm_preparation took;
    if (first >= end)
        goto done;
    BASE_TRY(kernel->prepare(context, kernel, machine, block, &plan, &took));
    for (int64_t column = first; column < end; column += block->n) {
        const spmm_operands part = shift(block, operands, 0, column);
        BASE_TRY(multiply(context, kernel, plan, &part));
    }
done:
    kernel->release(plan);
    return status;
}

static base_status run_block(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                             int64_t row, const spmm_operands *operands) {
    base_status status;
    const int64_t left = share->problem.a.nrow - row, n = share->problem.n;
    const int64_t end = row + (left < share->block_rows ? left : share->block_rows);
    const int64_t even = n - n % share->panel_columns;
    const spmm_operands own = shift(&share->problem, operands, row, 0);
    int64_t *start = NULL;
    spmm_problem block;
    BASE_TRY(take_rows(context, &share->problem, row, end, &start, &block));
    block.n = share->panel_columns;
    BASE_TRY(run_panels(context, kernel, &share->machine, &block, 0, even, &own));
    block.n = n - even;
    BASE_TRY(run_panels(context, kernel, &share->machine, &block, even, n, &own));
done:
    free(start);
    return status;
}

base_status spmm_share_run(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                           const spmm_operands *operands) {
    base_status status = BASE_OK;
    const spmm_operands own = shift(&share->problem, operands, share->first, 0);
    if (share->plan != NULL)
        BASE_TRY(multiply(context, kernel, share->plan, &own));
    else
        for (int64_t row = 0; row < share->problem.a.nrow; row += share->block_rows)
            BASE_TRY(run_block(context, kernel, share, row, &own));
done:
    return status;
}
