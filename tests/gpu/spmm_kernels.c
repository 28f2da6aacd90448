/* Every device kernel for SpMM on a true GPU beside sums in fp64: random patterns with long, short and empty
 * rows, NaN in C beforehand, the same bits each time. */
#include "config.h"

#include "spmm/device/dense.h"
#include "spmm/device/product.h"
#include "tests/support/gpu_devices.h"
#include "tests/support/spmm_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 17, ROWS = 700, COLUMNS = 900 };

static base_context context;
static base_devices *devices;
static base_random numbers;
static const double limit[SPMM_PRECISIONS] = {1e-3, 8e-3, 1e-5, 2e-6, 2e-6, 1e-14};

/* ---- a product ---- */

static int64_t start[ROWS + 1];
static int32_t index_of[ROWS * COLUMNS];
static double value[ROWS * COLUMNS]; /* or floats */

static spmm_csr make_matrix(spmm_precision precision) {
    spmm_csr a = {ROWS, COLUMNS, 0, start, index_of, value};
    for (int64_t row = 0; row < ROWS; row++) {
        const double share = row % 97 == 0 ? 0.9 : row % 5 == 0 ? 0 : base_random_uniform(&numbers) / 12;
        spmm_matrix_draw_row(&numbers, precision, row, 0, COLUMNS, share, &a);
    }
    return a;
}

/* The largest error relative to the largest number. */
static double find_error(spmm_precision precision, const spmm_csr *a, const double *b, const char *c,
                         int64_t n, int64_t stride) {
    double worst = 0, largest = 1e-300;
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t j = 0; j < n; j++) {
            double wanted = 0;
            for (int64_t k = start[row]; k < start[row + 1]; k++)
                wanted += spmm_matrix_get(a, precision, k) * b[index_of[k] * n + j];
            const double error = fabs(spmm_unpack(spmm_format_of(precision), c + row * stride, j) - wanted);
            worst = isnan(error) ? INFINITY : fmax(worst, error);
            largest = fmax(largest, fabs(wanted));
        }
    return worst / largest;
}

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

static base_status init_dense(spmm_device_matrix *matrix, spmm_precision precision,
                              spmm_device_dense *dense) {
    const base_status status = spmm_device_dense_open(&context, matrix->device, dense);
    return status != BASE_OK ? status : spmm_device_dense_fill(&context, matrix, precision, dense);
}

/* Once into `first`, with room for ROWS rows, and again into `second`. Without a variant: by cuBLAS. */
static bool multiply(spmm_precision precision, const spmm_csr *a, const spmm_device_variant *variant,
                     const char *b, int64_t n, int64_t stride, char *first, char *second) {
    spmm_device_matrix matrix = {.device = NULL};
    spmm_device_entries entries = {.start = 0};
    spmm_device_product product = {.worker_count = 0};
    spmm_device_dense dense = {.blas = NULL};
    base_device_buffer buffer[2] = {{0}};
    base_device *device = base_devices_get(devices, 0);
    bool ok = good(base_device_alloc(&context, device, COLUMNS, stride, &buffer[0])) &&
              good(base_device_alloc(&context, device, ROWS, stride, &buffer[1])) &&
              good(base_device_upload(&context, &buffer[0], 0, b, COLUMNS * stride, NULL)) &&
              good(spmm_device_matrix_init(&context, device, a, precision, 64 << 10, &matrix)) &&
              good(spmm_device_entries_init(&context, &matrix, &entries)) &&
              good(variant == NULL ? init_dense(&matrix, precision, &dense)
                                   : spmm_device_product_init(&context, &matrix, NULL, precision, variant,
                                                              &entries, &product));
    const spmm_device_operands operands = {.b = buffer[0].address,
                                           .c = buffer[1].address,
                                           .n = n,
                                           .b_stride = stride,
                                           .c_stride = stride,
                                           .alpha = 1};
    for (int k = 0; ok && k < 2; k++)
        ok =
            good(base_device_fill(&context, &buffer[1], 0, 0xff, ROWS * stride, NULL)) &&
            good(variant == NULL ? spmm_device_dense_run(&context, &dense, &operands, NULL)
                                 : spmm_device_product_run(&context, &product, &operands, NULL)) &&
            good(base_device_download(&context, &buffer[1], 0, k == 0 ? first : second, ROWS * stride, NULL));
    spmm_device_product_free(&product);
    spmm_device_dense_free(&dense);
    spmm_device_entries_free(&entries);
    spmm_device_matrix_free(&matrix);
    base_device_free(&buffer[0]);
    base_device_free(&buffer[1]);
    return ok;
}

static void test_variant(spmm_precision precision, const spmm_device_variant *variant) {
    const spmm_csr a = make_matrix(precision);
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision));
    const int64_t n = 1 + (int64_t)base_random_below(&numbers, 200), stride = (n * bytes + 15) / 16 * 16;
    double *b = malloc((size_t)(COLUMNS * n) * sizeof *b);
    char *packed = calloc(COLUMNS, (size_t)stride), *c = malloc((size_t)(2 * ROWS * stride)), name[48];
    for (int64_t i = 0; i < COLUMNS; i++) {
        for (int64_t j = 0; j < n; j++)
            b[i * n + j] = spmm_round(precision, 2 * base_random_uniform(&numbers) - 1);
        spmm_pack(precision, b + i * n, 1, n, packed + i * stride);
    }
    bool ok = multiply(precision, &a, variant, packed, n, stride, c, c + ROWS * stride);
    const double error = ok ? find_error(precision, &a, b, c, n, stride) : INFINITY;
    bool same = ok;
    for (int64_t row = 0; ok && row < ROWS; row++)
        same = same && memcmp(c + row * stride, c + (ROWS + row) * stride, (size_t)(n * bytes)) == 0;
    if (variant != NULL)
        spmm_device_variant_name(precision, variant, name);
    else
        snprintf(name, sizeof name, "dense, precision %d", (int)precision);
    tap_ok(error <= limit[precision] && same, "%s, %d columns, cut at %d: off by %.2g, %s", name, (int)n,
           variant != NULL ? (int)variant->most : 0, error,
           same ? "the same bits again" : "other bits the second time");
    free(b);
    free(packed);
    free(c);
}

