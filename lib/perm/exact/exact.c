/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/exact/exact.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/exact/tables.h"
#include "perm/subsets/integers.h"
#include "perm/subsets/kernel_choice.h"
#include "perm/subsets/primes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a chunk, which then takes some milliseconds for each problem. */
enum { LOG2_CHUNK = 12, LOG2_MOST_CHUNKS = 14 };

_Static_assert(1 << LOG2_MOST_CHUNKS == PERM_EXACT_MOST_CHUNKS, "the size in exact.h");

/* An entry of a table of kernels. */
#define ADDRESS(kernel) &kernel,

const perm_exact_kernel *const *perm_exact_kernels(void) {
    static const perm_exact_kernel *const kernels[] = {PERM_EXACT_KERNELS(ADDRESS) NULL};
    return kernels;
}

static base_status pick(base_context *context, const char *name, perm_exact *exact) {
    const unsigned features = base_cpu_features();
    perm_kernel_choice choice = {.wanted = name};
    for (const perm_exact_kernel *const *entry = perm_exact_kernels(); *entry != NULL; entry++) {
        double seconds = exact->problem_count == 0 ? DBL_MIN : 0; /* all of them do nothing */
        for (int64_t k = 0; k < exact->problem_count; k++)
            seconds += (*entry)->fits(&exact->problem[k], features);
        perm_kernel_choice_weigh(&choice, *entry, (*entry)->name, seconds);
    }
    exact->kernel = choice.kernel;
    exact->seconds = exact->problem_count == 0 ? 0 : choice.seconds;
    return perm_kernel_choice_check(context, &choice, "exact");
}

/* One prime more than needed is found for a check, and all but that one are dropped. */
static base_status fill_primes(base_context *context, const perm_integers *integers, bool check,
                               perm_exact *exact) {
    const bool words = perm_exact_are_words(integers);
    const int64_t numbers = integers->is_complex ? 2 : 1;
    const double least = words ? PERM_EXACT_LOG2_FACTOR : 49 - log2((double)integers->n);
    /* |perm| < 2^bits: the residue next to 0 is the permanent once the product of the primes, each at least
     * 2^least, exceeds twice that. */
    int64_t count = (int64_t)ceil((fmax(integers->bits, 0) + 2) / least);
    int64_t last = words ? INT64_C(1) << PERM_EXACT_LOG2_FACTOR : (INT64_C(1) << 50) / integers->n;
    exact->residue_count = numbers * (check ? 1 : count);
    exact->prime = base_alloc(context, exact->residue_count, sizeof *exact->prime);
    exact->root = base_alloc_zero(context, exact->residue_count, sizeof *exact->root);
    if (exact->prime == NULL || exact->root == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < count + check; k++) {
        last = perm_prime_next(last, words ? 1 : -1, integers->is_complex);
        int64_t *prime = exact->prime + numbers * (check ? 0 : k);
        prime[0] = last;
        if (integers->is_complex && (!check || k == count)) {
            int64_t *root = exact->root + (prime - exact->prime);
            prime[1] = last;
            /* The sum is taken with i and with -i for the root of -1: re + root im and re - root im. */
            root[0] = perm_prime_root(last);
            root[1] = -root[0];
        }
    }
    return BASE_OK;
}

/* Rows and columns change roles where more products vanish then, or fewer factors are left: a rule that looks
 * at the matrix alone, so that chunks mean the same everywhere. `tables` is room for one problem. */
static void choose_orientation(perm_integers *integers, double *tables) {
    perm_exact_problem here, turned;
    int64_t halves;
    perm_exact_fill(integers, 1, 0, tables, &here, &halves);
    perm_integers_transpose(integers);
    const bool fits = perm_exact_are_words(integers);
    if (fits)
        perm_exact_fill(integers, 1, 0, tables, &turned, &halves);
    if (!fits || (here.is_small && turned.is_small ? turned.zeros <= here.zeros
                                                   : turned.group_count >= here.group_count))
        perm_integers_transpose(integers);
}

