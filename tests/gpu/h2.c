/* SPDX-License-Identifier: BSD-3-Clause */
/* H2 matrices on a true GPU: the numbers and products of the CPU, the same bits every time. */
#include "h2/change/compress.h"
#include "h2/change/orthog.h"
#include "h2/device/build.h"
#include "h2/device/compress.h"
#include "h2/device/orthog.h"
#include "h2/device/product.h"
#include "h2/product/mv.h"
#include "tests/support/gpu_devices.h"
#include "tests/support/h2_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 24, MOST_VECTORS = 20 };

static base_context context;
static base_devices *devices;
static base_device *device;

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

static void check_product(base_random *random, const h2_device_matrix *on_device, bool transposed,
                          int64_t vectors) {
    const h2_matrix *matrix = on_device->matrix;
    const int64_t n = matrix->tree.n, count = n * vectors;
    const size_t size = (size_t)count * sizeof(double);
    double *x = draw_uniform(random, count), *z = draw_uniform(random, count), *cpu = malloc(size),
           *gpu = malloc(size), *again = malloc(size);
    h2_product_plan *plan;
    h2_device_plan *device_plan;
    memcpy(cpu, z, size);
    memcpy(gpu, z, size);
    memcpy(again, z, size);
    bool ok = good(h2_mv_open(&context, matrix, vectors, &plan));
    if (ok)
        h2_mv(plan, transposed, 2, x, -0.5, cpu, vectors);
    h2_mv_close(plan);
    ok = ok && good(h2_device_mv_open(&context, on_device, transposed, vectors, &device_plan));
    ok = ok && good(h2_device_mv(&context, device_plan, 2, x, -0.5, gpu, vectors));
    ok = ok && good(h2_device_mv(&context, device_plan, 2, x, -0.5, again, vectors));
    if (ok)
        h2_device_mv_close(device_plan);
    const double far = ok ? distance(gpu, cpu, count) : INFINITY;
    tap_ok(ok && far < (matrix->head.value_bytes == 8 ? 1e-13 : 1e-5) && memcmp(gpu, again, size) == 0,
           "... %s%d vectors: distance %.1e, the same bits again", transposed ? "transposed, " : "",
           (int)vectors, far);
    free(x);
    free(z);
    free(cpu);
    free(gpu);
    free(again);
}

static double compare_values(const h2_matrix *matrix, const h2_matrix *other) {
    const int64_t first = (char *)matrix->row.leaf - matrix->payload;
    const int64_t count = (matrix->payload_bytes - first) / matrix->head.value_bytes;
    double far = 0;
    for (int64_t i = 0; i < count; i++) {
        double a, b;
        matrix->kernels->widen(1, h2_at(matrix, matrix->row.leaf, i), &a);
        matrix->kernels->widen(1, h2_at(matrix, other->row.leaf, i), &b);
        far = fmax(far, isnan(a) || isnan(b) ? INFINITY : fabs(a - b) / (1 + fabs(b)));
    }
    return far;
}

/* Both steps on a matrix in the host's memory, as where a device has no room for it. */
static bool change_in_parts(h2_matrix *matrix, const h2_compress_options *options,
                            h2_compression *compression) {
    return good(h2_device_orthogonalize_in_parts(&context, device, matrix, NULL)) &&
           good(h2_device_compress_in_parts(&context, device, matrix, options, compression, NULL));
}

static bool change_whole(h2_matrix *matrix, const h2_compress_options *options, h2_compression *compression) {
    h2_device_matrix on_device = {.matrix = NULL};
    const bool ok = good(h2_device_alloc(&context, device, matrix, &on_device)) &&
                    good(h2_device_upload(&context, &on_device)) &&
                    good(h2_device_orthogonalize(&context, &on_device, matrix, NULL)) &&
                    good(h2_device_compress(&context, &on_device, matrix, options, compression, NULL)) &&
                    good(h2_device_download(&context, &on_device));
    h2_device_free(&on_device);
    return ok;
}

