/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of minors.h, in chunks, and the minors from them. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/chunks/work.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/minors/minors.h"
#include "perm/subsets/partial.h"
#include "perm/subsets/primes.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What a chunk leaves, without lanes: column j of row i at j n + i. */
typedef struct chunk_sums {
    double *high, *low, *magnitude; /* n^2, n^2, n */
} chunk_sums;

static int64_t count_doubles(int64_t n) {
    return 2 * n * n + n;
}

static chunk_sums find_chunk(double *memory, int64_t n, int64_t chunk) {
    double *high = memory + chunk * count_doubles(n);
    return (chunk_sums){high, high + n * n, high + 2 * n * n};
}

/* The signs of lanes, and in columns 2 to 4 those that they have there. */
static void add_lanes(const perm_minors_sums *sums, int64_t n, chunk_sums chunk) {
    memset(chunk.high, 0, (size_t)count_doubles(n) * sizeof *chunk.high);
    for (int64_t column = 0; column < n; column++) {
        const bool is_lane = column >= PERM_MINORS_INNER && column < PERM_MINORS_FIRST;
        const int64_t from = is_lane ? n - 1 : column;
        for (int64_t row = 0; row < n; row++)
            for (unsigned lane = 0; lane < PERM_MINORS_LANES; lane++) {
                const int64_t at = (from * n + row) * PERM_MINORS_LANES + lane, to = column * n + row;
                double sign = __builtin_parity(lane) ? -1 : 1;
                if (is_lane && !(lane >> (column - PERM_MINORS_INNER) & 1))
                    sign = -sign;
                perm_dense_add(&chunk.high[to], &chunk.low[to], sign * sums->high[at], sign * sums->low[at]);
            }
    }
    for (int64_t at = 0; at < n * PERM_MINORS_LANES; at++)
        chunk.magnitude[at / PERM_MINORS_LANES] += sums->magnitude[at];
}

static void run_chunks(base_context *context, const perm_minors *minors, const perm_minors_problem *problem,
                       double *sums, double *chunks) {
    const int64_t n = problem->sum.n;
    perm_minors_sums thread_sums = {sums, sums + n * n * PERM_MINORS_LANES,
                                    sums + 2 * n * n * PERM_MINORS_LANES};
#pragma omp for schedule(dynamic)
    for (int64_t chunk = 0; chunk < minors->chunk_count; chunk++) {
        if (perm_work_is_stopping(context, NULL))
            continue;
        minors->kernel->run(problem, chunk * minors->chunk_runs, minors->chunk_runs, &thread_sums);
        add_lanes(&thread_sums, n, find_chunk(chunks, n, chunk));
        base_progress_add(context, (INT64_C(1) << (n - 1)) / minors->chunk_count);
    }
}

static base_status run_problem(base_context *context, const perm_minors *minors,
                               const perm_minors_problem *problem, double *chunks) {
    const int64_t n = problem->sum.n, length = count_doubles(n) * PERM_MINORS_LANES;
    const int64_t most = minors->chunk_count < context->threads ? minors->chunk_count : context->threads;
    double *sums = base_alloc_aligned(context, most * length, sizeof *sums);
    if (sums == NULL)
        return BASE_MACHINE;
#pragma omp parallel num_threads(most)
    run_chunks(context, minors, problem, sums + omp_get_thread_num() * length, chunks);
    free(sums);
    return perm_work_pause(context, NULL);
}

/* ---- doubles ---- */

static void set_minor(const perm_minors *minors, double high, double low, double error, int64_t exponent,
                      perm_value *value) {
    const double sign = minors->problem[0].sum.n % 2 == 0 ? -1 : 1;
    perm_value rest;
    perm_value_init(&rest);
    perm_value_set_complex(value, sign * high, 0);
    perm_value_set_complex(&rest, sign * low, 0);
    perm_value_add(value, &rest);
    value->error = perm_bound_from_double(error);
    perm_value_scale(value, exponent);
    perm_value_round(value);
    perm_value_free(&rest);
}

/* The bound of dense/dense.h: 5 more roundings for the lanes and what is of second order; what underflows in
 * a product changes it by as much at most. */
