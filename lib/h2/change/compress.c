#include "h2/change/compress.h"
#include "h2/change/internal.h"
#include "h2/change/truncate.h"
#include "h2/product/norm.h"

#include <math.h>
#include <string.h>

/* Squares of all numbers of the coupling blocks, with their transposes. */
static double sum_squares(const h2_matrix *matrix) {
    double sum = 0;
    for (int64_t k = 0; k < matrix->coupling.count; k++)
        sum += matrix->kernels->sum_of_squares(matrix->coupling.offset[k + 1] - matrix->coupling.offset[k],
                                               h2_block(matrix, &matrix->coupling, k));
    return h2_is_symmetric(matrix) ? 2 * sum : sum;
}

base_status h2_compress(base_context *context, h2_matrix *matrix, const h2_compress_options *options,
                        h2_compression *compression) {
    base_status status;
    const bool symmetric = h2_is_symmetric(matrix);
    double threshold, resolution;
    h2_weights row_weights = {0}, col_weights = {0};
    h2_truncation row = {.matrix = matrix,
                         .basis = &matrix->row,
                         .weights = &row_weights,
                         .rule = options->rule,
                         .method = options->method,
                         .level_ranks = options->level_ranks};
    h2_truncation col = row;
    h2_matrix result = {.payload = NULL};
    memset(compression, 0, sizeof *compression);
    BASE_TRY(h2_compress_check(context, matrix, options));
    compression->norm = sqrt(sum_squares(matrix));
    if (options->rule == H2_ABSOLUTE)
        BASE_TRY(h2_norm(context, matrix, H2_POWER_STEPS, &compression->norm2));
    h2_compress_threshold(matrix, options, compression, &threshold, &resolution);
    BASE_TRY(h2_compress_choose_factor(context, matrix->head.value_bytes, options, resolution,
                                       &compression->gram));
    row.threshold = threshold;
    BASE_TRY(h2_weights_build(context, matrix, false, compression->gram, &row_weights));
    BASE_TRY(h2_truncate(context, &row));
    if (!symmetric) {
        col.basis = &matrix->col;
        col.weights = &col_weights;
        col.threshold = threshold;
        BASE_TRY(h2_weights_build(context, matrix, true, compression->gram, &col_weights));
        BASE_TRY(h2_truncate(context, &col));
    }
    h2_compress_set_error(matrix, row.cut_square, symmetric ? row.cut_square : col.cut_square, compression);
    h2_shape shape = h2_compress_shape(matrix, row.rank, col.rank, compression->error);
    shape.without_dense = true;
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    h2_truncation_store(context, &row, &result, &result.row);
    if (!symmetric)
        h2_truncation_store(context, &col, &result, &result.col);
    BASE_TRY(h2_change_blocks(context, matrix, &row.change, symmetric ? &row.change : &col.change, &result));
    BASE_TRY(h2_matrix_take_dense(context, &result, matrix));
done:
    h2_matrix_free(&result);
    h2_weights_free(&row_weights);
    h2_weights_free(&col_weights);
    h2_truncation_free(&row);
    h2_truncation_free(&col);
    return status;
}