/* A on the device, orthonormal and compressed, beside what the CPU makes of it. */
static void check_changes(base_random *random, const double *point, int64_t n, int64_t dim,
                          const h2_build_options *build, const h2_compress_options *options, bool in_parts) {
    const size_t size = (size_t)n * sizeof(double);
    h2_matrix cpu = {.payload = NULL}, gpu = {.payload = NULL};
    h2_compression ours = {.norm = 0}, theirs = {.norm = 0};
    h2_product_plan *plan;
    double *x = draw_uniform(random, n), *y = malloc(size), *z = malloc(size);
    bool ok = good(h2_build(&context, point, n, dim, build, &cpu)) &&
              good(h2_build(&context, point, n, dim, build, &gpu));
    if (ok && h2_device_can_change(&gpu)) {
        ok = good(h2_orthogonalize(&context, &cpu)) && good(h2_compress(&context, &cpu, options, &theirs)) &&
             (in_parts ? change_in_parts : change_whole)(&gpu, options, &ours);
        for (int i = 0; ok && i < 2; i++) {
            ok = good(h2_mv_open(&context, i == 0 ? &cpu : &gpu, 1, &plan));
            if (ok)
                h2_mv(plan, false, 1, x, 0, i == 0 ? y : z, 1);
            h2_mv_close(plan);
        }
        int64_t off = 0;
        for (int64_t node = 0; ok && node < cpu.tree.nodes; node++)
            off += llabs(cpu.row.rank[node] - gpu.row.rank[node]);
        const double far = ok ? distance(z, y, n) : INFINITY;
        tap_ok(ok && far < 10 * options->tolerance && (gpu.head.flags & H2_ORTHOGONAL) != 0 &&
                   fabs(ours.error - theirs.error) <
                       (build->single ? 0.1 : 1e-2) * theirs.error + 1e-7 * theirs.norm &&
                   fabs(ours.norm / theirs.norm - 1) < 1e-6 && off <= cpu.tree.nodes / 20,
               "... rule %d%s: error at most %.4e, the CPU's %.4e; products %.1e apart; ranks differ by %d",
               (int)options->rule, options->method == H2_SVD ? "" : ", pivoted QR", ours.error, theirs.error,
               far, (int)off);
    }
    h2_matrix_free(&cpu);
    h2_matrix_free(&gpu);
    free(x);
    free(y);
    free(z);
}

static void check_matrix(base_random *random, int64_t n, int64_t dim, const h2_build_options *options,
                         double tolerance) {
    double *point = draw_uniform(random, n * dim);
    h2_matrix matrix, built;
    h2_device_matrix on_device, other;
    h2_compression compression;
    const h2_compress_options compress = {.tolerance = tolerance};
    bool ok = good(h2_build(&context, point, n, dim, options, &matrix));
    ok = ok && good(h2_device_build(&context, device, point, n, dim, options, &built, &other));
    ok = ok && good(h2_device_download(&context, &other));
    h2_device_free(&other);
    const double far = ok ? compare_values(&built, &matrix) : INFINITY;
    tap_ok(ok && far < (options->single ? 1e-6 : 1e-12), "%s, dimension %d, %d points: numbers %.1e off",
           h2_function_name(options->function.kind), (int)dim, (int)n, far);
    h2_matrix_free(&built);
    if (tolerance > 0)
        ok = ok && good(h2_orthogonalize(&context, &matrix)) &&
             good(h2_compress(&context, &matrix, &compress, &compression));
    ok = ok && good(h2_device_alloc(&context, device, &matrix, &on_device)) &&
         good(h2_device_upload(&context, &on_device));
    for (int64_t vectors = 1; ok && vectors <= MOST_VECTORS; vectors = 3 * vectors + 1)
        check_product(random, &on_device, vectors == 4, vectors);
    if (ok)
        check_product(random, &on_device, true, 1);
    h2_device_free(&on_device);
    h2_matrix_free(&matrix);
    for (int rule = 0; rule < 6; rule++) {
        const h2_compress_options how = {.tolerance = 1e-4,
                                         .rule = (h2_rule)(rule % 3),
                                         .method = rule < 3 ? H2_SVD : H2_PIVOTED_QR,
                                         .level_ranks = dim == 2,
                                         .factor = dim == 3 ? H2_HOUSEHOLDER : H2_AUTO};
        check_changes(random, point, n, dim, options, &how, false);
    }
    free(point);
}

