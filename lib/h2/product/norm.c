/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/product/norm.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "h2/product/mv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double length(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

base_status h2_norm_by(base_context *context, const h2_matrix *matrix, int steps, h2_norm_product *product,
                       void *data, double *norm) {
    base_status status = BASE_OK;
    const int64_t n = matrix->tree.n;
    base_random random;
    double *x = base_alloc(context, n, sizeof *x), *y = base_alloc(context, n, sizeof *y);
    *norm = 0;
    if (x == NULL || y == NULL)
        BASE_TRY(BASE_MACHINE);
    base_random_init(&random, 1, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = base_random_uniform(&random) + 0.5;
    /* The power method on AᵀA, or on A = Aᵀ: |A x| for unit x grows towards the largest singular value. */
    for (int step = 0; step < steps; step++) {
        const double scale = length(x, n);
        for (int64_t i = 0; i < n && scale > 0; i++)
            x[i] /= scale;
        BASE_TRY(product(context, data, false, x, y));
        *norm = length(y, n);
        if (h2_is_symmetric(matrix))
            memcpy(x, y, (size_t)n * sizeof *x);
        else
            BASE_TRY(product(context, data, true, y, x));
    }
done:
    free(x);
    free(y);
    return status;
}

static base_status multiply(base_context *context, void *data, bool transposed, const double *x, double *y) {
    (void)context;
    h2_mv(data, transposed, 1, x, 0, y, 1);
    return BASE_OK;
}

base_status h2_norm(base_context *context, const h2_matrix *matrix, int steps, double *norm) {
    base_status status;
    h2_product_plan *plan = NULL;
    *norm = 0;
    BASE_TRY(h2_mv_open(context, matrix, 1, &plan));
    BASE_TRY(h2_norm_by(context, matrix, steps, multiply, plan, norm));
done:
    h2_mv_close(plan);
    return status;
}

double h2_sum_squares(const h2_matrix *matrix, const h2_block_list *list, int threads) {
    enum { PIECE = 2048 }; /* blocks, whose sums are added in their order whatever the number of threads */
    double square[PIECE], sum = 0;
    const bool symmetric = h2_is_symmetric(matrix);
    for (int64_t first = 0; first < list->count; first += PIECE) {
        const int64_t count = list->count - first < PIECE ? list->count - first : PIECE;
#pragma omp parallel for num_threads(threads) schedule(static) if (count > 64)
        for (int64_t i = 0; i < count; i++) {
            const int64_t k = first + i, numbers = list->offset[k + 1] - list->offset[k];
            square[i] = matrix->kernels->sum_of_squares(numbers, h2_block(matrix, list, k));
        }
        /* A block beside the diagonal of half storage stands for two. */
        for (int64_t i = 0; i < count; i++)
            sum += symmetric && list->row[first + i] != list->col[first + i] ? 2 * square[i] : square[i];
    }
    return sum;
}