/* ---- all shapes ---- */

static void test_precision(spmm_precision precision) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision));
    const bool is_short = bytes == 2;
    const bool has_bands =
        MMPIPE_90A && base_device_get_properties(base_devices_get(devices, 0))->architecture == 90;
    static const int windows[][3] = {{1, 4, 1}, {1, 4, 2}, {2, 4, 1}, {1, 2, 1},
                                     {2, 2, 1}, {4, 4, 1}, {0, 4, 1}, {0, 4, 2}},
                     panels[3][4][3] = {{{32, 4, 1}, {32, 4, 2}, {32, 4, 4}},
                                        {{64, 2, 1}, {64, 4, 1}, {64, 4, 2}, {32, 4, 2}},
                                        {{16, 4, 1}, {16, 4, 2}, {16, 4, 4}, {32, 4, 2}}};
    const int shape = is_short ? 1 : bytes == 8 ? 2 : 0;
    for (int lanes = 4; lanes <= 32; lanes *= 2)
        for (int depth = 4; depth <= 8; depth *= 2) {
            const int64_t most = 20 + (int64_t)base_random_below(&numbers, 200);
            spmm_device_variant variant = {
                .kind = SPMM_DEVICE_ROWS, .lanes = lanes, .teams = 1, .depth = depth, .most = most};
            test_variant(precision, &variant);
            variant.teams = 32 / lanes;
            variant.tiles_first = true;
            if (lanes < 32)
                test_variant(precision, &variant);
            variant.kind = SPMM_DEVICE_RUNS;
            variant.threads = 128;
            test_variant(precision, &variant);
        }
    for (int k = 0; k < (is_short ? 8 : 3); k++)
        for (int dense = 0; dense < (windows[k][0] == 0 ? 1 : 2); dense++)
            test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_WINDOWS,
                                                           .tall = windows[k][0],
                                                           .width = windows[k][1],
                                                           .groups = windows[k][2],
                                                           .dense = dense,
                                                           .most = 4 + 30 * dense});
    for (int warps = is_short ? 4 : 1; warps <= 4 && (is_short || bytes == 8) && has_bands; warps *= 2)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_WINDOWS,
                                                       .tall = is_short ? 1 : 2,
                                                       .width = 4,
                                                       .groups = 2,
                                                       .dense = true,
                                                       .warps = warps,
                                                       .most = 30});
    for (int k = 0; k < 3 + (shape > 0); k++)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_PANELS,
                                                       .depth = panels[shape][k][0],
                                                       .width = panels[shape][k][1],
                                                       .groups = panels[shape][k][2],
                                                       .most = 5});
    for (int width = 32; width <= (is_short ? 256 : 128) && bytes < 8 && has_bands; width *= 2)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_BANDS, .width = width, .most = 4});
    for (int k = 0; k < 11 && is_short && has_bands; k++)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_RINGS,
                                                       .tall = 1 << (k < 7 ? k / 2 : (k - 7) / 2),
                                                       .groups = k < 7 ? 2 << k % 2 : 2 << (k - 7) % 2,
                                                       .dense = k >= 7,
                                                       .most = k % 3 == 0 ? 4 : 40});
    for (int parts = 1; parts <= 3 && precision == SPMM_3XTF32 && has_bands; parts += 2)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_SPLITS, .most = parts});
    for (int lanes = 8; lanes <= 32; lanes *= 2)
        for (int groups = 1; groups <= 4; groups *= 2)
            if (bytes == 2 ? groups == 1 : groups == 4 ? lanes < 32 : lanes == 8 && groups >= bytes / 4)
                test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_STRIPS,
                                                               .lanes = lanes,
                                                               .groups = groups,
                                                               .tiles_first = lanes < 32});
    for (int lanes = 8; lanes <= 32; lanes *= 2)
        for (int groups = 1; groups <= 4; groups *= 2)
            if (!is_short && (groups == 4  ? lanes < 32
                              : bytes == 4 ? lanes == 32 && groups == 1
                                           : lanes != 16 && groups == 2))
                test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_STAGES,
                                                               .lanes = lanes,
                                                               .groups = groups,
                                                               .most = INT32_MAX,
                                                               .tiles_first = lanes < 32});
    static const int slabs[][3] = {{2, 1, 1}, {2, 1, 4}, {1, 2, 1}, {1, 2, 2},
                                   {1, 2, 4}, {2, 2, 1}, {2, 2, 2}};
    for (int k = is_short ? 0 : 2; k < (is_short ? 2 : 7); k++)
        test_variant(precision, &(spmm_device_variant){.kind = SPMM_DEVICE_SLABS,
                                                       .lanes = slabs[k][0],
                                                       .groups = slabs[k][1],
                                                       .teams = slabs[k][2]});
    if (base_device_blas_missing() == NULL)
        test_variant(precision, NULL);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, SEED, 0);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    for (int precision = 0; precision < SPMM_PRECISIONS; precision++)
        test_precision((spmm_precision)precision);
    tap_note("seed %d", SEED);
    base_devices_close(devices);
    return tap_done();
}
