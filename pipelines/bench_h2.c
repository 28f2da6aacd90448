/* SPDX-License-Identifier: BSD-3-Clause */
/* Times H2 matrices on one core, in processor time, beside H2Opus and H2Lib on one core of an AVX-512 Xeon
 * (measured for this project with SkylakeX kernels of OpenBLAS), a dense product of OpenBLAS in the same run,
 * and reproduces tables 2 and 3 of Boukaram, Turkiyyah, Keyes (2019): relative errors in the Frobenius norm
 * and of a product, before and after compression. Errors of products are from 1 % of the rows.
 *
 *     bench_h2 [LOG2_N...]       sizes of the tables (default: 14 15 16 17)
 *
 * Regular grids, exponential (0.1, in three dimensions 0.2), rank 64, leaf 64, eta 0.9 and 1, tolerances 1e-7
 * and 1e-3, relative to each cluster's largest singular value, ranks that of a level's cluster which needs
 * most: as in the paper. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "h2/build/build.h"
#include "h2/change/compress.h"
#include "h2/change/orthog.h"
#include "h2/product/error.h"
#include "h2/product/mv.h"
#include "pipelines/bench_grid.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, SIZES = 8 };

static base_context context;

/* Of this process: other work on the machine does not count. */
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct result {
    int64_t n;
    double build, one, sixteen, orthogonalize, compress, one_after, before_bytes, after_bytes;
    double change, bound; /* in the Frobenius norm, relative to the whole matrix */
    double error[2];      /* of products, before and after */
} result;

/* ---- what others take, in the units of result; 0: not known ---- */

typedef struct reference {
    const char *name;
    int dim, log2_n;
    double build, one, sixteen, change, after_megabytes, error;
} reference;

static const reference references[] = {
    {"H2Opus", 2, 14, 1.1, 0.020, 0.042, 0.66, 107, 3.28e-7},
    {"H2Opus", 2, 16, 5.1, 0.099, 0.199, 2.73, 363, 3.39e-7},
    {"H2Opus", 3, 14, 1.5, 0.027, 0.052, 0.69, 83, 1.08e-3},
    {"H2Opus", 3, 15, 3.5, 0.063, 0.123, 1.67, 135, 8.9e-4},
    {"H2Lib", 2, 14, 0.9, 0.018, 0.042, 0.64, 98, 3.53e-7},
    {"H2Lib", 2, 16, 4.0, 0.098, 0.212, 2.76, 383, 3.43e-7},
    {"H2Lib", 3, 14, 0.5, 0.022, 0.051, 0.69, 81, 8.75e-4},
    {"H2Lib", 3, 15, 1.3, 0.058, 0.132, 1.64, 145, 6.67e-4},
};

typedef struct published {
    int dim, log2_n;
    double frobenius, before, after;
} published;

static const published tables[] = {
    {2, 14, 6.40e-8, 3.33e-7, 3.12e-7}, {2, 15, 9.85e-8, 3.60e-7, 3.36e-7},
    {2, 16, 1.14e-7, 3.47e-7, 3.50e-7}, {2, 17, 1.52e-7, 3.50e-7, 3.58e-7},
    {2, 18, 1.74e-7, 3.49e-7, 3.47e-7}, {2, 19, 2.19e-7, 3.52e-7, 3.48e-7},
    {3, 14, 1.33e-3, 9.10e-4, 9.54e-4}, {3, 15, 1.75e-3, 9.49e-4, 1.03e-3},
    {3, 16, 2.08e-3, 9.19e-4, 9.35e-4}, {3, 17, 2.35e-3, 9.62e-4, 9.70e-4},
    {3, 18, 2.85e-3, 9.78e-4, 9.62e-4}, {3, 19, 2.83e-3, 9.76e-4, 9.68e-4},
};

/* ---- ours ---- */

static base_status time_product(const h2_matrix *matrix, int vectors, double *seconds) {
    base_status status;
    const int64_t count = matrix->tree.n * vectors;
    double *x = malloc((size_t)count * sizeof *x), *y = malloc((size_t)count * sizeof *y);
    h2_product_plan *plan = NULL;
    for (int64_t i = 0; i < count; i++)
        x[i] = 1 + (double)(i % 7);
    *seconds = INFINITY;
    BASE_TRY(h2_mv_open(&context, matrix, vectors, &plan));
    for (int run = 0; run < RUNS; run++) {
        const double start = processor_seconds();
        h2_mv(plan, false, 1, x, 0, y, vectors);
        *seconds = fmin(*seconds, processor_seconds() - start);
    }
done:
    h2_mv_close(plan);
    free(x);
    free(y);
    return status;
}

/* Squares of all numbers that the blocks stand for. */
static long double sum_squares(const h2_matrix *matrix, const h2_block_list *list) {
    long double sum = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const double *value = h2_block(matrix, list, k);
        long double own = 0;
        for (int64_t i = 0; i < list->offset[k + 1] - list->offset[k]; i++)
            own += (long double)value[i] * (long double)value[i];
        sum += h2_is_symmetric(matrix) && list->row[k] != list->col[k] ? 2 * own : own;
    }
    return sum;
}

