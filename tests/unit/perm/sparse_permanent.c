/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents of sparse matrices: every kernel against exact values and the dense method, bounds, plans,
 * chunks and threads, refusals. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "perm/dense/dense.h"
#include "perm/sparse/sparse.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 24 };

static base_context context;
static base_random numbers;

static double uniform(double from, double to) {
    return from + (to - from) * base_random_uniform(&numbers);
}

/* Entries with the given density, and a full diagonal except in every eighth matrix. */
static void draw(int n, bool is_complex, double density, int style, double *entries) {
    const int parts = 1 + is_complex;
    const bool diagonal = base_random_below(&numbers, 8) != 0;
    for (int at = 0; at < n * n * parts; at++) {
        const bool present =
            base_random_uniform(&numbers) < density || (diagonal && at / parts % (n + 1) == 0);
        const double value = style == 0 ? uniform(-1, 1) : style == 1 ? uniform(0, 1) : uniform(-3, 3);
        entries[at] = !present     ? 0
                      : style == 2 ? rint(value)
                      : style == 3 ? ldexp(value, (int)uniform(-200, 200))
                                   : value;
    }
}

static base_status permanent(int n, bool is_complex, const double *entries, const char *kernel,
                             perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    return perm_sparse_permanent(&context, &matrix, kernel, result);
}

static bool kernel_runs(const perm_sparse_kernel *kernel) {
    const perm_sparse_problem problem = {.n = 10, .low = 1, .operations = 1};
    const unsigned features = base_cpu_features();
    return kernel->fits(&problem, features) > 0;
}

/* ---- values and bounds ---- */

enum { MOST_KERNELS = 8 };

/* By kernel: matrices that failed. */
typedef struct counts {
    int matrices, wrong[MOST_KERNELS];
} counts;

static void report(const counts *counts, bool is_complex, const char *what) {
    for (int k = 0; perm_sparse_kernels()[k] != NULL; k++)
        if (kernel_runs(perm_sparse_kernels()[k]))
            tap_ok(counts->wrong[k] == 0, "%s, %s: %d matrices %s", perm_sparse_kernels()[k]->name,
                   is_complex ? "complex" : "real", counts->matrices, what);
        else
            tap_skip(1, "this processor cannot run the kernel");
}

static void test_exact(bool is_complex) {
    static double entries[2 * 12 * 12];
    counts counts = {0};
    double least = INFINITY;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int n = 0; n <= (is_complex ? 8 : 10); n++)
        for (int round = 0; round < 16; round++, counts.matrices++) {
            draw(n, is_complex, 0.1 + 0.06 * (double)round, round % 4, entries);
            exact_of_doubles(n, is_complex, entries, exact);
            for (int k = 0; perm_sparse_kernels()[k] != NULL; k++) {
                const perm_sparse_kernel *kernel = perm_sparse_kernels()[k];
                perm_dense_result result;
                double loss = 0;
                if (kernel_runs(kernel) &&
                    (permanent(n, is_complex, entries, kernel->name, &result) != BASE_OK ||
                     !exact_within(result.high, result.low, result.error, result.exponent, exact, &loss)))
                    counts.wrong[k]++;
                if (loss > 0)
                    least = fmin(least, loss);
            }
        }
    report(&counts, is_complex, "within the bound of the exact value");
    tap_note("bounds are at least %.3g times the error", least);
    mpq_clears(exact[0], exact[1], NULL);
}

/* Beyond brute force: the two results differ by the sum of their bounds at most. */
static bool agree(const perm_dense_result *sparse, const perm_dense_result *dense) {
    const int shift = (int)(dense->exponent - sparse->exponent);
    const double re = ldexp(dense->high[0], shift), im = ldexp(dense->high[1], shift);
    return hypot(sparse->high[0] - re, sparse->high[1] - im) <=
           (sparse->error + ldexp(dense->error, shift)) * (1 + 1e-12) + 0x1p-52 * (fabs(re) + fabs(im));
}

