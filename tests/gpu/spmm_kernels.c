/* SPDX-License-Identifier: BSD-3-Clause */
/* Every device kernel for SpMM on a true GPU beside sums in fp64: random patterns with long, short and empty
 * rows, NaN in C beforehand, the same bits each time. */
#include "config.h"

#include "spmm/families/dense.h"
#include "spmm/families/families.h"
#include "spmm/problem/format.h"
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
              good(variant == NULL
                       ? init_dense(&matrix, precision, &dense)
                       : spmm_device_product_init(&context, &matrix, precision, variant, &entries, &product));
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

/* Cut so that there are parts where the code cuts rows; one tile of C after the other, or all for a row. */
static void test_listed(spmm_precision precision, const spmm_device_listed *listed, int k) {
    spmm_device_variant variant = listed->variant;
    const spmm_device_code *code = variant.code;
    if (code == &spmm_code_merge)
        variant.threads = 128;
    variant.most = code == &spmm_code_rows || code == &spmm_code_merge
                       ? 20 + (int64_t)base_random_below(&numbers, 200)
                   : code == &spmm_code_rowstaged                    ? INT32_MAX
                   : code == &spmm_code_splits                       ? 1
                   : code == &spmm_code_bstationary                  ? 1 + k % 4
                   : code == &spmm_code_rowwindows && !variant.dense ? 4
                   : code == &spmm_code_rings                        ? k % 3 == 0 ? 4 : 40
                   : code->window_rows != NULL                       ? 30
                                                                     : 5;
    variant.tiles_first = k % 2 == 1;
    test_variant(precision, &variant);
    if (code != &spmm_code_splits)
        return;
    variant.most = 3;
    test_variant(precision, &variant);
}

static void test_precision(spmm_precision precision) {
    static const spmm_device_code *const codes[] = {
        &spmm_code_rows,     &spmm_code_merge,     &spmm_code_rowwindows, &spmm_code_blocks,
        &spmm_code_panels,   &spmm_code_bands,     &spmm_code_rings,      &spmm_code_splits,
        &spmm_code_rowpairs, &spmm_code_rowstaged, &spmm_code_bstationary};
    const bool has_90a =
        MMPIPE_90A && base_device_get_properties(base_devices_get(devices, 0))->architecture == 90;
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        for (int k = 0; codes[c]->variants[k].precisions != 0; k++)
            if ((codes[c]->variants[k].precisions >> precision & 1) != 0 && (has_90a || !codes[c]->needs_90a))
                test_listed(precision, &codes[c]->variants[k], k);
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
