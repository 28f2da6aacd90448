/* SPDX-License-Identifier: BSD-3-Clause */
/* libmmpipe's sparse products, H2 matrices and schemes, through its headers alone, against plain loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/api/context.h"

enum { ROWS = 37, COLUMNS = 53, N = 11, B_ROW = 13, C_ROW = 12 };

static uint64_t state = 22;

/* Multiples of 1/4 from -2 to 2: exact in every format. */
static double draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 60) / 4 - 2;
}

static double dense_a[ROWS][COLUMNS], dense_b[COLUMNS * B_ROW], dense_c[ROWS * C_ROW];

static int64_t start[ROWS + 1];
static int32_t index_[ROWS * COLUMNS];
static double value[ROWS * COLUMNS];
static float value32[ROWS * COLUMNS];

static void make_matrices(void) {
    int64_t nnz = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            if (draw() > 1.2) {
                dense_a[i][j] = draw();
                index_[nnz] = j;
                value32[nnz] = (float)dense_a[i][j];
                value[nnz++] = dense_a[i][j];
            }
        start[i + 1] = nnz;
    }
    for (int k = 0; k < COLUMNS * B_ROW; k++)
        dense_b[k] = draw();
    for (int k = 0; k < ROWS * C_ROW; k++)
        dense_c[k] = draw();
}

static bool is_right(const double *c64, const float *c32) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < C_ROW; j++) {
            double sum = 0;
            for (int k = 0; k < COLUMNS; k++)
                sum += j < N ? dense_a[i][k] * dense_b[k * B_ROW + j] : 0;
            const double before = dense_c[i * C_ROW + j], expected = j < N ? 2 * sum - 0.5 * before : before;
            if ((c64 != NULL ? c64[i * C_ROW + j] : c32[i * C_ROW + j]) != expected)
                return false;
        }
    return true;
}

/* All numbers are so short that nothing is rounded. */
static void test_precision(mmpipe_context *context, mmpipe_precision precision) {
    static double b[COLUMNS * B_ROW], c64[ROWS * C_ROW];
    static float c32[ROWS * C_ROW];
    const bool is_double = precision == MMPIPE_FP64;
    const mmpipe_csr a = {ROWS, COLUMNS, start, index_, is_double ? (const void *)value : value32};
    mmpipe_spmm *spmm;
    mmpipe_status status = mmpipe_spmm_open(context, &a, precision, N, NULL, &spmm);
    tap_ok(mmpipe_spmm_pack(precision, dense_b, COLUMNS * B_ROW, b) == -1, "numbers fit precision %d",
           precision);
    for (int k = 0; k < ROWS * C_ROW; k++) {
        c64[k] = dense_c[k];
        c32[k] = (float)dense_c[k];
    }
    const mmpipe_spmm_operands operands = {b, B_ROW, is_double ? (void *)c64 : c32, C_ROW, 2, -0.5};
    status = status != MMPIPE_OK ? status : mmpipe_spmm_multiply(context, spmm, &operands);
    tap_ok(status == MMPIPE_OK && is_right(is_double ? c64 : NULL, c32), "2 A B - C/2 in precision %d by %s",
           precision, status == MMPIPE_OK ? mmpipe_spmm_kernel(spmm) : mmpipe_error(context));
    mmpipe_spmm_close(spmm);
}

static void test_record(mmpipe_context *context) {
    static int64_t row[ROWS * COLUMNS], col[ROWS * COLUMNS];
    double x[ROWS], y[COLUMNS], expected;
    mmpipe_record *record;
    mmpipe_spmm *spmm;
    bool right = true;
    for (int i = 0; i < ROWS; i++) {
        x[i] = draw();
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            row[k] = i;
            col[k] = index_[k];
        }
    }
    mmpipe_record_from_entries(context, (mmpipe_shape){.nrow = ROWS, .ncol = COLUMNS, .field = MMPIPE_REAL},
                               start[ROWS], row, col, value, MMPIPE_BORROW, &record);
    mmpipe_status status = mmpipe_spmm_open_record(context, record, true, MMPIPE_FP64, 1, NULL, &spmm);
    const mmpipe_spmm_operands operands = {x, 1, y, 1, 1, 0};
    status = status != MMPIPE_OK ? status : mmpipe_spmm_multiply(context, spmm, &operands);
    for (int j = 0; j < COLUMNS; j++) {
        expected = 0;
        for (int i = 0; i < ROWS; i++)
            expected += dense_a[i][j] * x[i];
        right &= y[j] == expected;
    }
    tap_ok(status == MMPIPE_OK && right, "the transpose of a record times a vector");
    mmpipe_spmm_close(spmm);
    mmpipe_record_free(record);
}

