/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernel for dense permanents by quadratic forms on the CPU: known permanents of every kind of
 * matrix that it takes, its bound, chunks in launches and steps of other sizes. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense/pairs_gpu.cu"

#include "base/core/random.h"
#include "perm/dense/pairs.h"
#include "tests/support/device_sum.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

enum { LARGEST = 17, SHARED_BYTES = 200 << 10 };

static base_context context;
static base_random numbers;

/* ---- a device made of the shim ---- */

static void thread(void *launch) {
    const device_sum_launch *it = launch;
    pairs_gpu_real(it->sum->n, it->sum->steps, it->sum->threads, it->first, it->sum->columns, it->sums);
}

static bool run(const perm_dense *dense, bool halved, int64_t most, perm_dense_partial *partial) {
    perm_device_sum sum;
    if (perm_pairs_device_sum(&context, dense, &sum) != BASE_OK)
        return false;
    if (halved)
        perm_device_sum_halve(&sum);
    device_sum_run(&sum, thread, dense->chunk_count, most, partial);
    perm_device_sum_free(&sum);
    return true;
}

static const char *permanent(int n, const double *entries, perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
    perm_dense dense;
    perm_dense_partial partial[64];
    double relative_error, absolute_error, magnitude = 0;
    if (perm_dense_init(&context, &matrix, NULL, &dense) != BASE_OK || dense.chunk_count > 64)
        return "not prepared";
    const char *reason = perm_pairs_device_reason(&dense, SHARED_BYTES);
    if (reason == NULL && dense.chunk_count > 0 && !run(&dense, false, 1 << 20, partial))
        reason = "no sum";
    if (reason == NULL) {
        perm_dense_fold(&dense, partial, result);
        for (int64_t chunk = 0; chunk < dense.chunk_count; chunk++)
            magnitude += partial[chunk].magnitude;
        perm_pairs_device_error(&dense, &relative_error, &absolute_error);
        result->error = relative_error * magnitude + absolute_error;
    }
    perm_dense_free(&dense);
    return reason;
}

/* ---- known permanents ---- */

static double draw(int kind, int at, int n) {
    const int i = at % n, j = at / n;
    const double uniform = base_random_uniform(&numbers);
    switch (kind) {
    case 0: return uniform;
    case 1: return floor(10 * uniform);
    case 2: return i == j || uniform < 0.4 ? uniform : 0;
    case 3: return uniform < 0.5 ? 1 : -1;
    case 4: return ldexp(1 + uniform, (7 * i) % 60 - (11 * j) % 50);
    default: return 1;
    }
}

static void test_exact(void) {
    static const char *const kinds[] = {"uniform numbers", "digits",         "numbers with zeros",
                                        "1 and -1",        "scaled numbers", "ones"};
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int kind = 0; kind < 6; kind++)
        for (int n = LARGEST - 1; n <= LARGEST - (kind != 0); n++) {
            double entries[LARGEST * LARGEST], loss = 0;
            perm_dense_result result;
            for (int at = 0; at < n * n; at++)
                entries[at] = draw(kind, at, n);
            const char *reason = permanent(n, entries, &result);
            if (reason == NULL)
                exact_of_doubles(n, false, entries, exact);
            tap_ok(reason == NULL &&
                       exact_within(result.high, result.low, result.error, result.exponent, exact, &loss) &&
                       (kind == 3 || result.error < 1e-10 * fabs(result.high[0])),
                   "%s, n = %d, within a bound of %.2g%s%s", kinds[kind], n,
                   result.error / fabs(result.high[0]), reason != NULL ? ": " : "",
                   reason != NULL ? reason : "");
        }
    mpq_clears(exact[0], exact[1], NULL);
}

