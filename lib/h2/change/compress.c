/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/compress.h"
#include "h2/change/truncate.h"
#include "h2/product/norm.h"

#include <math.h>
#include <string.h>

static base_status truncate_basis(base_context *context, h2_truncation *t, double threshold, bool gram,
                                  h2_weights *weights) {
    base_status status;
    t->weights = weights;
    t->threshold = threshold;
    BASE_TRY(h2_weights_build(context, t->matrix, t->basis == &t->matrix->col, gram, t->phases, weights));
    BASE_TRY(h2_truncate(context, t));
done:
    return status;
}

base_status h2_compress(base_context *context, h2_matrix *matrix, const h2_compress_options *options,
                        h2_compression *compression) {
    base_status status;
    const bool symmetric = h2_is_symmetric(matrix);
    double threshold, resolution;
    h2_weights row_weights = {0}, col_weights = {0};
    h2_truncation row = {.matrix = matrix,
                         .basis = &matrix->row,
                         .rule = options->rule,
                         .method = options->method,
                         .level_ranks = options->level_ranks,
                         .phases = options->phases};
    h2_truncation col = row;
    col.basis = &matrix->col;
    h2_matrix result = {.payload = NULL};
    memset(compression, 0, sizeof *compression);
    BASE_TRY(h2_compress_check(context, matrix, options));
    compression->norm = sqrt(h2_sum_squares(matrix, &matrix->coupling, context->threads));
    if (options->rule == H2_ABSOLUTE)
        BASE_TRY(h2_norm(context, matrix, H2_POWER_STEPS, &compression->norm2));
    h2_compress_threshold(matrix, options, compression, &threshold, &resolution);
    BASE_TRY(h2_compress_choose_factor(context, matrix->head.value_bytes, options, resolution,
                                       &compression->gram));
    BASE_TRY(truncate_basis(context, &row, threshold, compression->gram, &row_weights));
    if (!symmetric)
        BASE_TRY(truncate_basis(context, &col, threshold, compression->gram, &col_weights));
    h2_compress_set_error(matrix, row.cut_square, symmetric ? row.cut_square : col.cut_square, compression);
    h2_shape shape = h2_compress_shape(matrix, row.rank, col.rank, compression->error);
    shape.without_dense = true;
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    h2_truncation_store(context, &row, &result, &result.row);
    if (!symmetric)
        h2_truncation_store(context, &col, &result, &result.col);
    h2_phases_begin(options->phases);
    BASE_TRY(h2_change_blocks(context, matrix, &row.change, symmetric ? &row.change : &col.change, &result));
    h2_phases_end(options->phases, "blocks", -1);
    h2_change_count(matrix, &result, options->phases);
    BASE_TRY(h2_matrix_take_dense(context, &result, matrix));
done:
    h2_matrix_free(&result);
    h2_weights_free(&row_weights);
    h2_weights_free(&col_weights);
    h2_truncation_free(&row);
    h2_truncation_free(&col);
    return status;
}
