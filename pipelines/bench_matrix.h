/* SPDX-License-Identifier: BSD-3-Clause */
/* A Matrix Market file (coordinate, real or complex, general) as a dense array, for benchmarks that are
 * carried to machines without the libraries that lib/mm needs. */
#ifndef PIPELINES_BENCH_MATRIX_H
#define PIPELINES_BENCH_MATRIX_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Column by column, complex as pairs; NULL when it cannot be read. The caller frees it. */
static inline double *bench_read_matrix(const char *path, int64_t largest, int64_t *n, bool *is_complex) {
    char line[1024];
    int64_t nnz = 0, ncol = 0;
    FILE *file = fopen(path, "r");
    double *entries = NULL;
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        goto done;
    *is_complex = strstr(line, " complex ") != NULL;
    while (fgets(line, sizeof line, file) != NULL && line[0] == '%')
        ;
    if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, n, &ncol, &nnz) != 3 || *n != ncol || *n > largest)
        goto done;
    const int parts = *is_complex ? 2 : 1;
    entries = (double *)calloc((size_t)(*n * *n * parts), sizeof *entries);
    for (int64_t e = 0; e < nnz && entries != NULL; e++) {
        int64_t i, j;
        double value[2] = {0};
        if (fscanf(file, "%" SCNd64 " %" SCNd64 " %lf", &i, &j, &value[0]) != 3 ||
            (*is_complex && fscanf(file, "%lf", &value[1]) != 1) || i < 1 || i > *n || j < 1 || j > *n) {
            free(entries);
            entries = NULL;
            break;
        }
        memcpy(entries + ((j - 1) * *n + i - 1) * parts, value, (size_t)parts * sizeof *value);
    }
done:
    if (file != NULL)
        fclose(file);
    return entries;
}

#endif
