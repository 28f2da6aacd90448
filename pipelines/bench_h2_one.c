/* SPDX-License-Identifier: BSD-3-Clause */
/* h2-build | h2-orthog | h2-compress | h2-mv as one program on processors, with nothing between the steps:
 * what a pipe of the four is measured against.
 *
 *     bench_h2_one THREADS TOLERANCE VECTORS POINTS >PRODUCT
 *
 * Prints the seconds of each step on the standard error. The product is plain numbers. */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "h2/build/build.h"
#include "h2/change/compress.h"
#include "h2/change/orthog.h"
#include "h2/matrix/io.h"
#include "h2/product/error.h"
#include "h2/product/mv.h"
#include "mm/stream/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static base_context context;

static double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static base_status read_points(const char *path, double **point, mm_record *record) {
    base_status status;
    bool found;
    mm_reader *reader = NULL;
    BASE_TRY(mm_reader_open(&context, &path, 1, false, &reader));
    BASE_TRY(mm_reader_next(&context, reader, record, &found));
    BASE_TRY(h2_points_from_record(&context, record, point));
done:
    mm_reader_close(reader);
    return status;
}

static base_status multiply(const h2_matrix *matrix, int64_t vectors) {
    base_status status;
    base_random random;
    h2_product_plan *plan = NULL;
    const int64_t count = matrix->tree.n * vectors;
    double *x = base_alloc(&context, count, sizeof *x), *y = base_alloc(&context, count, sizeof *y);
    if (x == NULL || y == NULL)
        BASE_TRY(BASE_MACHINE);
    base_random_init(&random, context.seed, 0);
    for (int64_t i = 0; i < count; i++)
        x[i] = base_random_uniform(&random);
    BASE_TRY(h2_mv_open(&context, matrix, vectors, &plan));
    h2_mv(plan, false, 1, x, 0, y, vectors);
    if (fwrite(y, sizeof *y, (size_t)count, stdout) != (size_t)count || fflush(stdout) != 0)
        BASE_TRY(base_fail_errno(&context, BASE_MACHINE, "cannot write"));
done:
    h2_mv_close(plan);
    free(y);
    free(x);
    return status;
}

static base_status work(const char *path, double tolerance, int64_t vectors) {
    base_status status;
    mm_record record;
    h2_matrix matrix = {.payload = NULL};
    const h2_compress_options options = {.tolerance = tolerance};
    h2_compression compression;
    double *point = NULL, at[6], error;
    int64_t rows;
    mm_record_init(&record);
    at[0] = now_seconds();
    BASE_TRY(read_points(path, &point, &record));
    at[1] = now_seconds();
    BASE_TRY(h2_build(&context, point, record.nrow, record.ncol, &h2_build_default, &matrix));
    BASE_TRY(h2_error_check_by(&context, &matrix, NULL, NULL, &rows, &error));
    at[2] = now_seconds();
    BASE_TRY(h2_orthogonalize(&context, &matrix));
    at[3] = now_seconds();
    BASE_TRY(h2_compress(&context, &matrix, &options, &compression));
    at[4] = now_seconds();
    BASE_TRY(multiply(&matrix, vectors));
    at[5] = now_seconds();
    fprintf(stderr, "read %.3f build %.3f orthog %.3f compress %.3f mv %.3f\n", at[1] - at[0], at[2] - at[1],
            at[3] - at[2], at[4] - at[3], at[5] - at[4]);
done:
    free(point);
    h2_matrix_free(&matrix);
    mm_record_free(&record);
    return status;
}

int main(int argc, char **argv) {
    base_context_init(&context);
    if (argc != 5) {
        fprintf(stderr, "Usage: bench_h2_one THREADS TOLERANCE VECTORS POINTS >PRODUCT\n");
        return 2;
    }
    context.threads = atoi(argv[1]);
    const base_status status = work(argv[4], strtod(argv[2], NULL), atoll(argv[3]));
    if (status != BASE_OK)
        fprintf(stderr, "bench_h2_one: %s\n", context.error.cause);
    return (int)status;
}
