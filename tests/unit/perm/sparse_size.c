/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of complex numbers in the kernels for sparse permanents: never less than theirs, and not by much
 * more in a whole sum. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "perm/sparse/sparse.h"
#include "tests/support/tap.h"

#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_context context;
static base_random numbers;

static bool kernel_runs(const perm_sparse_kernel *kernel) {
    const perm_sparse_problem problem = {.n = 10, .low = 1, .operations = 1};
    return kernel->fits(&problem, base_cpu_features()) > 0;
}

/* ---- of one number ---- */

/* The program z - 0 of order 8: its size is that of z, added to a 0. */
static double kernel_size(const perm_sparse_kernel *kernel, double re, double im) {
    enum { ORDER = 8, TABLE = 2 * ORDER, ROOT = TABLE + 4, SIZE = ROOT + 2, PLACES };
    static const double start[2 * ORDER];
    static const int64_t column_start[ORDER + 1];
    static const uint16_t index[] = {0, 1};
    static _Alignas(64) double work[PLACES * PERM_SPARSE_LANES];
    const double constant[] = {re, im, 0, 0};
    const perm_sparse_instruction program[] = {
        {PERM_SPARSE_ROW, 2, {TABLE, -1}, {0, -1}, {0, -1}, 0, 0},
        {PERM_SPARSE_SUM_ONE, 1, {ROOT, SIZE}, {TABLE, -1}, {TABLE, -1}, 0, 0}};
    const perm_sparse_problem problem = {.n = ORDER,
                                         .low = 1,
                                         .is_complex = true,
                                         .start = start,
                                         .column_start = column_start,
                                         .instruction_count = 2,
                                         .instructions = program,
                                         .index = index,
                                         .constant = constant,
                                         .root = {ROOT, SIZE},
                                         .places = PLACES,
                                         .operations = 1};
    perm_sparse_sums sums;
    kernel->run(&problem, 0, work, &sums);
    return sums.magnitude[0];
}

/* size^2 >= re^2 + im^2, without rounding. */
static bool covers(double size, double re, double im) {
    mpq_t left, square;
    mpq_inits(left, square, NULL);
    mpq_set_d(left, size);
    mpq_mul(left, left, left);
    for (int part = 0; part < 2; part++) {
        mpq_set_d(square, part == 0 ? re : im);
        mpq_mul(square, square, square);
        mpq_sub(left, left, square);
    }
    const bool is_covered = mpq_sgn(left) >= 0;
    mpq_clears(left, square, NULL);
    return is_covered;
}

/* Where the norm touches the circle, the parts are equal or one is small: half of the numbers are near that.
 */
static void draw_number(int round, double *re, double *im) {
    const double a = 1 + base_random_uniform(&numbers);
    const double b = round % 2 == 0 ? a : 1 + base_random_uniform(&numbers);
    *re = base_random_below(&numbers, 2) != 0 ? a : -a;
    *im = ldexp(b + 0x1p-52 * (double)base_random_below(&numbers, 4), -(int)base_random_below(&numbers, 60));
    if (round % 4 == 0)
        *im = copysign(a + 0x1p-52 * (double)base_random_below(&numbers, 3), *im);
    if (round % 64 == 1)
        *im = 0;
    if (base_random_below(&numbers, 2) != 0) {
        const double other = *re;
        *re = -*im;
        *im = other;
    }
}

static void test_numbers(const perm_sparse_kernel *kernel) {
    enum { ROUNDS = 20000 };
    int below = 0;
    double most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double re, im;
        draw_number(round, &re, &im);
        const double size = kernel_size(kernel, re, im);
        below += !covers(size, re, im);
        most = fmax(most, size / hypot(re, im));
    }
    tap_ok(below == 0, "%s: of %d complex numbers none is larger than its size", kernel->name, ROUNDS);
    tap_ok(most < 1.0825, "and none smaller than 1 / 1.0825 of it: %.6f", most);
}

/* ---- of a sum ---- */

/* By the plan, or by one that is made and left there. */
static double magnitude_of(const perm_dense_matrix *matrix, const char *kernel, bool is_planned,
                           perm_sparse_plan *plan) {
    perm_sparse sparse;
    double sum = 0;
    if (perm_sparse_init(&context, matrix, kernel, NULL, is_planned ? plan : NULL, &sparse) != BASE_OK)
        return NAN;
    *plan = sparse.plan;
    perm_dense_partial *partial = calloc((size_t)sparse.chunk_count, sizeof *partial);
    if (partial != NULL && perm_sparse_run(&context, &sparse, 0, sparse.chunk_count, partial) == BASE_OK)
        for (int64_t chunk = 0; chunk < sparse.chunk_count; chunk++)
            sum += partial[chunk].magnitude;
    free(partial);
    perm_sparse_free(&sparse);
    return sum;
}

/* Of random sparse matrices, beside the sum of |product| by sparse-ref, which takes square roots. */
static void test_sums(const perm_sparse_kernel *kernel) {
    enum { ORDER = 18, ROUNDS = 6 };
    static double entries[2 * ORDER * ORDER];
    const perm_dense_matrix matrix = {ORDER, true, entries, NULL, 0, NULL};
    double least = INFINITY, most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int at = 0; at < ORDER * ORDER; at++) {
            const bool present = at % (ORDER + 1) == 0 || base_random_uniform(&numbers) < 0.3;
            for (int part = 0; part < 2; part++)
                entries[2 * at + part] = present ? 2 * base_random_uniform(&numbers) - 1 : 0;
        }
        perm_sparse_plan plan;
        const double sum = magnitude_of(&matrix, kernel->name, false, &plan),
                     ratio = sum / magnitude_of(&matrix, "sparse-ref", true, &plan);
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    tap_ok(least > 1 - 1e-12 && most < 4,
           "%s: sums of sizes are %.3f to %.3f times those of absolute values, n = %d", kernel->name, least,
           most, (int)ORDER);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    for (int k = 1; perm_sparse_kernels()[k] != NULL; k++) {
        const perm_sparse_kernel *kernel = perm_sparse_kernels()[k];
        if (!kernel_runs(kernel)) {
            tap_skip(1, "this processor cannot run the kernel");
            continue;
        }
        if (!kernel->is_gray)
            test_numbers(kernel);
        test_sums(kernel);
    }
    return tap_done();
}
