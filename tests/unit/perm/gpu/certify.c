/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds of perm/perturbation/gpu.h, by the shim, beside sums over all subsets that are done at length;
 * row sums of certified real matrices are not 0. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense/gpu.cu"

#include "perm/dense/certify.h"
#include "perm/dense/device.h"
#include "tests/support/dense_changes.h"
#include "tests/support/device_sum.h"
#include "tests/support/hard_matrices.h"
#include "tests/support/tap.h"

#include <string.h>

enum { LARGEST = 13, CASES = 8 };

static base_context context;
static base_random numbers;

/* A thread of the kernel for the launch's sum. */
static void thread(void *launch) {
    const device_sum_launch *it = launch;
    const perm_device_sum *sum = it->sum;
    if (strcmp(sum->kernel, "dense_gpu_real") == 0)
        dense_gpu_real(sum->n, sum->steps, sum->threads, it->first, sum->columns, it->sums);
    else if (strcmp(sum->kernel, "dense_gpu_complex") == 0)
        dense_gpu_complex(sum->n, sum->steps, sum->threads, it->first, sum->columns, it->sums);
    else if (strcmp(sum->kernel, "dense_gpu_certified_real") == 0)
        dense_gpu_certified_real(sum->n, sum->steps, sum->threads, it->first, sum->columns, it->sums);
    else if (strcmp(sum->kernel, "dense_gpu_certified_complex") == 0)
        dense_gpu_certified_complex(sum->n, sum->steps, sum->threads, it->first, sum->columns, it->sums);
    else
        abort();
}

/* What the kernel adds up for the bound. */
static void add_bounds(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    const dense_gpu_certified_sums *block = sums;
    (void)sum;
    for (int64_t k = 0; k < count; k++)
        ((perm_dense_partial *)total)->magnitude += block[k].bound;
}

/* Of one chunk. */
static void run(const perm_dense *dense, perm_dense_partial *partial) {
    perm_device_sum sum;
    if (dense->chunk_count != 1 || perm_dense_device_sum(&context, dense, &sum) != BASE_OK)
        abort();
    device_sum_run(&sum, thread, 1, 1 << 20, partial);
    perm_device_sum_free(&sum);
}

/* Row sums of changed rows that are 0, of a real matrix. */
static int count_zeros(const perm_dense *dense) {
    const int64_t n = dense->problem.n;
    int zeros = 0;
    for (uint64_t plus = 0; plus < UINT64_C(1) << (n - 1); plus++)
        for (int64_t i = 0; i < n; i++) {
            double x = dense->problem.start[i];
            for (int64_t j = 0; j < n - 1; j++)
                x += plus >> j & 1 ? dense->problem.up[j * n + i] : 0;
            zeros += x == 0 && dense->change[i] > 0;
        }
    return zeros;
}

typedef struct counts {
    int found, below, unequal, zeros;
    double least, worst;
} counts;

/* With the changes of the entries, and with the largest that the bound allows for. */
static void test_matrix(int n, bool is_complex, const double *entries, counts *counts) {
    perm_dense dense;
    perm_dense_partial with, without;
    double relative_error, absolute_error, change[PERM_DENSE_LARGEST] = {0};
    if (!dense_changes_certify(&context, &(perm_dense_matrix){n, is_complex, entries, NULL, 0, NULL}, &dense))
        return;
    perm_dense plain = dense;
    plain.certificate.kernel = NULL;
    run(&dense, &with);
    run(&plain, &without);
    perm_dense_error(&dense, &relative_error, &absolute_error);
    /* Magnitudes have roundings, which relative_error leaves room for. */
    const double bound =
        (with.magnitude - without.magnitude + 0x1p-50 * with.magnitude) * relative_error + absolute_error;
    for (int i = 0; i < dense.problem.n; i++)
        change[i] = dense_change_find(&dense, entries, n, is_complex, i);
    const double sum = (double)dense_changes_add(&dense, change),
                 largest = (double)dense_changes_add(&dense, dense.change);
    counts->below += !(bound >= sum && bound >= largest);
    for (int part = 0; part <= is_complex; part++)
        counts->unequal +=
            !(fabs((with.high[part] - without.high[part]) + (with.low[part] - without.low[part])) <=
              (is_complex ? 0 : 2 * relative_error * without.magnitude + absolute_error));
    counts->zeros += is_complex ? 0 : count_zeros(&dense);
    counts->found++;
    if (sum > 0) {
        counts->least = fmin(counts->least, bound / sum);
        counts->worst = n == LARGEST ? fmax(counts->worst, bound / sum) : counts->worst;
    }
    perm_dense_free(&dense);
}