static void test_refused(mmpipe_context *context) {
    const int64_t begins[] = {0, 2};
    const int32_t twice[] = {1, 1}, beyond[] = {0, 7};
    mmpipe_spmm *spmm;
    const mmpipe_spmm_options resident = {.size = sizeof resident, .resident = true};
    const mmpipe_spmm_options unknown = {.size = sizeof unknown, .kernel = "no-such"};
    mmpipe_csr a = {1, 7, begins, twice, value};
    tap_refused(context,
                mmpipe_spmm_open(context, &a, MMPIPE_FP64, 1, NULL, &spmm) == MMPIPE_USAGE && spmm == NULL,
                "twice");
    a.index = beyond;
    tap_refused(context, mmpipe_spmm_open(context, &a, MMPIPE_FP64, 1, NULL, &spmm) == MMPIPE_USAGE,
                "beyond");
    a.index = index_;
    tap_refused(context,
                mmpipe_spmm_open(context, &a, MMPIPE_FP64, 1, &unknown, &spmm) == MMPIPE_USAGE &&
                    spmm == NULL,
                "a kernel that there is not");
    tap_refused(context,
                mmpipe_spmm_open(context, &a, MMPIPE_FP64, 1, &resident, &spmm) != MMPIPE_OK && spmm == NULL,
                "on a device that the context excludes");
}

/* ---- H2 ---- */

enum { POINTS = 900, VECTORS = 3 };

static void test_h2(mmpipe_context *context) {
    static double point[2 * POINTS], x[VECTORS * POINTS], y[VECTORS * POINTS], again[VECTORS * POINTS];
    const mmpipe_h2_build_options options = {
        .size = sizeof options, .function = "gaussian", .length = 0.5, .nugget = 1, .leaf_size = 16};
    mmpipe_h2 *h2;
    mmpipe_h2_info info, after;
    mmpipe_record *record;
    double norm = 0, off = 0, moved = 0, bound = 0, error = 1;
    for (int k = 0; k < 2 * POINTS; k++)
        point[k] = fmod(k * 0.6180339887498949 + draw(), 1);
    for (int k = 0; k < VECTORS * POINTS; k++)
        x[k] = draw();
    mmpipe_status status = mmpipe_h2_build(context, point, POINTS, 2, &options, &h2);
    status = status != MMPIPE_OK ? status : mmpipe_h2_multiply(context, h2, false, 1, x, 0, y, VECTORS);
    tap_ok(status == MMPIPE_OK, "built and multiplied");
    for (int v = 0; v < VECTORS; v++)
        for (int i = 0; i < POINTS; i++) {
            double sum = x[v * POINTS + i];
            for (int j = 0; j < POINTS; j++) {
                const double dx = point[2 * i] - point[2 * j], dy = point[2 * i + 1] - point[2 * j + 1];
                sum += exp(-(dx * dx + dy * dy) / (2 * 0.25)) * x[v * POINTS + j];
            }
            norm += sum * sum;
            off += pow(sum - y[v * POINTS + i], 2);
        }
    tap_ok(sqrt(off / norm) < 1e-4, "the product is that of the sums, to %.2g", sqrt(off / norm));
    tap_ok(mmpipe_h2_sample_error(context, h2, 100, &error) == MMPIPE_OK && error < 1e-4, "sampled: %.2g",
           error);
    tap_refused(context,
                mmpipe_h2_compress(context, h2, 1e-3, MMPIPE_H2_FROBENIUS, NULL, NULL) == MMPIPE_FAILED,
                "bases that are not orthonormal");
    mmpipe_h2_get_info(h2, &info);
    status = mmpipe_h2_orthogonalize(context, h2);
    status = status != MMPIPE_OK ? status
                                 : mmpipe_h2_compress(context, h2, 1e-3, MMPIPE_H2_FROBENIUS, &norm, &bound);
    status = status != MMPIPE_OK ? status : mmpipe_h2_multiply(context, h2, false, 1, x, 0, again, VECTORS);
    mmpipe_h2_get_info(h2, &after);
    norm = 0;
    for (int k = 0; k < POINTS; k++) { /* of the first vector: |dA x| <= |dA| |x| */
        moved += pow(again[k] - y[k], 2);
        norm += x[k] * x[k];
    }
    tap_ok(status == MMPIPE_OK && after.bytes < info.bytes && after.orthogonal &&
               after.most_rank < info.most_rank && sqrt(moved) <= bound * sqrt(norm),
           "compressed from %lld to %lld bytes, within the bound", (long long)info.bytes,
           (long long)after.bytes);
    status = mmpipe_h2_to_record(context, h2, &record);
    tap_refused(context,
                status == MMPIPE_OK && mmpipe_record_kind(record) == MMPIPE_H2 &&
                    mmpipe_h2_multiply(context, h2, false, 1, x, 0, y, 1) == MMPIPE_USAGE,
                "a record takes it");
    mmpipe_h2_free(h2);
    status = mmpipe_h2_from_record(context, record, &h2);
    mmpipe_record_free(record);
    memset(y, 0, sizeof y);
    status = status != MMPIPE_OK ? status : mmpipe_h2_multiply(context, h2, true, 1, x, 1, y, VECTORS);
    moved = 0;
    for (int k = 0; k < VECTORS * POINTS; k++)
        moved = fmax(moved, fabs(y[k] - again[k]));
    tap_ok(status == MMPIPE_OK && moved < 1e-9, "and gives it back; it is symmetric");
    tap_refused(context, mmpipe_h2_multiply_resident(context, h2, false, 1, x, 0, y, 1) == MMPIPE_MACHINE,
                "no device");
    mmpipe_h2_free(h2);
    point[7] = NAN;
    tap_refused(context,
                mmpipe_h2_build(context, point, POINTS, 2, &options, &h2) == MMPIPE_FAILED && h2 == NULL,
                "a point");
}

