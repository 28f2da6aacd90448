/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/rule.h"

#include <math.h>

/* The least tolerance of Gram matrices: their eigenvalues are σ², which rounding hides below unit · σ₁², so σ
 * is lost below √unit · σ₁. The factor 4 keeps away from that. */
static double gram_limit(int64_t value_bytes) {
    return 4 * sqrt(value_bytes == 8 ? 2.3e-16 : 1.2e-7);
}

static int64_t nodes_with_rank(const h2_matrix *matrix, const h2_basis *basis) {
    int64_t count = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++)
        count += basis->rank[node] > 0;
    return count > 0 ? count : 1;
}

double h2_compress_rounding(const h2_matrix *matrix, double norm) {
    const h2_tree *tree = &matrix->tree;
    const double unit = ldexp(1, matrix->head.value_bytes == 8 ? -53 : -24);
    int64_t levels = 0;
    for (int64_t level = 0; level < tree->levels; level++) {
        bool found = false;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
            found = found || matrix->row.rank[node] > 0 || matrix->col.rank[node] > 0;
        levels += found;
    }
    return 4 * (double)levels * sqrt((double)h2_most_rank(matrix)) * unit * norm;
}

void h2_compress_set_error(const h2_matrix *matrix, double row_square, double col_square,
                           h2_compression *compression) {
    compression->error = sqrt(row_square + col_square) + h2_compress_rounding(matrix, compression->norm);
}

base_status h2_compress_check(base_context *context, const h2_matrix *matrix,
                              const h2_compress_options *options) {
    if ((matrix->head.flags & H2_ORTHOGONAL) == 0)
        return base_fail(context, BASE_FAILED, "the bases are not orthonormal: h2-orthog makes them so");
    if (!(options->tolerance > 0) || options->tolerance >= 1)
        return base_fail(context, BASE_USAGE, "the tolerance lies between 0 and 1");
    return BASE_OK;
}

void h2_compress_threshold(const h2_matrix *matrix, const h2_compress_options *options,
                           const h2_compression *compression, double *threshold, double *resolution) {
    *threshold = *resolution = options->tolerance;
    if (options->rule == H2_ABSOLUTE) {
        *threshold *= compression->norm2;
    } else if (options->rule == H2_FROBENIUS) {
        /* Errors of nodes are orthogonal, so that their squares add up: rows and columns get half of
         * (tolerance · norm)² each, and a node its share of that. */
        const double nodes = (double)nodes_with_rank(matrix, &matrix->row);
        const double whole = options->tolerance * compression->norm,
                     rest = whole - h2_compress_rounding(matrix, compression->norm);
        /* Below the rounding no tolerance can be kept. */
        const double allowed = rest > whole / 2 ? rest : whole / 2;
        *threshold = allowed * allowed / (2 * nodes);
        *resolution /= sqrt(2 * nodes);
    }
}

void h2_compress_resolution(h2_rule rule, h2_method method, double threshold, double *relative,
                            double *absolute) {
    const double part = method == H2_PIVOTED_QR ? 1 : h2_negligible;
    const double square = part * part * (rule == H2_FROBENIUS ? 1 : threshold) * threshold;
    *relative = rule == H2_RELATIVE ? square : 0;
    *absolute = rule == H2_RELATIVE ? 0 : square;
}

base_status h2_compress_choose_factor(base_context *context, int64_t value_bytes,
                                      const h2_compress_options *options, double resolution, bool *gram) {
    const double limit = gram_limit(value_bytes);
    *gram = options->factor != H2_HOUSEHOLDER && resolution >= limit;
    if (options->factor == H2_GRAM && !*gram)
        return base_fail(
            context, BASE_USAGE,
            "Gram matrices resolve no less than %.2g; this tolerance takes %.2g: use householder", limit,
            resolution);
    return BASE_OK;
}

h2_shape h2_compress_shape(const h2_matrix *matrix, const int64_t *row_rank, const int64_t *col_rank,
                           double error) {
    h2_shape shape = h2_matrix_shape(matrix);
    shape.row_rank = row_rank;
    shape.col_rank = col_rank;
    shape.head.flags |= h2_is_symmetric(matrix) ? 0 : H2_OWN_COLUMNS;
    shape.head.error += error;
    return shape;
}