/* `most`: how many times the sum the bound may be; 0: any number. */
static void test_kind(int kind, bool is_complex, double most) {
    double entries[2 * HARD_LARGEST * HARD_LARGEST];
    counts counts = {.least = INFINITY};
    for (int number = 0; number < CASES; number++) {
        const int n = number == 0 ? LARGEST : 2 + (int)base_random_below(&numbers, 10);
        hard_matrix_draw(&numbers, kind, n, is_complex, entries);
        test_matrix(n, is_complex, entries, &counts);
    }
    tap_ok(counts.below == 0 && (most == 0 || (counts.found > 0 && counts.worst <= most)),
           "%s%s: the bound is at least the sum over all subsets", hard_matrix_name(kind),
           is_complex ? ", complex" : "");
    tap_ok(counts.unequal == 0 && counts.zeros == 0, "and the sums are those without it%s",
           is_complex ? "" : ", but for roundings");
    tap_note("of %d matrices; %.3g times it for n = %d, at least %.3g", counts.found, counts.worst,
             (int)LARGEST, counts.least);
}

/* Entries a and -a: without the odd units many row sums would be 0, and several in one product. */
static void test_equal(void) {
    double entries[HARD_LARGEST * HARD_LARGEST];
    counts counts = {.least = INFINITY};
    for (int n = 6; n <= LARGEST; n++) {
        for (int at = 0; at < n * n; at++)
            entries[at] = base_random_below(&numbers, 2) != 0 ? 1 / 3.0 : -1 / 3.0;
        if (n % 3 == 0)
            for (int at = 0; at < n; at++)
                entries[at * n] = 1; /* a row that is exact beside them */
        test_matrix(n, false, entries, &counts);
    }
    tap_ok(counts.found == LARGEST - 5 && counts.below == 0 && counts.unequal == 0 && counts.zeros == 0,
           "entries 1/3 and -1/3: the bound is at least the sum over all subsets");
    tap_note("at least %.3g times it", counts.least);
}

/* ---- the sums of gpu.h ---- */

/* The sum of |product| weight, which is the sum of 1 / |x|, or its power where `spread` is not 0. */
static double add_weights(const perm_dense *dense, double spread) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n;
    double total = 0;
    for (uint64_t plus = 0; plus < UINT64_C(1) << (n - 1); plus++) {
        double product = 1, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double x = problem->start[i];
            for (int64_t j = 0; j < n - 1; j++)
                x += plus >> j & 1 ? problem->up[j * n + i] : 0;
            product *= fabs(x);
            sum += 1 / fabs(x);
        }
        total += product * (spread != 0 ? pow(1 + spread * sum, 64) : sum);
    }
    return total;
}

/* `table`: of the kernel, to be written. */
static double run_bound(perm_device_sum *sum, double limit, double spread, double *table) {
    perm_dense_partial partial;
    table[BOUND_GPU_LIMIT] = limit;
    table[BOUND_GPU_SPREAD] = spread;
    table[BOUND_GPU_INVERSE_SLOPE] = 1;
    device_sum_run(sum, thread, 1, 1 << 20, &partial);
    return partial.magnitude;
}

/* Orders with all ways to group rows; by groups, and where all subsets are beyond the limit. */
static void test_weights(int n) {
    double entries[HARD_LARGEST * HARD_LARGEST];
    const double spread = 1e-4;
    perm_dense dense;
    perm_device_sum sum;
    for (int at = 0; at < n * n; at++)
        entries[at] = 2 * base_random_uniform(&numbers) - 1;
    if (!dense_changes_certify(&context, &(perm_dense_matrix){n, false, entries, NULL, 0, NULL}, &dense) ||
        perm_dense_device_sum(&context, &dense, &sum) != BASE_OK)
        abort();
    double *table = (double *)sum.columns + (n + 1) * n;
    sum.add = add_bounds;
    const double by_groups = run_bound(&sum, INFINITY, 0, table) / add_weights(&dense, 0),
                 at_length = run_bound(&sum, 0, spread, table) / add_weights(&dense, spread);
    tap_ok(by_groups >= 1 - 0x1p-4 && by_groups <= 200, "order %d: %.3g times the sum of the reciprocals", n,
           by_groups);
    tap_ok(fabs(at_length - 1) <= 1e-9, "... and all subsets at length are right");
    perm_device_sum_free(&sum);
    perm_dense_free(&dense);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, tap_seed(), 0);
    for (int kind = 0; kind < HARD_KINDS; kind++) {
        test_kind(kind, false, kind < 2 ? 100 : 0);
        test_kind(kind, true, kind < 2 ? 10 : 0);
    }
    test_equal();
    for (int n = 8; n <= HARD_LARGEST; n++)
        test_weights(n);
    return tap_done();
}