static base_status run_case(int dim, int log2_n, result *r) {
    base_status status;
    h2_matrix matrix = {.payload = NULL};
    h2_compression compression;
    h2_build_options build = h2_build_default;
    const h2_compress_options options = {.tolerance = dim == 2 ? 1e-7 : 1e-3, .level_ranks = true};
    double *point = bench_grid(dim, log2_n);
    r->n = INT64_C(1) << log2_n;
    build.function.length = dim == 2 ? 0.1 : 0.2;
    double start = processor_seconds();
    BASE_TRY(h2_build(&context, point, r->n, dim, &build, &matrix));
    r->build = processor_seconds() - start;
    r->before_bytes = (double)matrix.payload_bytes;
    BASE_TRY(time_product(&matrix, 1, &r->one));
    BASE_TRY(time_product(&matrix, 16, &r->sixteen));
    BASE_TRY(h2_error_sample(&context, &matrix, r->n / 100, &r->error[0]));
    start = processor_seconds();
    BASE_TRY(h2_orthogonalize(&context, &matrix));
    r->orthogonalize = processor_seconds() - start;
    const long double before = sum_squares(&matrix, &matrix.coupling),
                      whole = before + sum_squares(&matrix, &matrix.dense);
    start = processor_seconds();
    BASE_TRY(h2_compress(&context, &matrix, &options, &compression));
    r->compress = processor_seconds() - start;
    r->after_bytes = (double)matrix.payload_bytes;
    /* Orthonormal bases: what was cut off is orthogonal to what is left. */
    r->change = (double)sqrtl((before - sum_squares(&matrix, &matrix.coupling)) / whole);
    r->bound = compression.error / (double)sqrtl(whole);
    BASE_TRY(time_product(&matrix, 1, &r->one_after));
    BASE_TRY(h2_error_sample(&context, &matrix, r->n / 100, &r->error[1]));
done:
    h2_matrix_free(&matrix);
    free(point);
    return status;
}

/* ---- the tables ---- */

static void print_references(int dim, int log2_n, const result *r) {
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
        const reference *o = &references[k];
        if (o->dim == dim && o->log2_n == log2_n)
            printf("    %s / ours: build %.1f, product %.1f, of 16 vectors %.1f, orthogonal and compressed "
                   "%.1f times; "
                   "%.0f MB, error %.2e\n",
                   o->name, o->build / r->build, o->one / r->one, o->sixteen / r->sixteen,
                   o->change / (r->orthogonalize + r->compress), o->after_megabytes, o->error);
    }
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (tables[k].dim == dim && tables[k].log2_n == log2_n)
            printf("    the paper: change %.2e, error %.2e, after %.2e\n", tables[k].frobenius,
                   tables[k].before, tables[k].after);
}

static base_status print_table(int dim, const int *sizes, int count) {
    base_status status = BASE_OK;
    result last = {.n = 0};
    printf("%dD, one core: seconds to build, for a product, for 16 vectors, to orthogonalize, to compress, "
           "for a product "
           "then\n",
           dim);
    for (int k = 0; k < count; k++) {
        result r;
        BASE_TRY(run_case(dim, sizes[k], &r));
        printf("  2^%d  %.2f  %.4f  %.4f  %.2f  %.2f  %.4f  %.0f to %.0f MB  change %.2e, at most "
               "%.2e; error %.2e, after %.2e\n",
               sizes[k], r.build, r.one, r.sixteen, r.orthogonalize, r.compress, r.one_after,
               r.before_bytes * 1e-6, r.after_bytes * 1e-6, r.change, r.bound, r.error[0], r.error[1]);
        if (last.n > 0)
            printf(
                "    a point costs %.2f (build), %.2f (product), %.2f (compress) times as much as before\n",
                r.build / last.build * (double)last.n / (double)r.n,
                r.one / last.one * (double)last.n / (double)r.n,
                r.compress / last.compress * (double)last.n / (double)r.n);
        print_references(dim, sizes[k], &r);
        fflush(stdout);
        last = r;
    }
done:
    return status;
}

/* cblas_dgemv of n = 2^14: rows in order, not transposed. */
static void time_dense(void) {
    const int64_t n = 1 << 14;
    if (base_cpu_features() & CPU_AVX512) /* what OpenBLAS finds by itself may be much older */
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    void (*dgemv)(int, int, int, int, double, const double *, int, const double *, int, double, double *,
                  int) = NULL;
    if (library != NULL)
        *(void **)&dgemv = dlsym(library, "cblas_dgemv");
    if (dgemv == NULL) {
        printf("dense: libopenblas.so.0 is not installed\n");
        return;
    }
    double *a = malloc((size_t)(n * n) * sizeof *a), *x = malloc((size_t)n * sizeof *x),
           *y = calloc((size_t)n, sizeof *y);
    double best = INFINITY;
    for (int64_t i = 0; a != NULL && i < n * n; i++)
        a[i] = (double)(i % 11);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1;
    for (int run = 0; a != NULL && run < RUNS; run++) {
        const double start = processor_seconds();
        dgemv(101, 111, (int)n, (int)n, 1, a, (int)n, x, 1, 0, y, 1);
        best = fmin(best, processor_seconds() - start);
    }
    printf("dense, n = 2^14: a product of OpenBLAS takes %.4f s, %.1f GB/s\n", best,
           8e-9 * (double)(n * n) / best);
    free(a);
    free(x);
    free(y);
    dlclose(library);
}

int main(int argc, char **argv) {
    int sizes[SIZES] = {14, 15, 16, 17}, count = 4;
    base_status status;
    base_context_init(&context);
    for (int k = 1; k < argc && k <= SIZES; k++)
        sizes[(count = k) - 1] = atoi(argv[k]);
    time_dense();
    BASE_TRY(print_table(2, sizes, count));
    BASE_TRY(print_table(3, sizes, count));
done:
    if (status != BASE_OK)
        fprintf(stderr, "bench_h2: %s\n", context.error.cause);
    return (int)status;
}
