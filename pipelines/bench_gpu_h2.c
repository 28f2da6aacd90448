/* SPDX-License-Identifier: BSD-3-Clause */
/* Times H2 matrices on the GPU of this machine: construction (tree and structure on the CPU, numbers on the
 * device), products with vectors that are in the device's memory (the best of some runs), orthogonalization
 * and compression (the second of two runs, with the lists that the host makes and the loading of the code),
 * beside what H2Opus takes on one H200.
 *
 *     bench_gpu_h2 [-j THREADS] [-c] [-l LEAF] [-p ORDER] [-q] [-s] [-w] DIM LOG2_N...
 *
 * Regular grids, exponential (0.1, in three dimensions 0.2), rank 64, leaf 64, eta 0.9 and 1, tolerances 1e-7
 * and 1e-3. -p: ORDER^DIM is the rank; -l: points of a leaf. -s: binary32. -w: weights by Householder
 * reflections. -q: bases by pivoted QR. -c: compare products with the CPU's, and the time of phases. */
#include "base/core/random.h"
#include "base/device/device.h"
#include "base/run/progress.h"
#include "h2/device/build.h"
#include "h2/device/compress.h"
#include "h2/device/orthog.h"
#include "h2/device/product.h"
#include "h2/product/mv.h"
#include "pipelines/bench_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 12 };

static base_context context;
static base_device *device;
static bool compares, single;
static h2_factor factor;
static h2_method method;
static int64_t order, leaf_size; /* 0: 64 */

/* H2Opus (KBLAS, MAGMA) on one H200, in ms, construction in s on 16 cores: measured for this project. */
typedef struct reference {
    int dim, log2_n;
    bool single;
    double one, sixteen, orthogonalization, compression, construction;
} reference;

static const reference references[] = {
    {3, 17, false, 3.08, 3.36, 17.3, 91.1, 0},   {3, 18, false, 4.71, 6.07, 31.0, 168, 4.1},
    {2, 19, false, 4.85, 7.19, 40.3, 152, 5.4},  {3, 19, false, 6.23, 8.30, 38.7, 170, 6.1},
    {2, 20, false, 8.25, 14.0, 81.2, 317, 12.1}, {3, 20, false, 11.5, 19.0, 99.7, 0, 16.5},
    {3, 18, true, 3.34, 6.14, 18.6, 84.7, 2.0},  {2, 18, true, 2.30, 4.16, 14.8, 51.6, 1.4},
    {3, 19, true, 4.76, 7.85, 22.5, 85.6, 2.7},
};

static const reference *find_reference(int dim, int log2_n) {
    static const reference none;
    for (size_t k = 0; k < sizeof references / sizeof *references; k++)
        if (order == 0 && leaf_size == 0 && references[k].dim == dim && references[k].log2_n == log2_n &&
            references[k].single == single)
            return &references[k];
    return &none;
}

static void print_line(const char *what, double ms, double theirs, const char *rate) {
    printf("  %-28s %9.2f ms  ", what, ms);
    if (theirs > 0)
        printf("%9.2f ms %6.2f x", theirs, theirs / ms);
    else
        printf("%12s %8s", "-", "");
    printf("  %s\n", rate);
    fflush(stdout);
}

/* Bytes that a product reads of the matrix: bases twice. */
static double matrix_bytes(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    return 2.0 * (double)(sizes.leaf_bytes + sizes.transfer_bytes) +
           (double)(sizes.coupling_bytes + sizes.dense_bytes);
}

static base_status compare_product(const h2_matrix *matrix, const double *x, const double *gpu, int vectors) {
    base_status status;
    const int64_t count = matrix->tree.n * vectors;
    h2_product_plan *plan = NULL;
    double *cpu = malloc((size_t)count * sizeof *cpu), far = 0, whole = 0;
    BASE_TRY(h2_mv_open(&context, matrix, vectors, &plan));
    const double start = base_clock_seconds();
    h2_mv(plan, false, 1, x, 0, cpu, vectors);
    const double seconds = base_clock_seconds() - start;
    for (int64_t i = 0; i < count; i++) {
        far += (cpu[i] - gpu[i]) * (cpu[i] - gpu[i]);
        whole += cpu[i] * cpu[i];
    }
    printf("    %s: %.1e from the CPU's product, which took %.1f ms on %d threads\n",
           sqrt(far / whole) < (single ? 1e-5 : 1e-12) ? "PASS" : "FAIL", sqrt(far / whole), seconds * 1e3,
           context.threads);
done:
    h2_mv_close(plan);
    free(cpu);
    return status;
}

static base_status time_phases(h2_device_plan *plan) {
    double t[H2_PRODUCT_PHASES];
    base_status status = h2_device_mv_measure(&context, plan, t);
    if (status == BASE_OK)
        printf("    one by one: up %.3f, coupling %.3f + %.3f, down %.3f + %.3f, dense %.3f + %.3f ms\n",
               t[0] * 1e3, t[1] * 1e3, t[2] * 1e3, t[3] * 1e3, t[4] * 1e3, t[5] * 1e3, t[6] * 1e3);
    return status;
}

