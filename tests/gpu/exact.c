/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact and double-double permanents on a true GPU: the residues of the processor, and its sums within the
 * bound. */
#include "base/core/random.h"
#include "perm/doubledouble/device.h"
#include "perm/exact/device.h"
#include "tests/support/gpu_devices.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_context context;
static base_devices *devices;
static base_random numbers;

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

/* A full matrix of integers from -most to most, or of 0 and 1 if most is 0; or of such pairs. */
static base_status draw(int64_t n, int64_t most, bool is_complex, perm_matrix *matrix) {
    base_status status;
    BASE_TRY(perm_matrix_alloc(&context, n, n * n, is_complex ? MM_COMPLEX : MM_INTEGER, matrix));
    matrix->nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        matrix->start[i] = matrix->nnz;
        for (int64_t j = 0; j < n; j++) {
            const int64_t value = most == 0
                                      ? (int64_t)base_random_below(&numbers, 2) || i == j
                                      : (int64_t)base_random_below(&numbers, (uint64_t)(2 * most + 1)) - most;
            if (value == 0)
                continue;
            if (is_complex)
                perm_value_set_complex(&matrix->entry[matrix->nnz], (double)value,
                                       base_random_uniform(&numbers) * (double)most);
            else
                perm_value_set_integer(&matrix->entry[matrix->nnz], (long)value);
            matrix->index[matrix->nnz++] = j;
        }
    }
    matrix->start[n] = matrix->nnz;
done:
    return status;
}

static void test_exact(int64_t n, int64_t most, bool skip) {
    perm_matrix matrix = {0};
    perm_exact exact = {0};
    int64_t *expected = NULL, *residue = NULL;
    bool ok = good(draw(n, most, false, &matrix)) && good(perm_exact_init(&context, &matrix, NULL, &exact));
    const int64_t count = ok ? exact.chunk_count * exact.residue_count : 0;
    expected = calloc((size_t)count + 1, sizeof *expected);
    residue = calloc((size_t)count + 1, sizeof *residue);
    if (ok && skip && !perm_exact_device_can_skip(&exact)) {
        tap_skip(1, "no row sum can be 0");
        goto done;
    }
    if (ok)
        perm_exact_run(&context, &exact, 0, exact.chunk_count, expected);
    ok = ok && good(perm_exact_device_run(&context, devices, &exact, 0, exact.chunk_count, skip, residue)) &&
         memcmp(expected, residue, (size_t)count * sizeof *residue) == 0;
    tap_ok(ok, "n = %" PRId64 ", entries up to %" PRId64 "%s: the residues of the processor", n, most,
           skip ? ", skipping" : "");
done:
    free(expected);
    free(residue);
    perm_exact_free(&exact);
    perm_matrix_free(&matrix);
}

static void test_dd(int64_t n, int64_t most, bool is_complex) {
    perm_matrix matrix = {0};
    perm_dd dd = {0};
    perm_device_sum sum = {.n = 0};
    perm_dd_partial *expected = NULL, *partial = NULL;
    double relative_error = 0;
    perm_bound absolute_error;
    int64_t wrong = 0;
    bool ok = good(draw(n, most, is_complex, &matrix)) && good(perm_dd_init(&context, &matrix, NULL, &dd)) &&
              good(perm_dd_device_sum(&context, &dd, &sum));
    expected = calloc((size_t)dd.chunk_count + 1, sizeof *expected);
    partial = calloc((size_t)dd.chunk_count + 1, sizeof *partial);
    if (ok) {
        perm_dd_run(&context, &dd, 0, dd.chunk_count, expected);
        perm_dd_error(&dd, &relative_error, &absolute_error);
    }
    ok = ok && good(perm_device_sum_run(&context, devices, &sum, 0, dd.chunk_count, partial));
    for (int64_t k = 0; k < dd.chunk_count; k++) {
        const perm_dd_partial *a = &expected[k], *b = &partial[k];
        for (int part = 0; part < 2; part++)
            wrong += !(fabs(a->high[part] - b->high[part] + (a->middle[part] - b->middle[part]) +
                            (a->low[part] - b->low[part])) <= 2 * relative_error * a->magnitude);
    }
    tap_ok(ok && wrong == 0, "double-double, n = %" PRId64 "%s: the sums of the processor within the bound",
           n, is_complex ? ", complex" : "");
    free(expected);
    free(partial);
    perm_device_sum_free(&sum);
    perm_dd_free(&dd);
    perm_matrix_free(&matrix);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    for (int64_t n = 8; n <= (gpu_quick() ? 16 : 24); n += 4) {
        if (!gpu_case())
            continue;
        test_exact(n, 0, false);
        test_exact(n, 0, true);
        test_exact(n, 1, true);
        test_exact(n, 1000000000000, false);
        test_dd(n, 1000000, false);
        test_dd(n, INT64_C(1) << 61, false);
        if (n <= 16)
            test_dd(n, 1000000, true);
    }
    base_devices_close(devices);
    return tap_done();
}
