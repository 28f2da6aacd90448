/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated kernels for sparse permanents on a GPU: the same bits as on the CPU. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "perm/sparse/device.h"
#include "tests/support/gpu_devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 24 };

static base_context context;
static base_random numbers;

static void draw(int n, bool is_complex, double density, double *entries) {
    const int parts = 1 + is_complex;
    for (int at = 0; at < n * n; at++) {
        const bool present = base_random_uniform(&numbers) < density || at % (n + 1) == 0;
        for (int part = 0; part < parts; part++)
            entries[at * parts + part] = present ? 2 * base_random_uniform(&numbers) - 1 : 0;
    }
}

/* Whether the device's partials are those of the CPU. */
static base_status compare(base_device *device, const perm_dense_matrix *matrix,
                           const perm_sparse_launch *launch, bool *same) {
    base_status status;
    perm_sparse sparse = {0};
    perm_sparse_cuda cuda = {0};
    perm_dense_partial *expected = NULL, *partial = NULL;
    *same = false;
    BASE_TRY(perm_sparse_init(&context, matrix, NULL, &perm_sparse_device_gpu, NULL, &sparse));
    expected = calloc((size_t)sparse.chunk_count, sizeof *expected);
    partial = calloc((size_t)sparse.chunk_count, sizeof *partial);
    BASE_TRY(perm_sparse_cuda_init(&context, device, &sparse, launch, &cuda));
    BASE_TRY(perm_sparse_run(&context, &sparse, 0, sparse.chunk_count, expected));
    BASE_TRY(perm_sparse_cuda_run(&context, &cuda, 0, sparse.chunk_count, partial));
    *same = memcmp(expected, partial, (size_t)sparse.chunk_count * sizeof *partial) == 0;
    if (!*same)
        tap_note("%.17g and %.17g", expected[0].high[0], partial[0].high[0]);
done:
    if (status != BASE_OK)
        tap_note("%s", context.error.cause);
    free(expected);
    free(partial);
    perm_sparse_cuda_free(&cuda);
    perm_sparse_free(&sparse);
    return status;
}

static void test_matrices(base_device *device, bool is_complex) {
    static double entries[2 * LARGEST * LARGEST];
    static const perm_sparse_launch launches[] = {{64, 5, 6, PERM_SPARSE_TABLES, 0},
                                                  {128, 1, 0, PERM_SPARSE_TABLES, 0},
                                                  {32, 2, 20, PERM_SPARSE_TABLES, 0}};
    for (int k = 0; k < 6; k++) {
        const int n = 9 + 3 * k;
        const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
        bool same;
        draw(n, is_complex, 0.1 + 0.08 * (double)k, entries);
        tap_ok(compare(device, &matrix, &launches[k % 3], &same) == BASE_OK && same,
               "%s, n = %d: the bits of the CPU", is_complex ? "complex" : "real", n);
    }
}

int main(void) {
    base_devices *devices;
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    if (!(base_cpu_features() & CPU_AVX2)) {
        tap_skip(1, "this processor has no fma");
        return tap_done();
    }
    test_matrices(base_devices_get(devices, 0), false);
    test_matrices(base_devices_get(devices, 0), true);
    base_devices_close(devices);
    return tap_done();
}