static base_status time_product(const h2_device_matrix *on_device, int vectors, double theirs) {
    base_status status;
    const h2_matrix *matrix = on_device->matrix;
    const int64_t count = matrix->tree.n * vectors, size = count * (int64_t)sizeof(double);
    h2_device_plan *plan = NULL;
    base_device_buffer x = {0}, y = {0};
    base_random random;
    double best = INFINITY, *in = malloc((size_t)size), *out = malloc((size_t)size);
    char what[64], rate[64];
    base_random_init(&random, 1, 0);
    for (int64_t i = 0; i < count; i++)
        in[i] = base_random_uniform(&random);
    BASE_TRY(h2_device_mv_open(&context, on_device, false, vectors, &plan));
    BASE_TRY(base_device_alloc(&context, device, size, 1, &x));
    BASE_TRY(base_device_alloc(&context, device, size, 1, &y));
    BASE_TRY(base_device_upload(&context, &x, 0, in, size, NULL));
    for (int run = 0; run < RUNS; run++) {
        BASE_TRY(base_device_wait(&context, device));
        const double start = base_clock_seconds();
        BASE_TRY(h2_device_mv_resident(&context, plan, 1, x.address, 0, y.address, vectors));
        BASE_TRY(base_device_wait(&context, device));
        best = fmin(best, base_clock_seconds() - start);
    }
    snprintf(what, sizeof what, "product, %d vector%s", vectors, vectors > 1 ? "s" : "");
    snprintf(rate, sizeof rate, "%.0f GB/s", matrix_bytes(matrix) / best * 1e-9);
    print_line(what, best * 1e3, theirs, rate);
    if (compares) {
        BASE_TRY(base_device_download(&context, &y, 0, out, size, NULL));
        BASE_TRY(time_phases(plan));
        BASE_TRY(compare_product(matrix, in, out, vectors));
    }
done:
    h2_device_mv_close(plan);
    base_device_free(&x);
    base_device_free(&y);
    free(in);
    free(out);
    return status;
}

/* Floating-point operations of products T S Tᵀ that leave ranks as they are: 4 rank³ each. */
static double change_flop(const h2_matrix *matrix) {
    double flop = 0;
    for (int64_t k = 0; k < matrix->coupling.count; k++) {
        const double rows = (double)matrix->row.rank[matrix->coupling.row[k]],
                     cols = (double)matrix->col.rank[matrix->coupling.col[k]];
        flop += 2 * rows * cols * (rows + cols);
    }
    return flop;
}

/* Of bases that become orthonormal: products for the children, 4mk² - 4k³/3 flop for Q R. */
static double basis_flop(const h2_matrix *matrix) {
    double flop = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++) {
        const double k = (double)matrix->row.rank[node];
        double m = node >= matrix->tree.first_leaf ? (double)h2_points_of(matrix, node) : 0;
        for (int64_t child = matrix->child[node]; child < matrix->child[node + 1] && k > 0; child++) {
            const double rank = (double)matrix->row.rank[child];
            m += rank;
            flop += 2 * rank * rank * k;
        }
        flop += m > k ? 4 * m * k * k - 4 * k * k * k / 3 : 0;
    }
    return flop;
}

static base_status time_orthogonalization(h2_device_matrix *on_device, h2_matrix *matrix, double theirs) {
    base_status status = BASE_OK;
    h2_device_times times;
    char rate[128];
    double seconds = 0;
    for (int run = 0; run < 2; run++) { /* the second has orthonormal bases already, the work is the same */
        const double start = base_clock_seconds();
        BASE_TRY(h2_device_orthogonalize(&context, on_device, matrix, &times));
        seconds = base_clock_seconds() - start;
    }
    snprintf(rate, sizeof rate, "bases %.1f ms, %.0f GFLOP/s; blocks %.1f ms, %.0f GFLOP/s",
             times.bases * 1e3, basis_flop(matrix) / times.bases * 1e-9, times.blocks * 1e3,
             change_flop(matrix) / times.blocks * 1e-9);
    print_line("orthogonalization", seconds * 1e3, theirs, rate);
done:
    return status;
}

/* Of a compressed matrix, whose ranks were `old_rank`: singular vectors of a node's m × old stack, which 4 m
 * old²
 * + 8 old³ flop would find (Golub, Van Loan: Matrix Computations, 8.6.3), by any means; products T S Tᵀ. */
static void compression_flop(const h2_matrix *matrix, const int64_t *old_rank, double *bases,
                             double *blocks) {
    const int sides = h2_is_symmetric(matrix) ? 1 : 2;
    *bases = *blocks = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++) {
        const double old = (double)old_rank[node];
        double rows = node >= matrix->tree.first_leaf ? old : 0;
        for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++)
            rows += (double)matrix->row.rank[child];
        *bases += matrix->row.rank[node] > 0 ? sides * (4 * rows + 8 * old) * old * old : 0;
    }
    for (int64_t k = 0; k < matrix->coupling.count; k++) {
        const int64_t i = matrix->coupling.row[k], j = matrix->coupling.col[k];
        *blocks += 2 * (double)(matrix->row.rank[i] * old_rank[j] * (old_rank[i] + matrix->col.rank[j]));
    }
}

