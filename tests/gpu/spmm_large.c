/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix of more than 2^31 entries on a true GPU, beside sums in doubles in rows here and there: offsets
 * have 64 bits. Takes 18 GB of memory, 40 GB of the device's, and some ten seconds. With MMPIPE_GPU_QUICK it
 * has 33 million entries, for checkers that take a thousand times as long. */
#include "config.h"

#include "base/run/progress.h"
#include "spmm/dispatch/work.h"
#include "spmm/problem/format.h"
#include "spmm/problem/inspect.h"
#include "tests/support/gpu_devices.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROWS = (1 << 20) + 3,
    QUICK_ROWS = (1 << 14) + 3,
    COLUMNS = 1 << 16,
    LENGTH = 2051,
    N = 8,
    CHECKED = 50
};
static const int64_t needed_bytes = INT64_C(24) << 30, needed_device_bytes = INT64_C(60) << 30;

static base_context context;

/* Columns of row i: shift … by 31, shift a number below 31 that depends on i; values 1 to 8. */
static int64_t column_of(int64_t row, int64_t k) {
    return row * 7 % 31 + 31 * k;
}

static float value_of(int64_t row, int64_t k) {
    return (float)(1 + (row * 5 + k * 3) % 8);
}

static float b_of(int64_t row, int64_t j) {
    return (float)((row * 11 + j * 3) % 16);
}

static bool make_matrix(int64_t rows, spmm_csr *a) {
    const int64_t entries = rows * LENGTH;
    int64_t *start = malloc((size_t)(rows + 1) * sizeof *start);
    int32_t *index = malloc((size_t)entries * sizeof *index);
    float *value = malloc((size_t)entries * sizeof *value);
    *a = (spmm_csr){rows, COLUMNS, entries, start, index, value};
    if (start == NULL || index == NULL || value == NULL)
        return false;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row <= rows; row++) {
        start[row] = row * LENGTH;
        for (int64_t k = 0; row < rows && k < LENGTH; k++) {
            index[row * LENGTH + k] = (int32_t)column_of(row, k);
            value[row * LENGTH + k] = value_of(row, k);
        }
    }
    return true;
}

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

/* Integers below 2^24: exact in every format and order. */
static int64_t count_wrong(int64_t rows, const float *c) {
    int64_t wrong = 0;
    for (int64_t r = 0; r < CHECKED; r++) {
        const int64_t row = (rows - 1) * r / (CHECKED - 1);
        for (int64_t j = 0; j < N; j++) {
            double sum = 0;
            for (int64_t k = 0; k < LENGTH; k++)
                sum += (double)value_of(row, k) * b_of(column_of(row, k), j);
            wrong += (double)c[row * N + j] != sum;
        }
    }
    return wrong;
}

static void test_family(base_device *device, const spmm_csr *a, spmm_precision precision,
                        const spmm_device_family *family) {
    spmm_problem problem = {.precision = precision, .a = *a, .n = N};
    spmm_device_work work = {.device = NULL};
    spmm_preparation took = {0};
    base_device_buffer b = {0}, c = {0};
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision)), rows = a->nrow;
    char *packed = malloc(COLUMNS * N * 4);
    float *result = malloc((size_t)(rows * N) * sizeof *result);
    for (int64_t i = 0; i < COLUMNS * N; i++) {
        const double number = b_of(i / N, i % N);
        spmm_pack(precision, &number, 1, 1, packed + i * bytes);
    }
    const bool ok = good(spmm_inspect(&context, &problem)) &&
                    good(base_device_alloc(&context, device, COLUMNS * N, bytes, &b)) &&
                    good(base_device_alloc(&context, device, rows * N, 4, &c)) &&
                    good(base_device_upload(&context, &b, 0, packed, COLUMNS * N * bytes, NULL)) &&
                    good(base_device_fill(&context, &c, 0, 0xff, rows * N * 4, NULL)) &&
                    good(spmm_device_work_init(&context, device, &problem, family, &work, &took)) &&
                    good(spmm_device_work_run(&context, &work,
                                              &(spmm_device_operands){.b = b.address,
                                                                      .c = c.address,
                                                                      .n = N,
                                                                      .b_stride = N * bytes,
                                                                      .c_stride = N * 4,
                                                                      .wide = true,
                                                                      .alpha = 1})) &&
                    good(base_device_download(&context, &c, 0, result, rows * N * 4, NULL));
    const int64_t wrong = ok ? count_wrong(rows, result) : -1;
    tap_ok(wrong == 0, "%s, %s: %lld wrong; sent in %.1f s, prepared in %.3f s", family->name,
           spmm_precision_name(precision), (long long)wrong, took.send_seconds, took.format_seconds);
    spmm_device_work_free(&work);
    base_device_free(&b);
    base_device_free(&c);
    free(packed);
    free(result);
}

int main(void) {
    base_devices *devices = NULL;
    spmm_csr a = {0};
    const bool is_quick = gpu_quick();
    base_context_init(&context);
    context.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t memory = sysconf(_SC_AVPHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    base_device *device = NULL;
    if (base_devices_open(&context, BASE_DEVICE_AUTO, NULL, 0, &devices) == BASE_OK &&
        base_devices_count(devices) > 0)
        device = base_devices_get(devices, 0);
    if (device == NULL)
        tap_skip(1, devices == NULL ? context.error.cause : base_devices_reason(devices));
    else if (!is_quick && (memory < needed_bytes ||
                           base_device_get_properties(device)->memory_bytes < needed_device_bytes))
        tap_skip(1, "too little memory");
    else if (good(base_device_start(&context, device)) && make_matrix(is_quick ? QUICK_ROWS : ROWS, &a)) {
        test_family(device, &a, SPMM_FP32, &spmm_family_rows);
        test_family(device, &a, SPMM_FP32, &spmm_family_merge);
        test_family(device, &a, SPMM_FP16, &spmm_family_rowwindows16);
        test_family(device, &a, SPMM_TF32, &spmm_family_rowwindows16);
        test_family(device, &a, SPMM_FP16, &spmm_family_tca);
    } else
        tap_ok(false, "starts");
    free((void *)(uintptr_t)a.start);
    free((void *)(uintptr_t)a.index);
    free((void *)(uintptr_t)a.value);
    base_devices_close(devices);
    return tap_done();
}
