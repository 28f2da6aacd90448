/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the kernels for sparse permanents on Matrix Market files (coordinate, real or complex, general). A
 * line per matrix and kernel: name, columns in the block, operations per subset as planned, seconds of the
 * search, processor seconds of the sum, ns per subset, operations per ns, value, error bound relative to it.
 *
 *     bench_sparse KERNEL[,KERNEL…] FILE… */
#include "perm/sparse/sparse.h"
#include "pipelines/bench_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static base_status time_kernel(base_context *context, const char *path, const perm_dense_matrix *matrix,
                               const char *kernel) {
    base_status status;
    perm_sparse sparse = {0};
    perm_dense_result result;
    perm_dense_partial *partial = NULL;
    double start = processor_seconds();
    BASE_TRY(perm_sparse_init(context, matrix, kernel, NULL, NULL, &sparse));
    const double search = processor_seconds() - start;
    partial = malloc((size_t)sparse.chunk_count * sizeof *partial);
    start = processor_seconds();
    BASE_TRY(perm_sparse_run(context, &sparse, 0, sparse.chunk_count, partial));
    const double seconds = processor_seconds() - start;
    perm_sparse_fold(&sparse, partial, &result);
    const double subsets = (double)sparse.chunk_count * sparse.chunk_subsets,
                 operations = sparse.problem.operations / (double)(INT64_C(1) << sparse.problem.low);
    printf("%s\t%s\t%d\t%.4g\t%.3f\t%.3f\t%.4g\t%.2f\t%.17Lg\t%.2g\n", path, sparse.kernel->name,
           (int)sparse.problem.low, operations, search, seconds, 1e9 * seconds / subsets,
           1e-9 * operations * subsets / seconds, ldexpl(result.high[0], (int)result.exponent),
           result.error / hypot(result.high[0], result.high[1]));
    fflush(stdout);
done:
    free(partial);
    perm_sparse_free(&sparse);
    return status;
}

int main(int argc, char **argv) {
    base_context context;
    base_context_init(&context);
    if (argc < 3) {
        fprintf(stderr, "usage: bench_sparse KERNEL[,KERNEL...] FILE...\n");
        return BASE_USAGE;
    }
    for (int k = 2; k < argc; k++) {
        int64_t n;
        bool is_complex;
        char kernels[256];
        double *entries = bench_read_matrix(argv[k], PERM_SPARSE_LARGEST, &n, &is_complex);
        if (entries == NULL) {
            fprintf(stderr, "bench_sparse: cannot read %s\n", argv[k]);
            return BASE_DAMAGED;
        }
        const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0};
        snprintf(kernels, sizeof kernels, "%s", argv[1]);
        for (char *name = strtok(kernels, ","); name != NULL; name = strtok(NULL, ","))
            if (time_kernel(&context, argv[k], &matrix, name) != BASE_OK)
                fprintf(stderr, "bench_sparse: %s\n", context.error.cause);
        free(entries);
    }
    return BASE_OK;
}