static void test_constant(void) {
    double entries[20 * 20], factorial = 1;
    int wrong = 0;
    for (int n = 1; n <= 20; n++) {
        perm_dense_result result;
        factorial *= n;
        if (n < PERM_PAIRS_DEVICE_LEAST)
            continue;
        for (int at = 0; at < n * n; at++)
            entries[at] = 1;
        wrong += permanent(n, entries, &result) != NULL ||
                 fabs(ldexp(result.high[0] + result.low[0], (int)result.exponent) - factorial) >
                     factorial * 0x1p-53;
    }
    tap_ok(wrong == 0, "all ones: n! for n = %d ... 20, to the last bit", PERM_PAIRS_DEVICE_LEAST);
}

static void test_reasons(void) {
    double entries[LARGEST * LARGEST];
    perm_dense_result result;
    for (int at = 0; at < 256; at++)
        entries[at] = base_random_uniform(&numbers);
    tap_ok(permanent(15, entries, &result) != NULL, "not for n = 15");
    entries[100] *= -1;
    const char *reason = permanent(16, entries, &result);
    tap_ok(reason != NULL && strstr(reason, "both signs") != NULL, "not for rounded entries of both signs");
    memset(entries, 0, sizeof entries);
    reason = permanent(16, entries, &result);
    tap_ok(reason == NULL && result.high[0] == 0 && result.error == 0, "a zero matrix has 0");
}

/* ---- chunks ---- */

/* n = 16 to 19 in two chunks, which perm_dense_init would make one. */
static void test_chunks(void) {
    double entries[19 * 19];
    int unequal = 0, far = 0;
    for (int n = 16; n <= 19; n++) {
        const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
        perm_dense dense;
        perm_dense_partial partial[3][2];
        double relative_error, absolute_error;
        for (int at = 0; at < n * n; at++)
            entries[at] = base_random_uniform(&numbers);
        if (perm_dense_init(&context, &matrix, NULL, &dense) != BASE_OK)
            break;
        dense.chunk_count = 2;
        dense.chunk_blocks = INT64_C(1) << (n - 9);
        dense.chunk_subsets = ldexp(1, n - 2);
        if (!run(&dense, false, 1 << 20, partial[0]) || !run(&dense, false, 1, partial[1]) ||
            !run(&dense, true, 1 << 20, partial[2]))
            break;
        perm_pairs_device_error(&dense, &relative_error, &absolute_error);
        for (int chunk = 0; chunk < 2; chunk++) {
            const perm_dense_partial *a = &partial[0][chunk], *b = &partial[2][chunk];
            unequal += memcmp(a, &partial[1][chunk], sizeof *a) != 0;
            far += !(fabs(a->high[0] - b->high[0] + (a->low[0] - b->low[0])) <=
                     2 * relative_error * a->magnitude);
        }
        perm_dense_free(&dense);
    }
    tap_ok(unequal == 0, "launches of one block give the same bits");
    tap_ok(far == 0, "half the steps give the same chunks");
}

/* The blocks of all chunks are the threads of the sum at every order, and all of them are whole. */
static void test_shapes(void) {
    for (int n = PERM_PAIRS_DEVICE_LEAST; n < 63; n++) {
        double entries[64 * 64];
        for (int at = 0; at < n * n; at++)
            entries[at] = 0.5;
        const perm_dense_matrix matrix = {.n = n, .entries = entries};
        perm_dense dense;
        perm_device_sum sum;
        const bool made = perm_dense_init(&context, &matrix, NULL, &dense) == BASE_OK &&
                          perm_pairs_device_sum(&context, &dense, &sum) == BASE_OK;
        tap_ok(made && ldexp((double)sum.threads, sum.steps + PAIRS_GPU_INNER) == ldexp(1, n - 1) &&
                   sum.chunk_blocks * PAIRS_GPU_THREADS * dense.chunk_count == sum.threads,
               "n = %d: 2^(n-1) subsets in all chunks", n);
        perm_device_sum_free(&sum);
        perm_dense_free(&dense);
    }
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, 2025, 0);
    tap_note("seed 2025");
    test_exact();
    test_constant();
    test_reasons();
    test_chunks();
    test_shapes();
    return tap_done();
}
