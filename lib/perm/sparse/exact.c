/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/exact.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/subsets/primes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2_PRIME = 49, LOG2_ENTRY = 34 };

static bool fits(const perm_matrix *matrix) {
    const perm_matrix_traits traits = perm_matrix_look(matrix);
    if (!traits.integer || traits.complex || matrix->n > PERM_SPARSE_LARGEST)
        return false;
    for (int64_t e = 0; e < matrix->nnz; e++)
        if (perm_value_log2(&matrix->entry[e]) > LOG2_ENTRY - 1)
            return false;
    return true;
}

static base_status find_primes(base_context *context, const perm_matrix *matrix, bool check,
                               perm_sparse_exact *exact) {
    base_status status;
    double bits;
    int64_t last = INT64_C(1) << LOG2_PRIME;
    BASE_TRY(perm_matrix_bound_log2(context, matrix, &bits));
    const int64_t count = (int64_t)ceil((fmax(bits, 0) + 2) / LOG2_PRIME);
    exact->prime_count = check ? 1 : count;
    exact->prime = base_alloc(context, exact->prime_count, sizeof *exact->prime);
    if (exact->prime == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < count + check; k++) {
        last = perm_prime_next(last, 1, false);
        exact->prime[check ? 0 : k] = last;
    }
done:
    return status;
}

base_status perm_sparse_exact_init(base_context *context, const perm_matrix *matrix, const char *kernel,
                                   bool check, const perm_sparse_plan *plan, perm_sparse_exact *exact) {
    base_status status;
    perm_dense_matrix entries = {.n = 0};
    memset(exact, 0, sizeof *exact);
    if (!fits(matrix)) {
        BASE_TRY(base_fail(context, BASE_FAILED, "tables of integers take n up to %d and entries up to 2^%d",
                           PERM_SPARSE_LARGEST, LOG2_ENTRY));
    }
    BASE_TRY(find_primes(context, matrix, check, exact));
    BASE_TRY(perm_dense_matrix_init(context, matrix, &entries));
    BASE_TRY(perm_sparse_init_modular(context, &entries, kernel, exact->prime[0], plan, &exact->sparse));
    exact->seconds = exact->sparse.seconds * (double)exact->prime_count;
done:
    perm_dense_matrix_free(&entries);
    if (status != BASE_OK)
        perm_sparse_exact_free(exact);
    return status;
}

void perm_sparse_exact_free(perm_sparse_exact *exact) {
    if (exact == NULL)
        return;
    perm_sparse_free(&exact->sparse);
    free(exact->prime);
    memset(exact, 0, sizeof *exact);
}

base_status perm_sparse_exact_run(base_context *context, const perm_sparse_exact *exact, int64_t chunk,
                                  int64_t *residue) {
    const perm_sparse *sparse = &exact->sparse;
    const int64_t first = chunk * sparse->chunk_runs;
    double *work = base_alloc_aligned(context, sparse->problem.places * PERM_SPARSE_LANES, sizeof *work);
    if (work == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < exact->prime_count; k++) {
        perm_sparse_problem problem = sparse->problem;
        problem.prime = exact->prime[k];
        residue[k] = 0;
        for (int64_t run = first; run < first + sparse->chunk_runs; run += PERM_SPARSE_LANES) {
            perm_sparse_sums sums;
            sparse->kernel->run(&problem, run, work, &sums);
            for (int lane = 0; lane < PERM_SPARSE_LANES; lane++) {
                const int64_t sum = (int64_t)sums.high[0][lane];
                residue[k] += __builtin_parityll((unsigned long long)(run + lane)) ? -sum : sum;
            }
            residue[k] %= problem.prime;
        }
        residue[k] += residue[k] < 0 ? problem.prime : 0;
    }
    base_progress_add(context, (int64_t)sparse->chunk_subsets);
    free(work);
    return BASE_OK;
}

void perm_sparse_exact_value(const perm_sparse_exact *exact, int64_t *residue, perm_value *value) {
    const int64_t n = exact->sparse.problem.n;
    for (int64_t k = 0; k < exact->prime_count; k++) {
        const int64_t prime = exact->prime[k];
        const __int128 half = perm_prime_power_of_two(1 - n, prime);
        residue[k] = (int64_t)((n % 2 == 0 ? prime - residue[k] : residue[k]) * half % prime);
    }
    perm_prime_join_parts(residue, exact->prime, NULL, exact->prime_count, value);
}