static base_status fill_problems(base_context *context, perm_integers *integers, perm_exact *exact) {
    const bool words = perm_exact_are_words(integers);
    const int64_t length = perm_exact_table_length(integers),
                  count = words ? (exact->residue_count + PERM_EXACT_MOST_PRIMES - 1) / PERM_EXACT_MOST_PRIMES
                                : exact->residue_count;
    exact->problem = base_alloc(context, count, sizeof *exact->problem);
    exact->tables = base_alloc_aligned(context, count * length, sizeof *exact->tables);
    if (exact->problem == NULL || exact->tables == NULL)
        return BASE_MACHINE;
    exact->problem_count = count;
    if (words)
        choose_orientation(integers, exact->tables);
    for (int64_t k = 0; k < count; k++) {
        const int64_t first = words ? k * PERM_EXACT_MOST_PRIMES : k,
                      rest = words ? exact->residue_count - first : 1;
        perm_exact_problem *problem = &exact->problem[k];
        perm_exact_fill(integers, exact->prime[first], exact->root[first], exact->tables + k * length,
                        problem, &exact->halves);
        problem->prime = exact->prime + first;
        problem->prime_count = rest < PERM_EXACT_MOST_PRIMES ? rest : PERM_EXACT_MOST_PRIMES;
        problem->reduce = !words;
    }
    /* (-1)^(n-1) 2^(n-1) perm is the sum of common/problem.h; each factor of two that a table leaves out of a
     * row takes a half away. */
    exact->halves = integers->n - 1 - exact->halves;
    exact->is_negative = integers->n % 2 == 0;
    return BASE_OK;
}

static void plan_chunks(int64_t n, perm_exact *exact) {
    const int64_t log2_blocks = n - 1 - PERM_DENSE_LOG2_SUBSETS;
    int64_t log2_chunk = log2_blocks < LOG2_CHUNK ? log2_blocks : LOG2_CHUNK;
    if (log2_blocks - log2_chunk > LOG2_MOST_CHUNKS)
        log2_chunk = log2_blocks - LOG2_MOST_CHUNKS;
    exact->chunk_blocks = INT64_C(1) << log2_chunk;
    exact->chunk_count = INT64_C(1) << (log2_blocks - log2_chunk);
    exact->chunk_subsets = ldexp(1, (int)log2_chunk + PERM_DENSE_LOG2_SUBSETS);
}

static base_status init(base_context *context, const perm_matrix *matrix, const char *kernel, bool check,
                        perm_exact *exact) {
    base_status status;
    perm_integers integers = {0};
    memset(exact, 0, sizeof *exact);
    mpz_init(exact->factor);
    exact->is_ready = true;
    if (matrix->n > PERM_DENSE_LARGEST) {
        BASE_TRY(base_fail(context, BASE_FAILED, "the exact method takes n up to %d, not %lld",
                           PERM_DENSE_LARGEST, (long long)matrix->n));
    }
    BASE_TRY(perm_integers_init(context, matrix, &integers));
    exact->is_complex = integers.is_complex;
    if (!integers.has_zero_row) {
        mpz_set(exact->factor, integers.factor);
        exact->exponent = integers.exponent;
        BASE_TRY(fill_primes(context, &integers, check, exact));
        BASE_TRY(fill_problems(context, &integers, exact));
        plan_chunks(integers.n, exact);
    }
    BASE_TRY(pick(context, kernel, exact));
done:
    perm_integers_free(&integers);
    if (status != BASE_OK)
        perm_exact_free(exact);
    return status;
}

base_status perm_exact_init(base_context *context, const perm_matrix *matrix, const char *kernel,
                            perm_exact *exact) {
    return init(context, matrix, kernel, false, exact);
}

base_status perm_exact_init_check(base_context *context, const perm_matrix *matrix, const char *kernel,
                                  perm_exact *exact) {
    return init(context, matrix, kernel, true, exact);
}