static void test_dense(bool is_complex) {
    static double entries[2 * LARGEST * LARGEST];
    counts counts = {0};
    for (int n = 12; n <= (is_complex ? 17 : 18); n++)
        for (int round = 0; round < 9; round++, counts.matrices++) {
            const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
            perm_dense_result sparse, dense;
            draw(n, is_complex, 0.1 + 0.1 * (double)round, round % 4, entries);
            perm_dense_permanent(&context, &matrix, NULL, &dense);
            for (int k = 0; perm_sparse_kernels()[k] != NULL; k++)
                if (kernel_runs(perm_sparse_kernels()[k]) && (k > 0 || n < 15))
                    counts.wrong[k] += permanent(n, is_complex, entries, perm_sparse_kernels()[k]->name,
                                                 &sparse) != BASE_OK ||
                                       !agree(&sparse, &dense);
        }
    report(&counts, is_complex, "as the dense method has them");
}

/* ---- the plan ---- */

/* Counts the operations of a block by doing them one by one. */
static double count_operations(const perm_sparse_problem *problem) {
    double count = 0;
    for (int64_t k = 0; k < problem->instruction_count; k++) {
        const perm_sparse_instruction *step = &problem->instructions[k];
        const bool sized = step->left.size >= 0 || step->right.size >= 0;
        for (int32_t e = 0; e < step->count; e++)
            switch (step->action) {
            case PERM_SPARSE_ROW: count += problem->constant[step->start + e] != 0; break;
            case PERM_SPARSE_MULTIPLY: count += step->result.size >= 0 ? 2 : 1; break;
            case PERM_SPARSE_SUM: count += sized ? 4 : 3; break;
            case PERM_SPARSE_SUM_ONE: count += 2; break;
            }
    }
    return count;
}

/* No two tables that are alive share a place: a result never overlaps its inputs, and what is read was
 * written. */
static bool places_are_sound(const perm_sparse_problem *problem) {
    const int parts = problem->is_complex ? 2 : 1;
    bool sound = true;
    int32_t *owner = calloc((size_t)problem->places, sizeof *owner);
    for (int64_t k = 0; k < problem->n * parts; k++)
        owner[k] = 1;
    for (int64_t k = 0; k < problem->instruction_count && sound; k++) {
        const perm_sparse_instruction *step = &problem->instructions[k];
        sound = step->left.value >= 0 && owner[step->left.value] != 0 &&
                step->result.value >= problem->n * parts &&
                step->result.value + step->count * parts <= problem->places &&
                step->result.size + step->count <= problem->places;
        for (int32_t e = 0; e < step->count * parts && sound; e++)
            owner[step->result.value + e] = 1;
        for (int32_t e = 0; e < step->count && sound && step->result.size >= 0; e++)
            owner[step->result.size + e] = 1;
    }
    free(owner);
    return sound;
}

static void test_plans(void) {
    static double entries[63 * 63];
    int wrong = 0, unsound = 0, count = 0, above = 0, sliced = 0;
    for (int n = 8; n <= 36; n += n < 18 ? 1 : 6)
        for (int round = 1; round < 8; round++, count++) {
            const perm_dense_matrix matrix = {n, false, entries, NULL, 0, NULL};
            const perm_sparse_device *device = round % 2 ? &perm_sparse_device_cpu : &perm_sparse_device_gpu;
            perm_sparse sparse;
            draw(n, false, 0.12 * (double)round, 1, entries);
            for (int i = 0; i < n; i++)
                entries[i * n + i] = 1;
            if (perm_sparse_init(&context, &matrix, NULL, device, NULL, &sparse) != BASE_OK) {
                wrong++;
                continue;
            }
            wrong += count_operations(&sparse.problem) != sparse.problem.operations;
            unsound += !places_are_sound(&sparse.problem);
            above += (double)sparse.problem.places > device->entries * 1.25 + n;
            sliced += sparse.plan.order.sliced > 0;
            perm_sparse_free(&sparse);
        }
    tap_ok(wrong == 0, "%d plans predict the operations of a block", count);
    tap_ok(unsound == 0, "their tables keep out of each other's way");
    tap_ok(above == 0 && sliced > 0, "and fit the device; %d have slices", sliced);
}

