/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the kernels for dense permanents on one matrix from standard input: n, "real" or "complex", and the
 * entries column by column. A line per kernel: name, processor seconds (the least of the runs that
 * fit into half a second, at least two), ns per (row, subset) pair, value, error bound relative to it.
 *
 *     bench_dense [KERNEL] < MATRIX */
#include "perm/dense/dense.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double *read_matrix(int64_t *n, bool *is_complex) {
    char field[16];
    if (scanf("%" SCNd64 " %15s", n, field) != 2 || *n < 1 || *n > PERM_DENSE_LARGEST)
        return NULL;
    *is_complex = strcmp(field, "complex") == 0;
    const int64_t count = *n * *n * (*is_complex ? 2 : 1);
    double *entries = malloc((size_t)count * sizeof *entries);
    for (int64_t at = 0; at < count && entries != NULL; at++)
        if (scanf("%lf", &entries[at]) != 1) {
            free(entries);
            return NULL;
        }
    return entries;
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static base_status time_kernel(base_context *context, const perm_dense_matrix *matrix, const char *name) {
    perm_dense_result result;
    double least = INFINITY, all = 0;
    for (int run = 0; run < 2 || all < 0.5; run++) {
        const double start = processor_seconds();
        const base_status status = perm_dense_permanent(context, matrix, name, &result);
        if (status != BASE_OK)
            return status;
        const double seconds = processor_seconds() - start;
        least = fmin(least, seconds);
        all += seconds;
    }
    const double size = hypot(result.high[0], result.high[1]);
    printf("%s\t%.6f\t%.4f\t%.17g %.17g\t%.2g\n", name, least,
           1e9 * least / ldexp((double)matrix->n, (int)matrix->n - 1),
           ldexp(result.high[0], (int)result.exponent), ldexp(result.high[1], (int)result.exponent),
           result.error / size);
    return BASE_OK;
}

int main(int argc, char **argv) {
    base_context context;
    int64_t n;
    bool is_complex;
    base_context_init(&context);
    double *entries = read_matrix(&n, &is_complex);
    if (entries == NULL) {
        fprintf(stderr, "bench_dense: no matrix\n");
        return BASE_USAGE;
    }
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0};
    for (const perm_dense_kernel *const *kernel = perm_dense_kernels(); *kernel != NULL; kernel++) {
        const bool wanted = argc > 1 ? strcmp(argv[1], (*kernel)->name) == 0 : *kernel != &perm_dense_ref;
        if (wanted && time_kernel(&context, &matrix, (*kernel)->name) != BASE_OK)
            fprintf(stderr, "bench_dense: %s\n", context.error.cause);
    }
    free(entries);
    return BASE_OK;
}
