/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents of sparse integers by tables modulo primes: every kernel against brute force, chunks, the check
 * modulo another prime, refusals. */
#include "base/core/cpu.h"
#include "perm/sparse/exact.h"
#include "perm/subsets/primes.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LARGEST = 17, LONG = 20, MOST_PRIMES = 64 };

static base_context context;
static exact_random numbers;
static mpz_t (*entry)[2]; /* of the matrix at hand, column by column */

static perm_matrix make_matrix(int n) {
    return exact_matrix(&context, n, entry, MM_INTEGER, NULL, NULL);
}

/* The sum of all chunks, modulo the primes. */
static bool compute(const perm_sparse_exact *exact, perm_value *value) {
    int64_t sum[MOST_PRIMES] = {0}, residue[MOST_PRIMES];
    for (int64_t chunk = 0; chunk < exact->sparse.chunk_count; chunk++) {
        if (perm_sparse_exact_run(&context, exact, chunk, residue) != BASE_OK)
            return false;
        for (int64_t k = 0; k < exact->prime_count; k++) {
            if (residue[k] < 0 || residue[k] >= exact->prime[k])
                return false;
            sum[k] = (sum[k] + residue[k]) % exact->prime[k];
        }
    }
    perm_sparse_exact_value(exact, sum, value);
    return true;
}

/* Whether the kernel finds the permanent of the matrix at hand, and its residue modulo the prime of a check.
 */
static bool is_right(int n, const char *kernel, mpz_t expected) {
    perm_matrix matrix = make_matrix(n);
    bool right = true;
    for (int check = 0; check < 2; check++) {
        perm_sparse_exact exact = {.prime_count = 0};
        perm_value value;
        perm_value_init(&value);
        right = right &&
                perm_sparse_exact_init(&context, &matrix, kernel, check == 1, NULL, &exact) == BASE_OK &&
                exact.prime_count <= MOST_PRIMES && compute(&exact, &value);
        if (right && check == 0)
            right = mpz_cmp(value.re, expected) == 0;
        if (right && check == 1) {
            mpz_sub(value.re, value.re, expected);
            right =
                exact.prime_count == 1 && mpz_divisible_ui_p(value.re, (unsigned long)exact.prime[0]) != 0;
        }
        perm_sparse_exact_free(&exact);
        perm_value_free(&value);
    }
    perm_matrix_free(&matrix);
    return right;
}

static void test_kernel(const char *kernel, int largest) {
    static const exact_family families[] = {{.name = "0/1", .share = 0.4},
                                            {.name = "0, +-1", .share = 0.4, .is_signed = true},
                                            {.name = "full, 3 bits", .bits = 3, .share = 1},
                                            {.name = "20 bits", .bits = 20, .share = 0.5, .is_signed = true},
                                            {.name = "32 bits", .bits = 32, .share = 0.6, .is_signed = true}};
    mpz_t expected[2];
    mpz_inits(expected[0], expected[1], NULL);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        int wrong = 0;
        for (int n = 1; n <= largest; n++) {
            exact_draw(&numbers, &families[f], n, entry);
            exact_permanent(n, entry, expected);
            wrong += !is_right(n, kernel, expected[0]);
        }
        tap_ok(wrong == 0, "%s, %s, n = 1 to %d", kernel, families[f].name, largest);
    }
    mpz_clears(expected[0], expected[1], NULL);
}

/* The derangement numbers, by J - I, whose subsets are more than one block for each lane: D(n) = n D(n-1) +
 * (-1)^n. */
static void test_blocks(const char *kernel) {
    int64_t derangements = 1;
    for (int n = 1; n <= LONG; n++)
        derangements = n * derangements + (n % 2 == 0 ? 1 : -1);
    for (int at = 0; at < LONG * LONG; at++)
        mpz_set_ui(entry[at][0], at % (LONG + 1) != 0);
    perm_matrix matrix = make_matrix(LONG);
    perm_sparse_exact exact = {.prime_count = 0};
    perm_value value;
    perm_value_init(&value);
    const bool done = perm_sparse_exact_init(&context, &matrix, kernel, false, NULL, &exact) == BASE_OK &&
                      exact.sparse.problem.middle > 0 && compute(&exact, &value);
    tap_ok(done && mpz_cmp_si(value.re, derangements) == 0, "%s, derangements of %d, blocks one by one",
           kernel, LONG);
    perm_sparse_exact_free(&exact);
    perm_value_free(&value);
    perm_matrix_free(&matrix);
}

static void test_refusals(void) {
    perm_sparse_exact exact;
    for (int at = 0; at < 4; at++)
        mpz_set_ui(entry[at][0], 1);
    mpz_set_str(entry[1][0], "20000000000", 10);
    perm_matrix matrix = make_matrix(2);
    tap_ok(perm_sparse_exact_init(&context, &matrix, NULL, false, NULL, &exact) == BASE_FAILED,
           "entries beyond 2^34 are refused");
    perm_matrix_free(&matrix);
    mpz_set_ui(entry[1][0], 1);
    matrix = make_matrix(2);
    tap_ok(perm_sparse_exact_init(&context, &matrix, "sparse-avx2", false, NULL, &exact) == BASE_USAGE,
           "a kernel of doubles is refused");
    perm_value_scale(&matrix.entry[0], -1);
    tap_ok(perm_sparse_exact_init(&context, &matrix, NULL, false, NULL, &exact) == BASE_FAILED,
           "fractions are refused");
    perm_matrix_free(&matrix);
}

int main(int argc, char **argv) {
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20261121;
    const unsigned features = base_cpu_features();
    const perm_sparse_problem probe = {.n = 8, .low = 1, .operations = 1, .prime = INT64_C(1) << 49};
    base_context_init(&context);
    exact_random_init(&numbers, seed);
    tap_note("seed %" PRIu64, seed);
    entry = exact_alloc(LONG * LONG);
    for (const perm_sparse_kernel *const *kernel = perm_sparse_exact_kernels(); *kernel != NULL; kernel++)
        if ((*kernel)->fits(&probe, features) > 0) {
            test_kernel((*kernel)->name, *kernel == &perm_sparse_exact_ref ? 12 : LARGEST);
            if (*kernel != &perm_sparse_exact_ref)
                test_blocks((*kernel)->name);
        } else
            tap_skip(1, "not on this processor");
    test_refusals();
    exact_free(LONG * LONG, entry);
    exact_random_free(&numbers);
    return tap_done();
}
