/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels for dense permanents on the CPU: known permanents, chunks one by one beside the
 * reference kernel, the bound. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense/gpu.cu"

#include "base/core/random.h"
#include "perm/dense/certify.h"
#include "perm/dense/device.h"
#include "perm/dense/tensor.h"
#include "perm/dense/tensor_gpu.h"
#include "tests/support/device_sum.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>

enum { LARGEST = 16 };

static base_context context;
static base_random numbers;

/* ---- a device made of the shim ---- */

static void thread_real(void *launch) {
    const device_sum_launch *it = launch;
    dense_gpu_real(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns, it->sums);
}

static void thread_complex(void *launch) {
    const device_sum_launch *it = launch;
    dense_gpu_complex(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns, it->sums);
}

static void thread_certified_complex(void *launch) {
    const device_sum_launch *it = launch;
    dense_gpu_certified_complex(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns,
                                it->sums);
}

static bool run(const perm_dense *dense, int64_t most, perm_dense_partial *partial) {
    perm_device_sum sum;
    if (perm_dense_device_sum(&context, dense, &sum) != BASE_OK)
        return false;
    device_sum_run(&sum,
                   dense->certificate.kernel != NULL ? thread_certified_complex
                   : dense->problem.is_complex       ? thread_complex
                                                     : thread_real,
                   dense->chunk_count, most, partial);
    perm_device_sum_free(&sum);
    return true;
}

/* ---- known permanents ---- */

static bool permanent(int n, bool is_complex, const double *entries, perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    perm_dense dense;
    perm_dense_partial partial[64];
    bool ok = perm_dense_init(&context, &matrix, NULL, &dense) == BASE_OK && dense.chunk_count <= 64 &&
              run(&dense, 1 << 20, partial);
    if (ok)
        perm_dense_fold(&dense, partial, result);
    perm_dense_free(&dense);
    return ok;
}

static void test_random(bool is_complex) {
    double entries[2 * LARGEST * LARGEST], largest = 0;
    int wrong = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int n = 1; n <= LARGEST - 2 * is_complex; n++) {
        perm_dense_result result;
        double loss = 0;
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = 2 * base_random_uniform(&numbers) - 1;
        exact_of_doubles(n, is_complex, entries, exact);
        wrong += !permanent(n, is_complex, entries, &result) ||
                 !exact_within(result.high, result.low, result.error, result.exponent, exact, &loss);
        largest = fmax(largest, loss);
    }
    tap_ok(wrong == 0, "%s matrices, n = 1 … %d, within the bound", is_complex ? "complex" : "real",
           LARGEST - 2 * is_complex);
    tap_note("bound at most %.3g times the error", largest);
    mpq_clears(exact[0], exact[1], NULL);
}

static void test_constant(void) {
    double entries[18 * 18], factorial = 1;
    int wrong = 0;
    for (int n = 1; n <= 18; n++) {
        perm_dense_result result;
        factorial *= n;
        for (int at = 0; at < n * n; at++)
            entries[at] = 1;
        wrong += !permanent(n, false, entries, &result) ||
                 fabs(ldexp(result.high[0] + result.low[0], (int)result.exponent) - factorial) >
                     ldexp(result.error, (int)result.exponent) + factorial * 0x1p-53;
        if (n <= 12)
            wrong += result.error != 0;
    }
    tap_ok(wrong == 0, "all ones: n! for n = 1 … 18, exactly up to 12");
}

/* ---- chunks ---- */

/* n = 16 in two chunks, which perm_dense_init would make one. */
static void test_chunks(bool is_complex) {
    double entries[2 * LARGEST * LARGEST];
    int far = 0, unequal = 0;
    for (int n = 12; n <= 16; n++) {
        const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
        perm_dense dense;
        perm_dense_partial device[2][2], reference[2];
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = base_random_uniform(&numbers);
        if (perm_dense_init(&context, &matrix, "dense-ref", &dense) != BASE_OK)
            break;
        const int log2_count = n < 16 ? 0 : 1;
        dense.chunk_count = 1 << log2_count;
        dense.chunk_blocks = INT64_C(1) << (n - 8 - log2_count);
        dense.chunk_subsets = ldexp(1, n - 1 - log2_count);
        perm_dense_run(&context, &dense, 0, dense.chunk_count, reference);
        if (!run(&dense, 1 << 20, device[0]) || !run(&dense, 1, device[1]))
            break;
        for (int chunk = 0; chunk < dense.chunk_count; chunk++) {
            const double magnitude = reference[chunk].magnitude;
            for (int part = 0; part < 2; part++)
                far += !(fabs(device[0][chunk].high[part] - reference[chunk].high[part]) <=
                         4 * n * 0x1p-53 * magnitude);
            far += !(device[0][chunk].magnitude >= magnitude * (1 - 1e-12) &&
                     device[0][chunk].magnitude <= magnitude * (1 + 1e-12));
            unequal += memcmp(&device[0][chunk], &device[1][chunk], sizeof device[0][chunk]) != 0;
        }
        perm_dense_free(&dense);
    }
    tap_ok(far == 0, "%s: chunks agree with the reference", is_complex ? "complex" : "real");
    tap_ok(unequal == 0, "%s: launches of one block give the same bits", is_complex ? "complex" : "real");
}