/* The standard scheme of 2 x 3 by 3 x 2 with 12 products; over F2 a 3 is a 1. */
static void test_scheme(mmpipe_context *context) {
    int64_t u[12 * 6] = {0}, v[12 * 6] = {0}, w[12 * 4] = {0};
    mmpipe_scheme_info info = {2, 3, 2, 12, MMPIPE_Z, 1, u, v, w};
    mmpipe_scheme *scheme;
    mmpipe_record *record;
    bool valid;
    char fault[100];
    for (int i = 0, r = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++, r++)
                u[r * 6 + i * 3 + j] = v[r * 6 + j * 2 + k] = w[r * 4 + i * 2 + k] = 1;
    mmpipe_scheme_new(context, &info, &scheme);
    tap_ok(mmpipe_scheme_verify(context, scheme, 0, &valid, NULL, 0) == MMPIPE_OK && valid,
           "the standard scheme");
    mmpipe_scheme_to_record(context, scheme, &record);
    mmpipe_scheme_free(scheme);
    mmpipe_scheme_from_record(context, record, &scheme);
    mmpipe_scheme_get_info(scheme, &info);
    tap_ok(mmpipe_record_kind(record) == MMPIPE_SCHEME && info.m == 3 && info.rank == 12 &&
               memcmp(info.w, w, sizeof w) == 0,
           "as a record and back");
    mmpipe_record_free(record);
    mmpipe_scheme_free(scheme);
    u[0] = 3;
    info.u = u, info.v = v, info.w = w;
    mmpipe_scheme_new(context, &info, &scheme);
    mmpipe_scheme_verify(context, scheme, 0, &valid, fault, sizeof fault);
    tap_ok(!valid && strstr(fault, "3 instead of 1") != NULL, "3 instead of 1: %s", fault);
    mmpipe_scheme_verify(context, scheme, 2, &valid, fault, sizeof fault);
    tap_ok(valid && fault[0] == '\0', "which is right modulo 2");
    mmpipe_scheme_free(scheme);
    int refused = 0;
    for (int k = 0; k < 3; k++) {
        info.u = k == 0 ? NULL : u, info.v = k == 1 ? NULL : v, info.w = k == 2 ? NULL : w;
        refused += mmpipe_scheme_new(context, &info, &scheme) == MMPIPE_USAGE && scheme == NULL;
    }
    tap_ok(refused == 3, "a scheme without one of its factors is refused (%d of 3)", refused);
}

int main(void) {
    mmpipe_context *context = open_context();
    if (context == NULL)
        return 1;
    make_matrices();
    for (int precision = MMPIPE_FP16; precision <= MMPIPE_FP64; precision++)
        test_precision(context, (mmpipe_precision)precision);
    test_record(context);
    test_refused(context);
    test_h2(context);
    test_scheme(context);
    mmpipe_context_free(context);
    return tap_done();
}
