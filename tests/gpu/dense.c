/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents on a true GPU: closed forms, the processor's kernels, the same bits for any way of cutting
 * the sum into runs and over devices. */
#include "base/core/random.h"
#include "base/device/device.h"
#include "perm/dense/certify.h"
#include "perm/dense/device.h"
#include "perm/dense/pairs.h"
#include "perm/dense/tensor.h"
#include "tests/support/gpu_devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 40 };

static base_context context;
static base_devices *devices;
static base_random numbers;
static double entries[2 * LARGEST * LARGEST];

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

/* n! a^n with lgamma's digits: the relative distance. */
static void test_constant(void) {
    static const double constants[] = {1, 0.1, 1e300};
    const int last = gpu_quick() ? 17 : 34;
    for (int k = 0; k < 3; k++) {
        int wrong = 0;
        double largest = 0;
        for (int n = 1; n <= last; n++) {
            const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
            perm_dense_result result;
            long double exact = 1;
            for (int i = 0; i < n * n; i++)
                entries[i] = constants[k];
            if (!good(perm_dense_device_permanent(&context, devices, &matrix, &result))) {
                wrong++;
                continue;
            }
            int exponent = 0; /* exact 2^exponent: a long double that cannot overflow */
            for (int i = 1; i <= n; i++) {
                int shift;
                exact = frexpl(exact * i * (long double)constants[k], &shift);
                exponent += shift;
            }
            exact = ldexpl(exact, exponent - (int)result.exponent);
            const long double distance = fabsl(result.high[0] + (long double)result.low[0] - exact);
            wrong += !(distance <= result.error + 2 * n * 0x1p-64L * exact);
            largest = fmax(largest, (double)(distance / exact));
        }
        tap_ok(wrong == 0, "constant %g: n! a^n for n = 1 … %d, off by at most %.2g", constants[k], last,
               largest);
    }
}

/* Both results carry bounds, so they can differ by no more than both. */
static void test_processor(bool is_complex) {
    int wrong = 0;
    double farthest = 0;
    const int largest = gpu_quick() ? 17 : is_complex ? 26 : 30;
    for (int n = 8; n <= largest; n++) {
        const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
        perm_dense_result left, right;
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = base_random_uniform(&numbers) - (n % 2 == 0 ? 0 : 0.5);
        if (!good(perm_dense_device_permanent(&context, devices, &matrix, &left)) ||
            !good(perm_dense_permanent(&context, &matrix, NULL, &right))) {
            wrong++;
            continue;
        }
        const double distance = hypot(left.high[0] - right.high[0] + (left.low[0] - right.low[0]),
                                      left.high[1] - right.high[1] + (left.low[1] - right.low[1]));
        wrong += !(distance <= left.error + right.error) || left.exponent != right.exponent;
        farthest = fmax(farthest, distance / (left.error + right.error));
    }
    tap_ok(wrong == 0, "%s: n = 8 … %d as on the processor", is_complex ? "complex" : "real", largest);
    tap_note("at most %.3g of both bounds apart", farthest);
}

/* All chunks at once on all devices, against runs of odd lengths on the first one. */
static void test_runs(bool is_complex) {
    const int n = gpu_quick() ? 23 : is_complex ? 29 : 32;
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    perm_dense dense = {0};
    base_devices *first = NULL;
    perm_dense_partial *whole = NULL, *parts = NULL;
    bool ok = true;
    for (int at = 0; at < 2 * n * n; at++)
        entries[at] = base_random_uniform(&numbers);
    ok = good(perm_dense_init(&context, &matrix, NULL, &dense)) &&
         good(base_devices_open(&context, BASE_DEVICE_CUDA, (int[]){0}, 1, &first));
    whole = malloc((size_t)dense.chunk_count * sizeof *whole);
    parts = malloc((size_t)dense.chunk_count * sizeof *parts);
    ok = ok && good(perm_dense_device_run(&context, devices, &dense, 0, dense.chunk_count, whole));
    for (int64_t chunk = 0, count; ok && chunk < dense.chunk_count; chunk += count) {
        count = 1 + (int64_t)base_random_below(&numbers, (uint64_t)(dense.chunk_count / 4 + 1));
        count = count < dense.chunk_count - chunk ? count : dense.chunk_count - chunk;
        ok = good(perm_dense_device_run(&context, first, &dense, chunk, count, parts + chunk));
    }
    tap_ok(ok && memcmp(whole, parts, (size_t)dense.chunk_count * sizeof *whole) == 0,
           "%s, n = %d: the same bits from %d devices at once and from runs on one",
           is_complex ? "complex" : "real", n, base_devices_count(devices));
    free(whole);
    free(parts);
    perm_dense_free(&dense);
    base_devices_close(first);
}

static bool sums_agree(const perm_dense_partial *a, const perm_dense_partial *b, double relative_error) {
    return fabs((a->high[0] - b->high[0]) + (a->low[0] - b->low[0])) <= 2 * relative_error * a->magnitude;
}

/* The bound of certify.h: about that of the processor, complex the same, and the sums are those without it,
 * complex to the bit. */
