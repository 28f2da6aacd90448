/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of perm/dense/certify.h beside sums over all subsets that are done at length: what the entries'
 * rounding may change at most, and what each kernel adds up. */
#include "perm/dense/certify.h"
#include "base/core/cpu.h"
#include "tests/support/dense_changes.h"
#include "tests/support/hard_matrices.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 13, CASES = 6 };

static base_context context;
static base_random numbers;

#define ADDRESS(kernel) &kernel,
static const perm_perturbation_kernel *const kernels[] = {PERM_PERTURBATION_KERNELS(ADDRESS) NULL};

/* ---- the theorem ---- */

/* What the chunks have in their magnitudes for it. */
static double bound_of(const perm_dense *dense) {
    perm_dense plain = *dense;
    double relative_error, absolute_error, sum = 0;
    plain.certificate.kernel = NULL;
    perm_dense_error(dense, &relative_error, &absolute_error);
    for (int64_t chunk = 0; chunk < dense->chunk_count; chunk++) {
        perm_dense_partial with, without;
        perm_dense_run(&context, dense, chunk, 1, &with);
        perm_dense_run(&context, &plain, chunk, 1, &without);
        /* Magnitudes have roundings, which relative_error leaves room for. */
        sum += (with.magnitude - without.magnitude + 0x1p-50 * with.magnitude) * relative_error;
    }
    return sum;
}

/* `most`: how many times the sum the bound may be; 0: any number. */
static void test_kind(int kind, bool is_complex, double most) {
    double entries[2 * HARD_LARGEST * HARD_LARGEST], change[PERM_DENSE_LARGEST] = {0}, worst = 0,
                                                     least = INFINITY;
    int wrong = 0, found = 0;
    for (int number = 0; number < CASES; number++) {
        const int n = number == 0 ? LARGEST : 2 + (int)base_random_below(&numbers, 9);
        perm_dense dense;
        hard_matrix_draw(&numbers, kind, n, is_complex, entries);
        if (!dense_changes_certify(&context, &(perm_dense_matrix){n, is_complex, entries, NULL, 0, NULL},
                                   &dense))
            continue;
        for (int i = 0; i < dense.problem.n; i++)
            change[i] = dense_change_find(&dense, entries, n, is_complex, i);
        const double sum = (double)dense_changes_add(&dense, change), bound = bound_of(&dense);
        wrong += !(bound >= sum);
        found++;
        if (n == LARGEST && sum > 0)
            worst = fmax(worst, bound / sum);
        if (sum > 0)
            least = fmin(least, bound / sum);
        perm_dense_free(&dense);
    }
    tap_ok(wrong == 0 && (most == 0 || (found > 0 && worst <= most)),
           "%s%s: the bound is at least the sum over all subsets", hard_matrix_name(kind),
           is_complex ? ", complex" : "");
    tap_note("of %d matrices; %.3g times it for n = %d, at least %.3g", found, worst, (int)LARGEST, least);
}

/* ---- the kernels ---- */

/* x of a row and a part, from the tables, without the inner columns. */
static double outer_sum(const perm_perturbation_problem *problem, int64_t part, int64_t i, uint64_t plus) {
    const int64_t n = problem->n, parts = perm_perturbation_parts(problem);
    double x = problem->start[part * n + i];
    for (int64_t j = PERM_PERTURBATION_FIRST_LANE; j < n - 1; j++)
        x += plus >> j & 1 ? problem->up[(j * parts + part) * n + i] : 0;
    return x;
}

/* prod sqrt(|x|^2 + s) of a subset: the inner columns' p is that of pair k, with its sign. */
static double multiply_roots(const perm_perturbation_problem *problem, uint64_t plus, int k, double sign) {
    const int64_t n = problem->n, parts = perm_perturbation_parts(problem);
    double product = 1;
    for (int64_t i = 0; i < n; i++) {
        const float *pairs = problem->pairs + i * (1 + parts) * PERM_PERTURBATION_PAIRS;
        double square = pairs[k];
        for (int64_t part = 0; part < parts; part++) {
            const double x = outer_sum(problem, part, i, plus),
                         p = pairs[(1 + part) * PERM_PERTURBATION_PAIRS + k] / 2.0;
            square += (x + sign * p) * (x + sign * p) - p * p;
        }
        product *= sqrt(square);
    }
    return product;
}