/* A matrix whose rows and columns fall apart into tridiagonal blocks: a plan of almost no blocks. */
static void test_structure(void) {
    static double entries[60 * 60];
    const int n = 60;
    perm_dense_result result;
    int64_t last = 1, fibonacci = 1; /* the permanent of the tridiagonal matrix of ones: F(n+1) */
    for (int k = 1; k < n; k++) {
        const int64_t next = last + fibonacci;
        last = fibonacci;
        fibonacci = next;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            entries[j * n + i] = abs(i - j) <= 1;
    const bool done = permanent(n, false, entries, NULL, &result) == BASE_OK;
    const double value = ldexp(result.high[0], (int)result.exponent),
                 error = ldexp(result.error, (int)result.exponent);
    tap_ok(done && fabs(value - (double)fibonacci) <= error + 0x1p-52 * value && error < 1e-6 * value,
           "tridiagonal ones of order 60: %.17g, F(61) = %" PRId64, value, fibonacci);
}

/* ---- chunks and threads ---- */

static void test_chunks(bool is_complex) {
    enum { ORDER = 20 };
    static double entries[2 * ORDER * ORDER];
    perm_sparse sparse;
    perm_dense_result one, four;
    perm_sparse_device device = perm_sparse_device_cpu;
    device.entries = 100;
    device.chunk_operations = 0x1p16;
    draw(ORDER, is_complex, 0.7, 0, entries);
    context.threads = 1;
    const perm_dense_matrix matrix = {ORDER, is_complex, entries, NULL, 0, NULL};
    perm_sparse_init(&context, &matrix, NULL, &device, NULL, &sparse);
    perm_dense_partial *whole = calloc((size_t)sparse.chunk_count, sizeof *whole);
    perm_dense_partial *parts = calloc((size_t)sparse.chunk_count, sizeof *parts);
    perm_sparse_run(&context, &sparse, 0, sparse.chunk_count, whole);
    perm_sparse_fold(&sparse, whole, &one);
    context.threads = 4;
    tap_ok(sparse.chunk_count >= 4, "n = %d has %" PRId64 " chunks", ORDER, sparse.chunk_count);
    perm_sparse_run(&context, &sparse, 0, 1, parts);
    perm_sparse_run(&context, &sparse, 1, sparse.chunk_count - 1, parts + 1);
    tap_ok(memcmp(whole, parts, (size_t)sparse.chunk_count * sizeof *whole) == 0,
           "chunks in two calls on four threads: the same bits");
    perm_sparse_fold(&sparse, parts, &four);
    tap_ok(memcmp(&one, &four, sizeof one) == 0, "and the same permanent");
    context.threads = 1;
    free(whole);
    free(parts);
    perm_sparse_free(&sparse);
}

/* Kernels with fma agree to the bit. */
static void test_same_bits(bool is_complex) {
    static double entries[2 * 20 * 20];
    int different = 0;
    if (!kernel_runs(&perm_sparse_avx2) || !kernel_runs(&perm_sparse_avx512)) {
        tap_skip(1, "this processor cannot run both kernels");
        return;
    }
    for (int round = 0; round < 20; round++) {
        perm_dense_result left, right;
        draw(18, is_complex, 0.1 + 0.04 * (double)round, round % 3, entries);
        memset(&left, 1, sizeof left);
        permanent(18, is_complex, entries, "sparse-avx2", &left);
        permanent(18, is_complex, entries, "sparse-avx512", &right);
        different += memcmp(&left, &right, sizeof left) != 0;
    }
    tap_ok(different == 0, "AVX2 and AVX-512, %s: the same bits", is_complex ? "complex" : "real");
}

/* ---- special input ---- */

static void test_special(void) {
    static double entries[64 * 64];
    perm_dense_result result;
    draw(64, false, 0.2, 0, entries);
    tap_ok(permanent(64, false, entries, NULL, &result) == BASE_FAILED, "n = 64 is refused");
    tap_ok(permanent(5, false, entries, "sparse-abacus", &result) == BASE_USAGE,
           "an unknown kernel is refused");
    for (int j = 0; j < 63; j++)
        entries[63 * j + 17] = 0;
    tap_ok(permanent(63, false, entries, NULL, &result) == BASE_OK && result.high[0] == 0 &&
               result.error == 0,
           "a row of zeros gives 0 at once");
    entries[100] = NAN;
    tap_ok(permanent(20, false, entries, NULL, &result) == BASE_FAILED, "NaN is refused");
    tap_ok(permanent(0, false, entries, NULL, &result) == BASE_OK &&
               ldexp(result.high[0], (int)result.exponent) == 1 && result.error == 0,
           "the empty matrix has the permanent 1");
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    test_special();
    test_plans();
    test_structure();
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        test_chunks(is_complex);
        test_same_bits(is_complex);
        test_exact(is_complex);
        test_dense(is_complex);
    }
    return tap_done();
}