static base_status time_compression(h2_device_matrix *on_device, h2_matrix *matrix, double tolerance,
                                    double theirs) {
    base_status status;
    h2_compression compression;
    h2_device_times times;
    const h2_compress_options options = {.tolerance = tolerance, .factor = factor, .method = method};
    const int64_t before = matrix->payload_bytes;
    /* 2 rank³ a block and side */
    double bases, blocks;
    const double flop = change_flop(matrix) * (h2_is_symmetric(matrix) ? 1 : 0.5);
    char rate[160];
    const size_t size = (size_t)matrix->tree.nodes * sizeof(int64_t);
    int64_t *old_rank = malloc(size);
    memcpy(old_rank, matrix->row.rank, size);
    const double start = base_clock_seconds();
    BASE_TRY(h2_device_compress(&context, on_device, matrix, &options, &compression, &times));
    const double seconds = base_clock_seconds() - start;
    compression_flop(matrix, old_rank, &bases, &blocks);
    snprintf(rate, sizeof rate, "weights%s %.1f ms, %.0f GFLOP/s; bases %.1f ms, %.0f; blocks %.1f ms, %.0f",
             compression.gram ? " (Gram)" : "", times.weights * 1e3, flop / times.weights * 1e-9,
             times.bases * 1e3, bases / times.bases * 1e-9, times.blocks * 1e3, blocks / times.blocks * 1e-9);
    print_line("compression", seconds * 1e3, theirs, rate);
    printf("    relative %.0e: %.2f to %.2f GB, Frobenius error at most %.3g of %.4g\n", tolerance,
           (double)before * 1e-9, (double)matrix->payload_bytes * 1e-9, compression.error, compression.norm);
done:
    free(old_rank);
    return status;
}

static base_status time_case(int dim, int log2_n) {
    base_status status = BASE_OK;
    const reference *theirs = find_reference(dim, log2_n);
    double *point = bench_grid(dim, log2_n);
    h2_matrix matrix = {.payload = NULL};
    h2_device_matrix on_device = {.matrix = NULL};
    h2_build_options options = h2_build_default;
    options.function.length = dim == 2 ? 0.1 : 0.2;
    options.single = single;
    options.order = order;
    options.leaf_size = leaf_size > 0 ? leaf_size : options.leaf_size;
    const double start = base_clock_seconds();
    BASE_TRY(
        h2_device_build(&context, device, point, INT64_C(1) << log2_n, dim, &options, &matrix, &on_device));
    const double seconds = base_clock_seconds() - start;
    printf("%dD, n = 2^%d, rank %lld, leaves of %lld, %s: %lld coupling and %lld dense blocks stored, %.2f "
           "GB\n  %-28s %12s %12s %8s\n",
           dim, log2_n, (long long)h2_most_rank(&matrix), (long long)h2_most_points(&matrix),
           single ? "binary32" : "binary64", (long long)matrix.coupling.count, (long long)matrix.dense.count,
           (double)matrix.payload_bytes * 1e-9, "", "ours", "H2Opus", "");
    print_line("construction", seconds * 1e3, theirs->construction * 1e3, "");
    if (compares)
        BASE_TRY(h2_device_download(&context, &on_device));
    BASE_TRY(time_product(&on_device, 1, theirs->one));
    BASE_TRY(time_product(&on_device, 16, theirs->sixteen));
    BASE_TRY(time_orthogonalization(&on_device, &matrix, theirs->orthogonalization));
    if (compares)
        BASE_TRY(time_product(&on_device, 1, 0));
    BASE_TRY(time_compression(&on_device, &matrix, dim == 2 ? 1e-7 : 1e-3, theirs->compression));
    if (compares)
        BASE_TRY(h2_device_download(&context, &on_device));
    BASE_TRY(time_product(&on_device, 1, 0));
    BASE_TRY(time_product(&on_device, 16, 0));
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
    base_context_init(&context);
    for (int option; (option = getopt(argc, argv, "j:cl:p:qsw")) != -1;) {
        if (option == 'j')
            context.threads = atoi(optarg);
        if (option == 'l')
            leaf_size = atoi(optarg);
        if (option == 'p')
            order = atoi(optarg);
        compares = compares || option == 'c';
        single = single || option == 's';
        method = option == 'q' ? H2_PIVOTED_QR : method;
        factor = option == 'w' ? H2_HOUSEHOLDER : factor;
    }
    printf("The paper, on a P100: products above 550 GB/s, compression above 850 GFLOP/s. H2Opus: on an "
           "H200.\n");
    BASE_TRY(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices));
    device = base_devices_get(devices, 0);
    BASE_TRY(base_device_start(&context, device));
    for (int k = optind + 1; k < argc; k++)
        BASE_TRY(time_case(atoi(argv[optind]), atoi(argv[k])));
done:
    base_devices_close(devices);
    if (status != BASE_OK)
        fprintf(stderr, "bench_gpu_h2: %s\n", context.error.cause);
    return (int)status;
}