static double bound_error(const perm_minors *minors, int64_t row, double magnitude) {
    const int64_t n = minors->problem[0].sum.n;
    return (perm_minors_roundings(n) + 5) * 0x1p-53 * (1 + 1e-6) * magnitude +
           ldexp(8 * (double)n, (int)n - 1 - 1074) + ldexp(minors->perturbation[row], (int)n - 1);
}

static void fold_doubles(const perm_minors *minors, double *chunks, perm_value *minor) {
    const int64_t n = minors->problem[0].sum.n;
    for (int64_t i = 0; i < minors->n; i++) {
        double magnitude = 0;
        for (int64_t chunk = 0; chunk < minors->chunk_count; chunk++)
            magnitude += find_chunk(chunks, n, chunk).magnitude[i];
        for (int64_t k = 0; k < minors->n; k++) {
            double high = 0, low = 0;
            for (int64_t chunk = 0; chunk < minors->chunk_count; chunk++) {
                const chunk_sums sums = find_chunk(chunks, n, chunk);
                perm_dense_add(&high, &low, sums.high[k * n + i], sums.low[k * n + i]);
            }
            set_minor(minors, high, low, bound_error(minors, i, magnitude),
                      minors->exponent + minors->row_exponent[i] + minors->column_exponent[k],
                      &minor[i * minors->n + k]);
        }
    }
}

/* ---- residues ---- */

/* The sums modulo the prime of problem `number`, without the power of two, at (i n + k) problem_count. */
static void fold_residues(const perm_minors *minors, int64_t number, double *chunks, int64_t *residue) {
    const int64_t n = minors->problem[0].sum.n, prime = minors->prime[number];
    const __int128 half = perm_prime_power_of_two(1 - n, prime);
    for (int64_t i = 0; i < minors->n; i++)
        for (int64_t k = 0; k < minors->n; k++) {
            int64_t sum = 0;
            for (int64_t chunk = 0; chunk < minors->chunk_count; chunk++) {
                const chunk_sums sums = find_chunk(chunks, n, chunk);
                sum = (sum + (int64_t)sums.high[k * n + i]) % prime;
            }
            sum = (int64_t)((n % 2 == 0 ? -sum : sum) * half % prime);
            residue[(i * minors->n + k) * minors->problem_count + number] = sum < 0 ? sum + prime : sum;
        }
}

static void join_residues(const perm_minors *minors, int64_t *residue, perm_value *minor) {
    for (int64_t i = 0; i < minors->n; i++)
        for (int64_t k = 0; k < minors->n; k++) {
            perm_value *value = &minor[i * minors->n + k];
            perm_prime_join_parts(residue + (i * minors->n + k) * minors->problem_count, minors->prime,
                                  minors->is_complex ? minors->root : NULL, minors->problem_count, value);
            perm_value_scale(value, minors->exponent + minors->row_exponent[i] + minors->column_exponent[k]);
        }
}

base_status perm_minors_run(base_context *context, const perm_minors *minors, perm_value *minor) {
    base_status status = BASE_MACHINE;
    const int64_t n = minors->problem[0].sum.n;
    int64_t *residue = NULL;
    double *chunks = base_alloc(context, minors->chunk_count * count_doubles(n), sizeof *chunks);
    if (chunks == NULL)
        goto done;
    if (minors->prime != NULL) {
        residue = base_alloc(context, minors->n * minors->n * minors->problem_count, sizeof *residue);
        if (residue == NULL)
            goto done;
    }
    base_progress_start(context, minors->kernel->name, ldexp((double)minors->problem_count, (int)n - 1),
                        "subsets");
    for (int64_t k = 0; k < minors->problem_count; k++) {
        BASE_TRY(run_problem(context, minors, &minors->problem[k], chunks));
        if (residue != NULL)
            fold_residues(minors, k, chunks, residue);
    }
    base_progress_finish(context);
    if (residue != NULL)
        join_residues(minors, residue, minor);
    else
        fold_doubles(minors, chunks, minor);
    status = BASE_OK;
done:
    free(residue);
    free(chunks);
    return status;
}