/* The basis of a node in terms of points: U, or [U_c E_c; U_d E_d]. Its columns are orthonormal where all
 * leaves' and stacks of transfers are. */
static double find_loss(const h2_matrix *matrix, const h2_basis *basis) {
    double loss = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++) {
        const bool is_leaf = node >= matrix->tree.first_leaf;
        const int64_t child = matrix->child[node], k = basis->rank[node];
        const int64_t rows = is_leaf ? h2_points_of(matrix, node)
                                     : basis->start[matrix->child[node + 1]] - basis->start[child];
        double *q = malloc((size_t)(rows * k + 1) * sizeof *q);
        if (k > 0)
            matrix->kernels->widen(
                rows * k, is_leaf ? h2_leaf_basis(matrix, basis, node) : h2_transfer(matrix, basis, child),
                q);
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j <= i; j++) {
                double sum = i == j ? -1 : 0;
                for (int64_t row = 0; row < rows; row++)
                    sum += q[row * k + i] * q[row * k + j];
                loss = isnan(sum) ? INFINITY : fmax(loss, fabs(sum));
            }
        free(q);
    }
    return loss;
}

/* Orthonormal on the device, columns with a basis of their own or not: bases and product. */
static void check_orthogonal(base_random *random, const double *point, int64_t n, int64_t dim,
                             const h2_build_options *options) {
    const size_t size = (size_t)n * sizeof(double);
    h2_matrix matrix = {.payload = NULL};
    h2_device_matrix on_device = {.matrix = NULL};
    h2_product_plan *plan = NULL;
    double *x = draw_uniform(random, n), *y = malloc(size), *z = malloc(size);
    bool ok = good(h2_build(&context, point, n, dim, options, &matrix));
    for (int pass = 0; ok && pass < 2; pass++) {
        ok = pass == 0 || (good(h2_device_alloc(&context, device, &matrix, &on_device)) &&
                           good(h2_device_upload(&context, &on_device)) &&
                           good(h2_device_orthogonalize(&context, &on_device, &matrix, NULL)) &&
                           good(h2_device_download(&context, &on_device)));
        ok = ok && good(h2_mv_open(&context, &matrix, 1, &plan));
        if (ok)
            h2_mv(plan, false, 1, x, 0, pass == 0 ? y : z, 1);
        h2_mv_close(plan);
        plan = NULL;
    }
    const double far = ok ? distance(z, y, n) : INFINITY,
                 loss =
                     ok ? fmax(find_loss(&matrix, &matrix.row), find_loss(&matrix, &matrix.col)) : INFINITY;
    tap_ok(ok && far < (options->single ? 1e-5 : 1e-13) && loss < (options->single ? 1e-5 : 1e-13),
           "%d points, order %d, leaves of %d, rank %d%s: bases %.1e from orthonormal, products %.1e apart",
           (int)n, (int)options->order, (int)options->leaf_size, (int)h2_most_rank(&matrix),
           options->single ? ", binary32" : "", loss, far);
    h2_device_free(&on_device);
    h2_matrix_free(&matrix);
    free(x);
    free(y);
    free(z);
}

