#include "spmm/product.h"
#include "base/memory.h"
#include "base/progress.h"
#include "spmm/inspect.h"

#include <stdlib.h>
#include <string.h>

/* ---- how to divide ---- */

/* Rows first … end-1 of A; *start gets row starts of its own, to be freed. */
static base_status take_rows(base_context *context, const spmm_csr *a, int64_t value_bytes, int64_t first,
                             int64_t end, int64_t **start, spmm_csr *block) {
    const int64_t skipped = a->start[first];
    *start = base_alloc(context, end - first + 1, sizeof **start);
    if (*start == NULL)
        return BASE_MACHINE;
    for (int64_t row = first; row <= end; row++)
        (*start)[row - first] = a->start[row] - skipped;
    *block = (spmm_csr){.nrow = end - first,
                        .ncol = a->ncol,
                        .nnz = a->start[end] - skipped,
                        .start = *start,
                        .index = a->index + skipped,
                        .value = (const char *)a->value + skipped * value_bytes};
    return BASE_OK;
}

/* What a block and panel of that size need, as far as the kernel can tell from the whole. */
static int64_t price_bytes(const spmm_product *product, int64_t rows, int64_t columns) {
    spmm_problem part = *product->problem;
    spmm_price price;
    const double share = part.a.nrow > 0 ? (double)rows / (double)part.a.nrow : 1;
    part.a.nnz = (int64_t)((double)part.a.nnz * share);
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        part.profile.vectors[h] *= share;
    part.a.nrow = rows;
    part.n = columns;
    product->kernel->price(product->machine, &part, &price);
    return price.bytes;
}

/* Narrow panels come first: A is small beside B and C where that is not enough. */
static base_status divide(base_context *context, spmm_product *product) {
    const int64_t memory = product->machine->memory_bytes, least = 32;
    product->block_rows = product->problem->a.nrow;
    product->panel_columns = product->problem->n;
    if (memory == 0)
        return BASE_OK;
    while (price_bytes(product, product->block_rows, product->panel_columns) > memory) {
        if (product->panel_columns > least)
            product->panel_columns = (product->panel_columns + 1) / 2;
        else if (product->block_rows > 1)
            product->block_rows = (product->block_rows + 1) / 2;
        else if (product->panel_columns > 1)
            product->panel_columns = (product->panel_columns + 1) / 2;
        else
            return base_fail(context, BASE_MACHINE,
                             "%lld bytes of device memory are too few for this product", (long long)memory);
    }
    return BASE_OK;
}

/* ---- the whole ---- */

base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product) {
    base_status status;
    const double start = base_clock_seconds();
    *product = (spmm_product){.kernel = kernel, .machine = machine, .problem = problem};
    BASE_TRY(divide(context, product));
    if (product->block_rows == problem->a.nrow && product->panel_columns == problem->n)
        BASE_TRY(kernel->prepare(context, machine, problem, &product->plan));
    product->prepare_seconds = base_clock_seconds() - start;
done:
    if (status != BASE_OK)
        spmm_product_close(product);
    return status;
}

static base_status multiply(base_context *context, const spmm_kernel *kernel, void *plan,
                            const spmm_operands *operands) {
    base_status status;
    BASE_TRY(kernel->load(context, plan, operands));
    BASE_TRY(kernel->multiply(context, plan, false, NULL));
    BASE_TRY(kernel->store(context, plan));
done:
    return status;
}

/* The columns first … end-1, panels of one width, of the block of rows that begins at `row`. */
static base_status run_panels(base_context *context, const spmm_product *product, const spmm_problem *block,
                              int64_t row, int64_t first, int64_t end, const spmm_operands *whole) {
    base_status status;
    void *plan = NULL;
    const int64_t b_bytes = spmm_format_bytes(spmm_format_of(block->precision)),
                  c_bytes = spmm_c_bytes(block);
    BASE_TRY(product->kernel->prepare(context, product->machine, block, &plan));
    for (int64_t column = first; column < end; column += block->n) {
        spmm_operands part = *whole;
        part.b = (const char *)whole->b + column * b_bytes;
        part.c = (char *)whole->c + (row * whole->c_row + column) * c_bytes;
        BASE_TRY(multiply(context, product->kernel, plan, &part));
    }
done:
    product->kernel->release(plan);
    return status;
}

static base_status run_block(base_context *context, const spmm_product *product, int64_t row,
                             const spmm_operands *whole) {
    base_status status;
    const spmm_problem *problem = product->problem;
    const int64_t rows = problem->a.nrow - row,
                  end = row + (rows < product->block_rows ? rows : product->block_rows);
    const int64_t even = problem->n - problem->n % product->panel_columns;
    int64_t *start = NULL;
    spmm_problem block = *problem;
    BASE_TRY(
        take_rows(context, &problem->a, problem->precision == SPMM_FP64 ? 8 : 4, row, end, &start, &block.a));
    block.n = product->panel_columns;
    BASE_TRY(spmm_inspect(context, &block));
    BASE_TRY(run_panels(context, product, &block, row, 0, even, whole));
    block.n = problem->n - even;
    if (block.n > 0)
        BASE_TRY(run_panels(context, product, &block, row, even, problem->n, whole));
done:
    free(start);
    return status;
}

base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands) {
    base_status status = BASE_OK;
    const spmm_problem *problem = product->problem;
    if (problem->a.nrow == 0 || problem->n == 0)
        goto done;
    if (product->plan != NULL)
        BASE_TRY(multiply(context, product->kernel, product->plan, operands));
    else
        for (int64_t row = 0; row < problem->a.nrow; row += product->block_rows)
            BASE_TRY(run_block(context, product, row, operands));
done:
    return status;
}

void spmm_product_close(spmm_product *product) {
    if (product == NULL || product->kernel == NULL)
        return;
    product->kernel->release(product->plan);
    memset(product, 0, sizeof *product);
}
