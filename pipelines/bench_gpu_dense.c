/* SPDX-License-Identifier: BSD-3-Clause */
/* Times dense permanents on the GPUs of this machine, for Matrix Market files (coordinate, real or complex,
 * general). A line for each: order, seconds with the loading of the code but not the start of the device,
 * (row, subset) pairs a second, the share of what the FP64 units can do at the highest clock (an addition and
 * a multiplication a pair; complex two and four), the permanent, its error bound relative to it. SUperman
 * needs 4.21 s for n = 40, real, with Kahan's sums, on one H200.
 *
 *     bench_gpu_dense FILE… */
#include "base/device/device.h"
#include "base/run/progress.h"
#include "perm/dense/device.h"
#include "pipelines/bench_matrix.h"

#include <math.h>

static base_status time_matrix(base_context *context, base_devices *devices, const char *path) {
    base_status status;
    perm_dense_matrix matrix = {.n = 0};
    perm_dense_result result;
    double *entries = bench_read_matrix(path, PERM_DENSE_LARGEST, &matrix.n, &matrix.is_complex);
    const base_device_properties *device = base_device_get_properties(base_devices_get(devices, 0));
    if (entries == NULL)
        return base_fail(context, BASE_FAILED, "%s cannot be read", path);
    matrix.entries = entries;
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