/* Blocks first … first+count-1, whose lanes are all signs of columns 4 to 7. */
static double add_blocks(const perm_perturbation_problem *problem, int64_t first, int64_t count) {
    double sum = 0;
    for (int64_t block = first; block < first + count; block++)
        for (uint64_t lane = 0; lane < PERM_PERTURBATION_LANES; lane++)
            for (int k = 0; k < PERM_PERTURBATION_PAIRS; k++)
                for (int sign = -1; sign <= 1; sign += 2)
                    sum += multiply_roots(problem,
                                          (uint64_t)(block ^ block >> 1) << PERM_PERTURBATION_FIRST |
                                              lane << PERM_PERTURBATION_FIRST_LANE,
                                          k, sign);
    return sum;
}

static void test_kernel(const perm_perturbation_kernel *kernel, bool is_complex) {
    static const int orders[] = {8, 9, 10, 11, 12, 13, 17, 24, 36, 50, PERM_DENSE_LARGEST};
    double entries[2 * PERM_DENSE_LARGEST * PERM_DENSE_LARGEST];
    int wrong = 0;
    if (kernel->fits(is_complex, base_cpu_features()) == 0) {
        tap_skip(1, "this processor cannot run the kernel");
        return;
    }
    for (unsigned number = 0; number < sizeof orders / sizeof *orders; number++) {
        const int n = orders[number];
        perm_dense dense;
        for (int at = 0; at < 2 * n * n; at++)
            entries[at] = 2 * base_random_uniform(&numbers) - 1;
        if (!dense_changes_certify(&context, &(perm_dense_matrix){n, is_complex, entries, NULL, 0, NULL},
                                   &dense))
            abort();
        perm_perturbation_problem problem = dense.certificate.problem;
        const int64_t all = n > 9 ? INT64_C(1) << (n - 9) : 1,
                      first = (int64_t)base_random_below(&numbers, (uint64_t)all),
                      most = all - first < 16 ? all - first : 16,
                      count = 1 + (int64_t)base_random_below(&numbers, (uint64_t)most);
        const double sum = add_blocks(&problem, first, count);
        /* Where all rows fit into one product they fit into two. */
        for (int way = 0; way < 2; way++) {
            const double got = kernel->run(&problem, first, count);
            wrong += !(got >= sum * (1 - (2 * n + 8) * 0x1p-24) && got <= sum * 1.13);
            problem.split = (n + 1) / 2;
        }
        perm_dense_free(&dense);
    }
    tap_ok(wrong == 0, "%s%s: what all subsets add up to, and at most 13 %% more", kernel->name,
           is_complex ? ", complex" : "");
}

/* ---- where there is none ---- */

static void test_none(void) {
    static const struct {
        const char *what;
        double value[2];
        double scale;
    } cases[] = {{"positive entries", {0.3, 0.7}, 1}, {"short entries", {-3, 5}, 0x1p40}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        double entries[144];
        for (int at = 0; at < 144; at++)
            entries[at] = cases[k].scale * cases[k].value[base_random_below(&numbers, 2)];
        const perm_dense_matrix matrix = {12, false, entries, NULL, 0, NULL};
        perm_dense dense;
        if (perm_dense_init(&context, &matrix, NULL, &dense) != BASE_OK)
            abort();
        const double seconds = dense.seconds;
        tap_ok(perm_dense_certify(&context, &dense) == BASE_OK && dense.certificate.kernel == NULL &&
                   dense.seconds == seconds,
               "%s need no certificate", cases[k].what);
        perm_dense_free(&dense);
    }
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, tap_seed(), 0);
    for (int kind = 0; kind <= HARD_KINDS; kind++)
        for (int is_complex = kind == HARD_UNITARY; is_complex < 2; is_complex++)
            test_kind(kind, is_complex, kind < 2 || kind == HARD_UNITARY ? 10 : 0);
    for (int k = 0; kernels[k] != NULL; k++)
        for (int is_complex = 0; is_complex < 2; is_complex++)
            test_kernel(kernels[k], is_complex);
    test_none();
    return tap_done();
}
