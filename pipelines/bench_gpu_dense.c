/* Times dense permanents on the GPUs of this machine. Each FILE is a Matrix Market file with all n^2 entries
 * in coordinates, real or complex, as tools that draw test matrices write it. A line per matrix: order,
 * seconds (the device has started, and its code is loaded in them), (row, subset) pairs a second, the share
 * of what the FP64 units can do (an addition and a multiplication a pair; complex two and four), the
 * permanent, its bound relative to it.
 *
 *     bench_gpu_dense FILE... */
#include "base/device.h"
#include "base/progress.h"
#include "perm/dense_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_status read_matrix(base_context *context, const char *path, perm_dense_matrix *matrix,
                               double **entries) {
    char line[512] = "";
    long long n = 0, ncol, nnz, i, j;
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        return base_fail_errno(context, BASE_FAILED, "%s", path);
    matrix->is_complex = strstr(line, "complex") != NULL;
    const int parts = matrix->is_complex ? 2 : 1;
    while (line[0] == '%' && fgets(line, sizeof line, file) != NULL)
        continue;
    if (sscanf(line, "%lld %lld %lld", &n, &ncol, &nnz) != 3 || n < 1 || n > 63 || nnz != n * n)
        return base_fail(context, BASE_FAILED, "%s: not a full matrix", path);
    *entries = calloc((size_t)(n * n * parts), sizeof **entries);
    for (long long k = 0; k < nnz; k++) {
        double value[2] = {0, 0};
        if (fscanf(file, "%lld %lld %lf", &i, &j, &value[0]) != 3 ||
            (parts == 2 && fscanf(file, "%lf", &value[1]) != 1) || i < 1 || j < 1 || i > n || j > n)
            return base_fail(context, BASE_FAILED, "%s: entry %lld", path, k + 1);
        memcpy(*entries + ((j - 1) * n + i - 1) * parts, value, (size_t)parts * sizeof *value);
    }
    fclose(file);
    matrix->n = n;
    matrix->entries = *entries;
    return BASE_OK;
}

static base_status time_matrix(base_context *context, base_devices *devices, const char *path) {
    base_status status;
    perm_dense_matrix matrix = {.n = 0};
    perm_dense_result result;
    double *entries = NULL;
    const base_device_properties *device = base_device_get_properties(base_devices_get(devices, 0));
    BASE_TRY(read_matrix(context, path, &matrix, &entries));
    const double start = base_clock_seconds();
    BASE_TRY(perm_dense_device_permanent(context, devices, &matrix, &result));
    const double seconds = base_clock_seconds() - start;
    const double rate = ldexp((double)matrix.n, (int)matrix.n - 1) / seconds,
                 limit = device->multiprocessors * 64.0 * device->clock_hertz / (matrix.is_complex ? 6 : 2) *
                         base_devices_count(devices);
    printf("%2lld %-8s %9.4f s %10.4g pairs/s %6.1f %%  %.15g %.15g  bound %.2g\n", (long long)matrix.n,
           matrix.is_complex ? "complex" : "real", seconds, rate, 100 * rate / limit,
           ldexp(result.high[0], (int)result.exponent), ldexp(result.high[1], (int)result.exponent),
           result.error / hypot(result.high[0], result.high[1]));
done:
    free(entries);
    return status;
}

int main(int argc, char **argv) {
    base_context context;
    base_devices *devices = NULL;
    base_status status;
    base_context_init(&context);
    BASE_TRY(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices));
    for (int k = 0; k < base_devices_count(devices); k++)
        BASE_TRY(base_device_start(&context, base_devices_get(devices, k)));
    for (int k = 1; k < argc; k++)
        BASE_TRY(time_matrix(&context, devices, argv[k]));
done:
    base_devices_close(devices);
    if (status != BASE_OK)
        fprintf(stderr, "bench_gpu_dense: %s\n", context.error.cause);
    return (int)status;
}
