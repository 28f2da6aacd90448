/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/bench.h"
#include "spmm/problem/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 20, COLD = 10, LEAST = 3 };

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds, int count) {
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    return count % 2 == 1 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

static base_status measure(base_context *context, spmm_product *product, bool cold, int most,
                           double most_seconds, double *result, int *count) {
    base_status status = BASE_OK;
    double seconds[WARM], sum = 0;
    *count = 0;
    while (*count < most && (*count < LEAST || sum < most_seconds)) {
        BASE_TRY(spmm_product_multiply(context, product, cold, &seconds[*count]));
        sum += seconds[(*count)++];
    }
    *result = median(seconds, *count);
done:
    return status;
}

static base_status measure_warm(base_context *context, spmm_product *product, const spmm_operands *operands,
                                double most_seconds, spmm_times *times) {
    base_status status;
    memset(times, 0, sizeof *times);
    BASE_TRY(spmm_product_load(context, product, operands));
    for (int k = 0; k < 2; k++)
        BASE_TRY(spmm_product_multiply(context, product, false, NULL));
    BASE_TRY(measure(context, product, false, WARM, most_seconds, &times->warm_seconds, &times->warm));
done:
    return status;
}

base_status spmm_bench_warm(base_context *context, spmm_product *product, const spmm_operands *operands,
                            double most_seconds, double *seconds) {
    spmm_times times;
    const base_status status = measure_warm(context, product, operands, most_seconds, &times);
    *seconds = times.warm_seconds;
    return status;
}

base_status spmm_bench(base_context *context, spmm_product *product, const spmm_operands *operands,
                       double most_seconds, spmm_times *times) {
    base_status status;
    BASE_TRY(measure_warm(context, product, operands, most_seconds, times));
    BASE_TRY(measure(context, product, true, COLD, most_seconds, &times->cold_seconds, &times->cold));
    BASE_TRY(spmm_product_store(context, product));
done:
    return status;
}

/* ---- error ---- */

/* Sums of a row in doubles: a b and |a b|. */
static void sum_row(const spmm_csr *a, const double *b, int64_t row, int64_t column, int64_t n, double *sum,
                    double *magnitude) {
    *sum = *magnitude = 0;
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
        const double term = ((const double *)a->value)[k] * b[a->index[k] * n + column];
        *sum += term;
        *magnitude += fabs(term);
    }
}

double spmm_error(const spmm_problem *problem, const void *c, int64_t c_row, const spmm_csr *exact_a,
                  const double *exact_b, int64_t rows) {
    const spmm_format format = problem->narrow_c                 ? spmm_format_of(problem->precision)
                               : problem->precision == SPMM_FP64 ? SPMM_FORMAT_FP64
                                                                 : SPMM_FORMAT_FP32;
    const int64_t step = exact_a->nrow > rows ? exact_a->nrow / rows : 1;
    double worst = 0;
    for (int64_t row = 0; row < exact_a->nrow; row += step)
        for (int64_t column = 0; column < problem->n; column++) {
            double sum, magnitude;
            sum_row(exact_a, exact_b, row, column, problem->n, &sum, &magnitude);
            /* The error relative to Σ|a b|; compared as a product, since that sum may be 0. */
            const double far = fabs(spmm_unpack(format, c, row * c_row + column) - sum);
            if (far > worst * magnitude || isnan(far))
                worst = far / magnitude;
        }
    return worst;
}