/* Ranks and leaves that do not fit shared memory: 81, 125, 216, 256. */
static void check_large(base_random *random) {
    static const struct {
        int n, dim, order, leaf;
        bool single, unsymmetric;
    } cases[] = {{5000, 2, 9, 100, false, false}, {6000, 3, 5, 64, false, false},
                 {7001, 3, 5, 200, false, true},  {6000, 3, 6, 256, false, false},
                 {6000, 2, 16, 256, false, true}, {5000, 3, 5, 128, true, false},
                 {4000, 2, 4, 300, false, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        h2_build_options options = h2_build_default;
        /* Two clusters of a level have to be far apart. */
        const int64_t least = 10 * cases[k].leaf, quick = cases[k].n / 4 > least ? cases[k].n / 4 : least;
        const int64_t n = gpu_quick() ? quick : cases[k].n, dim = cases[k].dim;
        if (!gpu_case())
            continue;
        double *point = draw_uniform(random, n * dim);
        options.function = (h2_function){cases[k].unsymmetric ? H2_CONVECTION : H2_EXPONENTIAL, 0.5};
        options.order = cases[k].order;
        options.leaf_size = cases[k].leaf;
        options.single = cases[k].single;
        check_orthogonal(random, point, n, dim, &options);
        for (int rule = 0; rule < 6; rule++) {
            const h2_compress_options how = {.tolerance = options.single ? 1e-4
                                                          : rule == 5    ? 1e-9
                                                                         : 1e-5,
                                             .rule = (h2_rule)(rule % 3),
                                             .method = rule < 3 ? H2_SVD : H2_PIVOTED_QR,
                                             .level_ranks = k % 2 == 1,
                                             .factor = rule % 2 == (int)k % 2 ? H2_HOUSEHOLDER : H2_AUTO};
            check_changes(random, point, n, dim, &options, &how, false);
        }
        free(point);
    }
}

/* Built in parts, then changed in parts; all parts are of 256 MiB. */
static void check_parts(base_random *random) {
    for (int k = 0; k < 2; k++) {
        h2_build_options options = h2_build_default;
        h2_builder builder = {.box = NULL};
        h2_matrix cpu = {.payload = NULL}, gpu = {.payload = NULL};
        const int64_t n = gpu_quick() ? 2000 : 20000;
        if (!gpu_case())
            continue;
        double *point = draw_uniform(random, n * 3);
        options.function = (h2_function){k == 0 ? H2_EXPONENTIAL : H2_CONVECTION, 0.5};
        options.order = k == 0 ? 5 : 4;
        options.leaf_size = 64;
        const bool ok = good(h2_build(&context, point, n, 3, &options, &cpu)) &&
                        good(h2_builder_open(&context, point, n, 3, &options, &gpu, &builder)) &&
                        good(h2_device_fill_in_parts(&context, &builder, device));
        const double far = ok ? compare_values(&gpu, &cpu) : INFINITY;
        tap_ok(far < 1e-12, "%d points, order %d, %.2f GB in parts: numbers %.1e off", (int)n,
               (int)options.order, (double)gpu.payload_bytes * 1e-9, far);
        h2_builder_close(&builder);
        h2_matrix_free(&cpu);
        h2_matrix_free(&gpu);
        for (int rule = 0; rule < 3; rule++) {
            const h2_compress_options how = {.tolerance = 1e-4,
                                             .rule = (h2_rule)rule,
                                             .method = rule == 1 ? H2_PIVOTED_QR : H2_SVD,
                                             .factor = rule == 2 ? H2_HOUSEHOLDER : H2_AUTO};
            check_changes(random, point, n, 3, &options, &how, true);
        }
        free(point);
    }
}

int main(void) {
    base_random random;
    base_context_init(&context);
    context.threads = 4;
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    device = base_devices_get(devices, 0);
    tap_note("seed %d", SEED);
    base_random_init(&random, SEED, 0);
    for (int kind = 0; kind < H2_FUNCTIONS; kind++) {
        h2_build_options options = h2_build_default;
        const int64_t dim = 1 + kind % 3;
        options.function = (h2_function){(h2_function_kind)kind, 0.5};
        options.single = kind == 3;
        options.full = kind == 4;
        options.order = kind == 1 ? 7 : 0;
        if (!gpu_case())
            continue;
        check_matrix(&random, (3000 + 501 * kind) / (gpu_quick() ? 3 : 1), dim, &options,
                     kind % 2 == 1 && kind != 3 ? 1e-5 : 0);
    }
    h2_build_options large = h2_build_default;
    large.order = 9; /* ranks beyond a piece */
    large.leaf_size = 100;
    if (gpu_case())
        check_matrix(&random, gpu_quick() ? 2000 : 9000, 2, &large, 0);
    large.function.kind = H2_CONVECTION;
    if (gpu_case())
        check_matrix(&random, gpu_quick() ? 1500 : 5000, 2, &large, 1e-6);
    check_large(&random);
    check_parts(&random);
    base_devices_close(devices);
    return tap_done();
}
