/* Times H2 matrices on the GPU of this machine: construction (tree and structure on the CPU, numbers on the
 * device) and products with 1 and 16 vectors that are in the device's memory, best of some runs.
 *
 *     bench_gpu_h2 [-j THREADS] [-c] [-s] DIM LOG2_N…
 *
 * Regular grids as in the notes of the H2 literature, exponential, rank 64, leaf 64, eta 0.9 in two
 * dimensions and 1 in three. -s: binary32. -c: compare the product with the CPU's, as well. */
#include "base/device.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "h2/build_private.h"
#include "h2/device_compress.h"
#include "h2/device_product.h"
#include "h2/mv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 12, VECTORS = 16 };

static base_context context;
static base_device *device;
static bool compares;

static double *make_grid(int64_t dim, int log2_n) {
    const int64_t n = INT64_C(1) << log2_n;
    double *point = malloc((size_t)(n * dim) * sizeof *point);
    int64_t edge[3] = {1, 1, 1};
    for (int bit = 0; bit < log2_n; bit++)
        edge[bit % dim] *= 2;
    for (int64_t i = 0; i < n; i++)
        for (int64_t axis = 0, rest = i; axis < dim; rest /= edge[axis++])
            point[i * dim + axis] = (double)(rest % edge[axis]) / (double)(edge[axis] - 1);
    return point;
}

/* Bytes that a product reads of the matrix at least: bases twice. */
static double matrix_bytes(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    return 2.0 * (double)(sizes.leaf_bytes + sizes.transfer_bytes) +
           (double)(sizes.coupling_bytes + sizes.dense_bytes);
}