static void test_certified(bool is_complex) {
    int wrong = 0;
    double farthest = 1;
    for (int n = 8; n <= (gpu_quick() ? 16 : is_complex ? 24 : 26); n++) {
        const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
        perm_dense dense = {0};
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = 2 * base_random_uniform(&numbers) - 1;
        bool ok = good(perm_dense_init(&context, &matrix, NULL, &dense));
        perm_dense_partial *partial[4]; /* on the device, on the processor; without and with the bound */
        for (int k = 0; k < 4; k++)
            partial[k] = malloc((size_t)dense.chunk_count * sizeof *partial[k]);
        ok = ok && good(perm_dense_certify(&context, &dense));
        for (int k = 0; k < 2 && ok; k++) {
            perm_dense sum = dense;
            if (k == 0)
                sum.certificate.kernel = NULL;
            ok = good(perm_dense_device_run(&context, devices, &sum, 0, dense.chunk_count, partial[k]));
            perm_dense_run(&context, &sum, 0, dense.chunk_count, partial[2 + k]);
        }
        for (int64_t chunk = 0; ok && chunk < dense.chunk_count; chunk++) {
            double relative_error, absolute_error;
            perm_dense_error(&dense, &relative_error, &absolute_error);
            const double ratio = (partial[1][chunk].magnitude - partial[0][chunk].magnitude) /
                                 (partial[3][chunk].magnitude - partial[2][chunk].magnitude);
            wrong += is_complex
                         ? memcmp(partial[0][chunk].high, partial[1][chunk].high, 4 * sizeof(double)) != 0
                         : !sums_agree(&partial[0][chunk], &partial[1][chunk], relative_error);
            farthest = fmax(farthest, fmax(ratio, 1 / ratio));
        }
        wrong += !ok;
        for (int k = 0; k < 4; k++)
            free(partial[k]);
        perm_dense_free(&dense);
    }
    tap_ok(wrong == 0 && farthest < (is_complex ? 1.13 : 100),
           "%s: the bound of the entries' changes is %.3g times the processor's at most",
           is_complex ? "complex" : "real", farthest);
}

/* Kernels that take two rows at a time. */
typedef struct pairs_kernel {
    const char *name;
    base_status (*sum)(base_context *context, const perm_dense *dense, perm_device_sum *sum);
    const char *(*reason)(const perm_dense *dense, int64_t shared_bytes);
    void (*error)(const perm_dense *dense, double *relative_error, double *absolute_error);
    double least; /* entry */
} pairs_kernel;

/* Sums all chunks. */
static bool run_pairs(const pairs_kernel *kernel, const perm_dense *dense, perm_dense_result *result) {
    perm_device_sum sum = {.n = 0};
    double relative_error, absolute_error, magnitude = 0;
    perm_dense_partial *partial = malloc((size_t)dense->chunk_count * sizeof *partial);
    const bool ok = good(kernel->sum(&context, dense, &sum)) &&
                    good(perm_device_sum_run(&context, devices, &sum, 0, dense->chunk_count, partial));
    if (ok) {
        perm_dense_fold(dense, partial, result);
        for (int64_t chunk = 0; chunk < dense->chunk_count; chunk++)
            magnitude += partial[chunk].magnitude;
        kernel->error(dense, &relative_error, &absolute_error);
        result->error = relative_error * magnitude + absolute_error;
    }
    perm_device_sum_free(&sum);
    free(partial);
    return ok;
}

static void test_pairs(const pairs_kernel *kernel) {
    const int64_t shared_bytes =
        base_device_get_properties(base_devices_get(devices, 0))->shared_bytes_per_block;
    int wrong = 0, count = 0;
    for (int n = 16; n <= (gpu_quick() ? 18 : 31); n++) {
        const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
        perm_dense_result left, right;
        perm_dense dense = {0};
        for (int at = 0; at < n * n; at++)
            entries[at] = base_random_uniform(&numbers) + (n % 2 == 0 ? 0 : kernel->least);
        const bool begun = good(perm_dense_init(&context, &matrix, NULL, &dense));
        if (!begun || kernel->reason(&dense, shared_bytes) == NULL) {
            count++;
            wrong += !begun || !run_pairs(kernel, &dense, &left) ||
                     !good(perm_dense_device_permanent(&context, devices, &matrix, &right)) ||
                     !(fabs(left.high[0] - right.high[0] + (left.low[0] - right.low[0])) <=
                       left.error + right.error);
        }
        perm_dense_free(&dense);
    }
    if (count == 0)
        tap_skip(1, "too little shared memory for two rows at a time");
    else
        tap_ok(wrong == 0, "%s: %d orders, within both bounds of the others", kernel->name, count);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, 7, 0);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    if (gpu_case())
        test_constant();
    if (gpu_case())
        test_processor(false);
    if (gpu_case())
        test_processor(true);
    if (gpu_case())
        test_certified(false);
    if (gpu_case())
        test_certified(true);
    if (gpu_case())
        test_runs(false);
    if (gpu_case())
        test_runs(true);
    if (gpu_case())
        test_pairs(&(pairs_kernel){"dense-pairs-cuda", perm_pairs_device_sum, perm_pairs_device_reason,
                                   perm_pairs_device_error, 0.1});
    if (gpu_case())
        test_pairs(&(pairs_kernel){"dense-tensor-cuda", perm_tensor_device_sum, perm_tensor_device_reason,
                                   perm_tensor_device_error, -0.5});
    base_devices_close(devices);
    return tap_done();
}
