/* SPDX-License-Identifier: BSD-3-Clause */
/* Times exact permanents beside the double kernel, on the same random matrices in the same run: a line for
 * each matrix and kernel with the processor time and the ratio to the fastest double kernel.
 *
 *     bench_exact [N...]        default: 24 28 30 */
#include "base/core/random.h"
#include "perm/dense/dense.h"
#include "perm/exact/exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static base_context context;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The entry with number `at` of each kind of matrix. */
static const char *const kinds[] = {"0/1, half of them 1", "ones", "±1", "3 bits", "20 bits", "64 bits"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int64_t draw(int kind, base_random *random) {
    const uint64_t bits = base_random_bits(random);
    switch (kind) {
    case 0: return (int64_t)(bits & 1);
    case 1: return 1;
    case 2: return bits & 1 ? 1 : -1;
    case 3: return (int64_t)(bits & 7) - 4;
    case 4: return (int64_t)(bits & 0xfffff) - 0x80000;
    default: return (int64_t)bits;
    }
}

static base_status make_matrix(int kind, int64_t n, perm_matrix *matrix, double *entries) {
    base_random random;
    base_random_init(&random, (uint64_t)kind, (uint64_t)n);
    const base_status status = perm_matrix_alloc(&context, n, n * n, MM_INTEGER, matrix);
    if (status != BASE_OK)
        return status;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const int64_t value = draw(kind, &random);
            entries[j * n + i] = (double)value;
            if (value == 0)
                continue;
            perm_value_set_integer(&matrix->entry[kept], value);
            matrix->index[kept++] = j;
        }
        matrix->start[i + 1] = kept;
    }
    for (int64_t e = kept; e < matrix->nnz; e++)
        perm_value_free(&matrix->entry[e]);
    matrix->nnz = kept;
    return BASE_OK;
}

static double time_dense(int64_t n, const double *entries) {
    const perm_dense_matrix matrix = {n, false, entries, NULL, 0};
    perm_dense_result result;
    const double start = processor_seconds();
    return perm_dense_permanent(&context, &matrix, NULL, &result) == BASE_OK ? processor_seconds() - start
                                                                             : NAN;
}

static void time_exact(int kind, const perm_matrix *matrix, const char *kernel, double dense) {
    perm_exact exact = {0};
    const double units = ldexp((double)matrix->n, (int)matrix->n - 1);
    const double start = processor_seconds();
    if (perm_exact_init(&context, matrix, kernel, &exact) != BASE_OK)
        return;
    int64_t *residue = malloc((size_t)(exact.chunk_count * exact.residue_count) * sizeof *residue);
    perm_value value;
    perm_value_init(&value);
    perm_exact_run(&context, &exact, 0, exact.chunk_count, residue);
    (void)perm_exact_fold(&context, &exact, residue, &value);
    const double seconds = processor_seconds() - start;
    printf("%s\t%d\t%s\t%d\t%d\t%.3f\t%.4f\t%.4f\t%.2f\t%.2f\n", kinds[kind], (int)matrix->n,
           exact.kernel->name, (int)exact.problem[0].group_count, (int)exact.residue_count, seconds,
           1e9 * seconds / units, 1e9 * dense / units, seconds / dense, exact.seconds / seconds);
    fflush(stdout);
    free(residue);
    perm_value_free(&value);
    perm_exact_free(&exact);
}

static base_status time_order(int64_t n) {
    double entries[PERM_DENSE_LARGEST * PERM_DENSE_LARGEST];
    for (int kind = 0; kind < KINDS; kind++) {
        perm_matrix matrix;
        const base_status status = make_matrix(kind, n, &matrix, entries);
        if (status != BASE_OK)
            return status;
        const double dense = fmin(time_dense(n, entries), time_dense(n, entries));
        for (const perm_exact_kernel *const *kernel = perm_exact_kernels(); *kernel != NULL; kernel++)
            if (*kernel != &perm_exact_ref && *kernel != &perm_exact_portable &&
                (kind < 3 || n <= 24 || *kernel == &perm_exact_avx512))
                time_exact(kind, &matrix, (*kernel)->name, dense);
        perm_matrix_free(&matrix);
    }
    return BASE_OK;
}

int main(int argc, char **argv) {
    static const int64_t orders[] = {24, 28, 30};
    base_status status = BASE_OK;
    base_context_init(&context);
    printf("matrix\tn\tkernel\tfactors\tprimes\tseconds\tns/unit\tdouble\tratio\testimate/seconds\n");
    for (int k = 0; k < (argc > 1 ? argc - 1 : 3) && status == BASE_OK; k++)
        status = time_order(argc > 1 ? atoll(argv[k + 1]) : orders[k]);
    if (status != BASE_OK)
        fprintf(stderr, "bench_exact: %s\n", context.error.cause);
    return status;
}
