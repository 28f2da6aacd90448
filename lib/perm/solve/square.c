/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix: its irreducible blocks, each reduced, or the matrix as it is (block.h). */
#include "dm/dm.h"
#include "perm/matrix/reduce.h"
#include "perm/solve/block.h"
#include "perm/value/product.h"

/* Multiplies `product` by what reduction takes out of a block, and solves the rest of it. */
static base_status solve_block(base_context *context, const mm_sparse *block, perm_solver *solver,
                               perm_product *product) {
    base_status status = BASE_OK;
    bool raw = solver->options->raw || perm_reduce_would_nothing(block), taken = false;
    perm_matrix matrix = {0}, reduced = {0};
    perm_value factor;
    perm_value_init(&factor);
    if (!solver->options->list)
        BASE_TRY(perm_plan_check_size(context, block));
    solver->has_integers = block->field == MM_PATTERN || block->field == MM_INTEGER;
    if (raw)
        BASE_TRY(perm_solve_direct(context, block, solver, &taken));
    if (taken)
        goto done;
    BASE_TRY(perm_matrix_from_sparse(context, block, &matrix));
    /* Real entries that were scaled to integers need not be computed exactly. */
    if (solver->partial_result->field > matrix.field)
        matrix.field = solver->partial_result->field;
    if (solver->options->precision.has_decimals) {
        perm_matrix_take_decimals(&matrix, &factor);
        perm_product_take(product, &factor);
    }
    if (!raw) {
        BASE_TRY(perm_reduce(context, &matrix, &reduced, &factor));
        perm_product_take(product, &factor);
    }
    if (raw || reduced.n > 0)
        BASE_TRY(perm_solve_block(context, raw ? &matrix : &reduced, solver));
done:
    perm_value_free(&factor);
    perm_matrix_free(&matrix);
    perm_matrix_free(&reduced);
    return status;
}

static base_status solve_blocks(base_context *context, const mm_sparse *matrix, perm_solver *solver,
                                perm_product *product) {
    base_status status = BASE_OK;
    const perm_options *options = solver->options;
    dm_decomposition parts = {0};
    mm_sparse block = {0};
    BASE_TRY(dm_decompose(context, matrix, &parts));
    if (!dm_is_full_rank(&parts)) {
        solver->partial_result->is_singular = true;
        perm_log_line(&options->log, false, "structural rank %lld of %lld: no perfect matching",
                      (long long)parts.structural_rank, (long long)matrix->nrow);
        goto done;
    }
    perm_log_line(&options->log, false, "%lld blocks, the largest of order %lld", (long long)parts.nblock,
                  (long long)parts.largest_block);
    for (int64_t b = 0; b < parts.nblock; b++) {
        BASE_TRY(dm_extract_block(context, matrix, &parts, b, &block));
        BASE_TRY(solve_block(context, &block, solver, product));
        mm_sparse_free(&block);
    }
done:
    mm_sparse_free(&block);
    dm_free(&parts);
    return status;
}

base_status perm_solve_square(base_context *context, const mm_sparse *matrix, perm_solver *solver) {
    base_status status;
    perm_product product;
    perm_product_init(&product);
    BASE_TRY(solver->options->raw ? solve_block(context, matrix, solver, &product)
                                  : solve_blocks(context, matrix, solver, &product));
    perm_product_finish(&product, &solver->partial_result->factor);
done:
    perm_product_free(&product);
    return status;
}