/* The bound of certify.h for complex matrices is that of the processor, which tests/unit/perm/certify.c
 * compares with sums done at length: both are at most 1.13 times the exact one. The sums are those without
 * it. Real matrices are in tests/unit/perm/gpu/certify.c. */
static void test_certified(void) {
    enum { ORDER = 15 };
    double entries[2 * ORDER * ORDER];
    int far = 0, unequal = 0;
    for (int n = 8; n <= ORDER; n++) {
        const perm_dense_matrix matrix = {n, true, entries, NULL, 0, NULL};
        perm_dense dense;
        perm_dense_partial device[3], processor[2];
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = 2 * base_random_uniform(&numbers) - 1;
        if (perm_dense_init(&context, &matrix, NULL, &dense) != BASE_OK)
            abort();
        bool ok = run(&dense, 1 << 20, &device[0]);
        perm_dense_run(&context, &dense, 0, 1, &processor[0]);
        ok = ok && perm_dense_certify(&context, &dense) == BASE_OK && dense.certificate.kernel != NULL &&
             run(&dense, 1 << 20, &device[1]);
        if (n % 2 == 0)
            dense.certificate.problem.split = n / 2;
        perm_dense_run(&context, &dense, 0, 1, &processor[1]);
        if (!ok || !run(&dense, 1, &device[2]))
            abort();
        for (int k = 1; k < 3; k++) {
            const double ratio = (device[k].magnitude - device[0].magnitude) /
                                 (processor[1].magnitude - processor[0].magnitude);
            far += !(ratio > 1 / 1.13 && ratio < 1.13);
            unequal += memcmp(device[k].high, device[0].high, sizeof device[k].high) != 0 ||
                       memcmp(device[k].low, device[0].low, sizeof device[k].low) != 0;
        }
        perm_dense_free(&dense);
    }
    tap_ok(far == 0, "complex: the bound of the entries' changes is that of the processor");
    tap_ok(unequal == 0, "complex: ... and the sums are those without it");
}

/* The blocks of all chunks are the threads of the sum, at every order and size of a block. */
static void test_shapes(void) {
    for (int n = PERM_TENSOR_DEVICE_LEAST; n < 63; n++) {
        double *entries = calloc((size_t)(n * n), sizeof *entries);
        for (int at = 0; at < n * n; at++)
            entries[at] = 0.5;
        const perm_dense_matrix matrix = {.n = n, .entries = entries};
        perm_dense dense;
        perm_device_sum sum[2];
        if (perm_dense_init(&context, &matrix, NULL, &dense) != BASE_OK ||
            perm_dense_device_sum(&context, &dense, &sum[0]) != BASE_OK ||
            perm_tensor_device_sum(&context, &dense, &sum[1]) != BASE_OK) {
            tap_ok(false, "n = %d: two sums", n);
            return;
        }
        for (int k = 0; k < 2; k++) {
            const double whole = ldexp((double)sum[k].threads,
                                       sum[k].steps + (k == 0 ? DENSE_GPU_INNER_REAL : TENSOR_GPU_INNER));
            const int64_t threads = sum[k].chunk_blocks * sum[k].block_threads * dense.chunk_count;
            tap_ok(whole == ldexp(1, n - 1) && (dense.chunk_count == 1 || threads == sum[k].threads),
                   "n = %d, %s: 2^(n-1) subsets in all chunks", n, sum[k].kernel);
            perm_device_sum_free(&sum[k]);
        }
        perm_dense_free(&dense);
        free(entries);
    }
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, 2024, 0);
    test_constant();
    test_random(false);
    test_random(true);
    test_chunks(false);
    test_chunks(true);
    test_certified();
    test_shapes();
    return tap_done();
}