static base_status time_product(const h2_device_matrix *on_device, int vectors) {
    base_status status;
    const h2_matrix *matrix = on_device->matrix;
    const int64_t n = matrix->tree.n;
    h2_device_plan *plan = NULL;
    h2_product_plan *cpu_plan = NULL;
    base_device_buffer x = {0}, y = {0};
    base_random random;
    double best = INFINITY, far = 0, whole = 0, phase[H2_PRODUCT_PHASES];
    double *host = malloc((size_t)(n * vectors) * 8), *cpu = malloc((size_t)(n * vectors) * 8),
           *gpu = malloc((size_t)(n * vectors) * 8);
    const int64_t size = n * vectors * 8;
    base_random_init(&random, 1, 0);
    for (int64_t i = 0; i < n * vectors; i++)
        host[i] = base_random_uniform(&random);
    BASE_TRY(h2_device_mv_open(&context, on_device, false, vectors, &plan));
    BASE_TRY(base_device_alloc(&context, device, size, 1, &x));
    BASE_TRY(base_device_alloc(&context, device, size, 1, &y));
    BASE_TRY(base_device_upload(&context, &x, 0, host, size, NULL));
    for (int run = 0; run < RUNS; run++) {
        BASE_TRY(base_device_wait(&context, device));
        const double start = base_clock_seconds();
        BASE_TRY(h2_device_mv_resident(&context, plan, 1, x.address, 0, y.address, vectors));
        BASE_TRY(base_device_wait(&context, device));
        const double seconds = base_clock_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    printf("    product, %2d vectors    %8.3f ms  %6.0f GB/s\n", vectors, best * 1e3,
           matrix_bytes(matrix) / best * 1e-9);
    BASE_TRY(h2_device_mv_measure(&context, plan, phase));
    printf("      one by one: up %.3f, coupling %.3f + %.3f, down %.3f + %.3f, dense %.3f + %.3f ms\n",
           phase[0] * 1e3, phase[1] * 1e3, phase[2] * 1e3, phase[3] * 1e3, phase[4] * 1e3, phase[5] * 1e3,
           phase[6] * 1e3);
    if (compares) {
        BASE_TRY(base_device_download(&context, &y, 0, gpu, size, NULL));
        BASE_TRY(h2_mv_open(&context, matrix, vectors, &cpu_plan));
        const double start = base_clock_seconds();
        h2_mv(cpu_plan, false, 1, host, 0, cpu, vectors);
        const double seconds = base_clock_seconds() - start;
        for (int64_t i = 0; i < n * vectors; i++) {
            far += (cpu[i] - gpu[i]) * (cpu[i] - gpu[i]);
            whole += cpu[i] * cpu[i];
        }
        printf("    %s: distance to the CPU's product %.2e (%.1f ms on %d threads)\n",
               sqrt(far / whole) < (matrix->head.value_bytes == 8 ? 1e-12 : 1e-5) ? "PASS" : "FAIL",
               sqrt(far / whole), seconds * 1e3, context.threads);
    }
done:
    fflush(stdout);
    h2_mv_close(cpu_plan);
    h2_device_mv_close(plan);
    base_device_free(&x);
    base_device_free(&y);
    free(host);
    free(cpu);
    free(gpu);
    return status;
}

/* The tolerances of the paper; the absolute rule is that of H2Opus, without the norm's products. */
static base_status time_compression(h2_device_matrix *on_device, h2_matrix *matrix, double tolerance) {
    base_status status;
    h2_compression compression;
    const h2_compress_options options = {.tolerance = tolerance};
    const int64_t before = matrix->payload_bytes;
    const double start = base_clock_seconds();
    BASE_TRY(h2_device_compress(&context, on_device, matrix, &options, &compression));
    printf(
        "    compression            %8.2f ms, relative %.0e: %.2f to %.2f GB, error at most %.3g of %.4g\n",
        (base_clock_seconds() - start) * 1e3, tolerance, (double)before * 1e-9,
        (double)matrix->payload_bytes * 1e-9, compression.error, compression.norm);
    if (compares) {
        BASE_TRY(h2_device_download(&context, on_device));
        BASE_TRY(time_product(on_device, 1));
        BASE_TRY(time_product(on_device, 16));
    }
done:
    return status;
}

static base_status time_case(int64_t dim, int log2_n, bool single) {
    base_status status = BASE_OK;
    const int64_t n = INT64_C(1) << log2_n;
    double *point = make_grid(dim, log2_n);
    h2_matrix matrix = {.payload = NULL};
    h2_device_matrix on_device = {.matrix = NULL};
    h2_build_options options = h2_build_default;
    options.function.length = dim == 2 ? 0.1 : 0.2;
    options.single = single;
    h2_builder builder;
    double start = base_clock_seconds();
    BASE_TRY(h2_builder_open(&context, point, n, dim, &options, &matrix, &builder));
    const double host_seconds = base_clock_seconds() - start;
    h2_builder_close(&builder);
    h2_matrix_free(&matrix);
    start = base_clock_seconds();
    BASE_TRY(h2_device_build(&context, device, point, n, dim, &options, &matrix, &on_device));
    const double seconds = base_clock_seconds() - start;
    printf("%lldD, n = 2^%d, %s: %lld coupling, %lld dense blocks stored, %.2f GB\n", (long long)dim, log2_n,
           single ? "fp32" : "fp64", (long long)matrix.coupling.count, (long long)matrix.dense.count,
           (double)matrix.payload_bytes * 1e-9);
    printf(
        "    construction           %8.1f ms, of which tree, structure and index on the CPU about %.1f ms\n",
        seconds * 1e3, host_seconds * 1e3);
    if (compares) {
        start = base_clock_seconds();
        BASE_TRY(h2_device_download(&context, &on_device));
        printf("    download               %8.1f ms  %6.1f GB/s\n", (base_clock_seconds() - start) * 1e3,
               (double)on_device.values.bytes * 1e-9 / (base_clock_seconds() - start));
    }
    for (int vectors = 1; vectors <= VECTORS; vectors = vectors == 1 ? 8 : 2 * vectors)
        BASE_TRY(time_product(&on_device, vectors));
    for (int run = 0; run < 2; run++) { /* the second has orthonormal bases already, the work is the same */
        start = base_clock_seconds();
        BASE_TRY(h2_device_orthogonalize(&context, &on_device, &matrix));
        printf("    orthogonalization      %8.2f ms, with lists and loading of the code\n",
               (base_clock_seconds() - start) * 1e3);
    }
    if (compares)
        BASE_TRY(time_product(&on_device, 1));
    BASE_TRY(time_compression(&on_device, &matrix, dim == 2 ? 1e-7 : 1e-3));
done:
    fflush(stdout);
    h2_device_free(&on_device);
    h2_matrix_free(&matrix);
    free(point);
    return status;
}

int main(int argc, char **argv) {
    base_devices *devices = NULL;
    base_status status;
    bool single = false;
    base_context_init(&context);
    for (int option; (option = getopt(argc, argv, "j:cs")) != -1;) {
        if (option == 'j')
            context.threads = atoi(optarg);
        compares = compares || option == 'c';
        single = single || option == 's';
    }
    BASE_TRY(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices));
    device = base_devices_get(devices, 0);
    BASE_TRY(base_device_start(&context, device));
    for (int k = optind + 1; k < argc; k++)
        BASE_TRY(time_case(atoi(argv[optind]), atoi(argv[k]), single));
done:
    base_devices_close(devices);
    if (status != BASE_OK)
        fprintf(stderr, "bench_gpu_h2: %s\n", context.error.cause);
    return (int)status;
}