void perm_exact_free(perm_exact *exact) {
    if (exact == NULL || !exact->is_ready)
        return;
    free(exact->problem);
    free(exact->tables);
    free(exact->prime);
    free(exact->root);
    mpz_clear(exact->factor);
    memset(exact, 0, sizeof *exact);
}

void perm_exact_run(base_context *context, const perm_exact *exact, int64_t first, int64_t count,
                    int64_t *residue) {
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) if (count > 1)
    for (int64_t chunk = 0; chunk < count; chunk++) {
        int64_t *sum = residue + chunk * exact->residue_count;
        memset(sum, 0, (size_t)exact->residue_count * sizeof *sum);
        for (int64_t k = 0; k < exact->problem_count; k++)
            exact->kernel->run(&exact->problem[k], (first + chunk) * exact->chunk_blocks, exact->chunk_blocks,
                               sum + (exact->problem[k].prime - exact->prime));
        base_progress_add(context, (int64_t)exact->chunk_subsets);
    }
}

/* The residues of the permanent without factor and exponent: re + root im. */
static void add_chunks(const perm_exact *exact, const int64_t *residue, int64_t *sum) {
    for (int64_t k = 0; k < exact->residue_count; k++) {
        const int64_t prime = exact->prime[k];
        /* Primes are odd: 2 has an inverse. */
        const int64_t half = perm_prime_power_of_two(-exact->halves, prime);
        sum[k] = 0;
        for (int64_t chunk = 0; chunk < exact->chunk_count; chunk++)
            sum[k] = (sum[k] + residue[chunk * exact->residue_count + k]) % prime;
        sum[k] = (int64_t)((__int128)sum[k] * half % prime);
        if (exact->is_negative && sum[k] != 0)
            sum[k] = prime - sum[k];
    }
}

base_status perm_exact_fold(base_context *context, const perm_exact *exact, const int64_t *residue,
                            perm_value *value) {
    perm_value_set_integer(value, 0);
    if (exact->problem_count == 0)
        return BASE_OK;
    int64_t *sum = base_alloc(context, exact->residue_count, sizeof *sum);
    if (sum == NULL)
        return BASE_MACHINE;
    add_chunks(exact, residue, sum);
    perm_prime_join_parts(sum, exact->prime, exact->is_complex ? exact->root : NULL, exact->residue_count,
                          value);
    mpz_mul(value->re, value->re, exact->factor);
    mpz_mul(value->im, value->im, exact->factor);
    perm_value_scale(value, exact->exponent);
    free(sum);
    return BASE_OK;
}

base_status perm_exact_agrees(base_context *context, const perm_exact *exact, const int64_t *residue,
                              const perm_value *value, bool *agrees) {
    if (exact->problem_count == 0) {
        *agrees = perm_value_is_zero(value);
        return BASE_OK;
    }
    int64_t *sum = base_alloc(context, exact->residue_count, sizeof *sum);
    if (sum == NULL)
        return BASE_MACHINE;
    add_chunks(exact, residue, sum);
    *agrees = true;
    for (int64_t k = 0; k < exact->residue_count; k++) {
        const int64_t prime = exact->prime[k];
        const __int128 factor = mpz_fdiv_ui(exact->factor, (unsigned long)prime);
        *agrees = *agrees && (int64_t)(sum[k] * factor % prime) ==
                                 perm_prime_residue(value, exact->exponent, prime, exact->root[k]);
    }
    free(sum);
    return BASE_OK;
}

base_status perm_exact_permanent(base_context *context, const perm_matrix *matrix, const char *kernel,
                                 perm_value *value) {
    base_status status;
    perm_exact exact = {0};
    int64_t *residue = NULL;
    BASE_TRY(perm_exact_init(context, matrix, kernel, &exact));
    residue = base_alloc(context, exact.chunk_count * exact.residue_count, sizeof *residue);
    if (residue == NULL)
        BASE_TRY(BASE_MACHINE);
    perm_exact_run(context, &exact, 0, exact.chunk_count, residue);
    BASE_TRY(perm_exact_fold(context, &exact, residue, value));
done:
    free(residue);
    perm_exact_free(&exact);
    return status;
}
