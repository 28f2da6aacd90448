/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/error_sampler.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "perm/dense/dense.h"
#include "perm/doubledouble/doubledouble.h"
#include "perm/matrix/dense_matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of the smallest sample, and pieces that larger ones consist of at most. */
enum { LEAST_BLOCKS = 64, MOST_CLUSTERS = 1024, LOG2_MOST_BLOCKS = 20 };

/* Standard errors. */
static const double confidence = 6;

static const double share_of_time = 0.05;

/* Seconds of an AVX-512 core for a (row, subset) pair of both sums. */
static const double real_price = 3.2e-10, complex_price = 1.75e-9;

/* Low parts of entries are multiples of 2^-47 units of the grid, so that their row sums are exact. */
enum { LOW_BITS = 47 };

/* What the outer sum of a kernel leaves, over the sum of |product|: terms in u^2, at most 2^16 of them. */
static const double outer_relative_error = 0x1p-84;

/* What a cluster adds to the sample. */
typedef struct cluster {
    double error[2];      /* what dense/dense.h's sum has too much */
    double lanes_squared; /* the sum of |error|^2 of its lanes */
    double magnitude, magnitudes_squared;
} cluster;

typedef struct sampler {
    perm_dense dense;
    perm_dense_problem fine; /* the same matrix with all its digits */
    double *fine_tables;
    const perm_dd_kernel *kernel;
    double perturbation; /* bound of what is left out of `fine` */
    int64_t blocks, clusters, length;
} sampler;

static bool is_nonnegative(const perm_dense_matrix *matrix) {
    for (int64_t at = 0; at < matrix->n * matrix->n && !matrix->is_complex; at++)
        if (matrix->entries[at] < 0)
            return false;
    return !matrix->is_complex;
}

/* A part of entry (i, j) in units of the grid, from either array of numbers; 0 in the padding. */
static double unit_part(const perm_dense_matrix *matrix, const perm_dense_grid *grid, const double *numbers,
                        int part, int64_t i, int64_t j) {
    const int64_t n = matrix->n, at = j * n + i, limit = 10000;
    if (numbers == NULL || i >= n || j >= n)
        return 0;
    int64_t exponent = grid->row_exponent[i] + grid->column_exponent[j] + PERM_DENSE_GRID_BITS +
                       (matrix->exponents != NULL ? matrix->exponents[at] : 0);
    exponent = exponent < -limit ? -limit : exponent > limit ? limit : exponent;
    return ldexp(numbers[matrix->is_complex ? 2 * at + part : at], (int)exponent);
}

/* What the grid has left out of the entries, in its units, as the parts 2 p + 1 of `value`; the parts 2 p are
 * those of the grid. grid->change becomes what is left out still. */
static void split_entries(const perm_dense_matrix *matrix, perm_dense_grid *grid, double *value) {
    const int64_t n = grid->n;
    memset(grid->change, 0, (size_t)(n * n) * sizeof *grid->change);
    for (int part = 0; part <= grid->is_complex; part++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                const double high = grid->value[(part * n + j) * n + i],
                             exact = unit_part(matrix, grid, matrix->entries, part, i, j),
                             rest = unit_part(matrix, grid, matrix->rest, part, i, j);
                const bool is_padding = i >= matrix->n || j >= matrix->n;
                const double low = is_padding ? 0 : (exact - high) + rest;
                const double kept = ldexp(rint(ldexp(low, LOW_BITS)), -LOW_BITS);
                value[(2 * part * n + j) * n + i] = high;
                value[((2 * part + 1) * n + j) * n + i] = kept;
                grid->change[j * n + i] += fabs(low - kept) + fabs(rest) * 0x1p-50;
                if (!is_padding && fabs(exact) < DBL_MIN)
                    grid->change[j * n + i] += DBL_MIN;
            }
}

static const perm_dd_kernel *fastest(const perm_dense_problem *problem, unsigned features) {
    const perm_dd_kernel *best = &perm_dd_ref;
    for (const perm_dd_kernel *const *entry = perm_dd_kernels(); *entry != NULL; entry++) {
        const double seconds = (*entry)->fits(problem, features);
        if (seconds > 0 && seconds < best->fits(problem, features))
            best = *entry;
    }
    return best;
}

/* The problem with all digits, on the scale of the other one. */
static base_status make_fine(base_context *context, const perm_dense_matrix *matrix, sampler *sampler) {
    base_status status;
    perm_dense_matrix padded;
    perm_dense_grid grid = {0};
    double *entries = NULL, *value = NULL;
    int64_t *exponents = NULL;
    BASE_TRY(
        perm_dense_matrix_pad(context, matrix, PERM_DENSE_SMALLEST, false, &padded, &entries, &exponents));
    BASE_TRY(perm_dense_grid_init(context, &padded, &grid));
    const int64_t n = grid.n;
    value = base_alloc(context, 4 * n * n, sizeof *value);
    if (value == NULL)
        BASE_TRY(BASE_MACHINE);
    split_entries(matrix, &grid, value);
    sampler->perturbation = ldexp(perm_dense_grid_perturbation(&grid), (int)n - 1);
    free(grid.value);
    grid.value = value;
    grid.has_low = true;
    value = NULL;
    BASE_TRY(perm_dense_grid_tables(context, &grid, &sampler->fine_tables, &sampler->fine));
    sampler->kernel = fastest(&sampler->fine, base_cpu_features());
done:
    perm_dense_grid_free(&grid);
    free(value);
    free(entries);
    free(exponents);
    return status;
}

/* ---- the sample ---- */

static double block_seconds(const perm_dense_problem *problem) {
    return (problem->is_complex ? complex_price : real_price) * (double)problem->n *
           (1 << PERM_DENSE_LOG2_SUBSETS);
}

/* All blocks where there are few; else a power of two of them, in pieces of equal length. */
static void choose_size(double seconds, sampler *sampler) {
    const perm_dense_problem *problem = &sampler->dense.problem;
    const double allowed = fmin(share_of_time * seconds, PERM_ERROR_SAMPLE_SECONDS) / block_seconds(problem);
    const int64_t all = INT64_C(1) << (problem->n - 1 - PERM_DENSE_LOG2_SUBSETS),
                  most = all < (INT64_C(1) << LOG2_MOST_BLOCKS) ? all : INT64_C(1) << LOG2_MOST_BLOCKS;
    sampler->blocks = all < LEAST_BLOCKS ? all : LEAST_BLOCKS;
    /* Powers of two, so that strata have equal sizes. */
    while (2 * sampler->blocks <= most && 2 * (double)sampler->blocks <= allowed)
        sampler->blocks *= 2;
    sampler->clusters = sampler->blocks < MOST_CLUSTERS ? sampler->blocks : MOST_CLUSTERS;
    sampler->length = sampler->blocks / sampler->clusters;
}

/* The first block of a cluster: one of those in its stratum. */
static int64_t draw_block(const sampler *sampler, int64_t number) {
    const int64_t all = INT64_C(1) << (sampler->dense.problem.n - 1 - PERM_DENSE_LOG2_SUBSETS),
                  stratum = all / sampler->clusters;
    base_random random;
    base_random_init(&random, (uint64_t)sampler->dense.problem.n, (uint64_t)number);
    const int64_t place = (int64_t)base_random_below(&random, (uint64_t)(stratum / sampler->length));
    return number * stratum + place * sampler->length;
}

static void compute_cluster(const sampler *sampler, int64_t number, cluster *cluster) {
    perm_dense_sums sums;
    perm_dd_sums fine;
    const int64_t first = draw_block(sampler, number);
    sampler->dense.kernel->run(&sampler->dense.problem, first, sampler->length, &sums);
    sampler->kernel->run(&sampler->fine, first, sampler->length, &fine);
    memset(cluster, 0, sizeof *cluster);
    for (unsigned lane = 0; lane < PERM_DENSE_LANES; lane++) {
        for (int part = 0; part <= sampler->fine.is_complex; part++) {
            /* The large parts are close to each other and cancel first. */
            const double error = (sums.high[part][lane] - fine.high[part][lane]) +
                                 (sums.low[part][lane] - fine.middle[part][lane]) - fine.low[part][lane];
            cluster->error[part] += __builtin_parity(lane) ? -error : error;
            cluster->lanes_squared += error * error;
        }
        cluster->magnitude += sums.magnitude[lane];
        cluster->magnitudes_squared += sums.magnitude[lane] * sums.magnitude[lane];
    }
}

/* In order, as the sum must not depend on threads. */
static cluster add_clusters(const cluster *clusters, int64_t count, double *squared) {
    cluster sum = {.magnitude = 0};
    *squared = 0;
    for (int64_t k = 0; k < count; k++) {
        for (int part = 0; part < 2; part++) {
            sum.error[part] += clusters[k].error[part];
            *squared += clusters[k].error[part] * clusters[k].error[part];
        }
        sum.lanes_squared += clusters[k].lanes_squared;
        sum.magnitude += clusters[k].magnitude;
        sum.magnitudes_squared += clusters[k].magnitudes_squared;
    }
    return sum;
}

static perm_bound scaled(double number, int64_t exponent) {
    perm_bound bound = perm_bound_from_double(number);
    bound.exponent += bound.mantissa != 0 ? exponent : 0;
    return bound;
}

/* From the sums over the sample. The lanes of a cluster are pieces, too, where their errors are independent.
 */
static void conclude(const sampler *sampler, const cluster *sum, double squared, perm_error_sample *sample) {
    const perm_dense *dense = &sampler->dense;
    const int n = (int)dense->problem.n;
    const double share = ldexp((double)sampler->blocks, PERM_DENSE_LOG2_SUBSETS + 1 - n),
                 drawn = hypot(sum->error[0], sum->error[1]) +
                         confidence * sqrt(fmax(squared, sum->lanes_squared)),
                 left = sum->magnitude *
                        (perm_dd_relative_error(n, dense->problem.is_complex) + outer_relative_error),
                 absolute_error = ldexp(64.0 * n, n - 1 - 1074) + sampler->perturbation;
    double relative_error;
    perm_dense_error(dense, &relative_error, &(double){0});
    if (!isfinite(drawn) || sum->magnitude == 0)
        return;
    /* The estimate of the header, |sum E_c| + 6 sqrt(sum |E_c|^2), what the double-double sums may be off
     * themselves, and, not sampled, underflow and what is left out of the entries. */
    *sample = (perm_error_sample){
        scaled((drawn + left) / share + absolute_error, dense->exponent),
        scaled(relative_error * sqrt(sum->magnitudes_squared) / share, dense->exponent),
        scaled(sum->magnitude / share, dense->exponent), relative_error, sample->is_other};
}

/* Whether a kernel's roundings are those of the sample: dense/dense.h's have the same bits on all processors,
 * but for the portable one, which may have no fma. */
static bool rounds_alike(const char *kernel) {
    for (const perm_dense_kernel *const *entry = perm_dense_kernels(); *entry != NULL; entry++)
        if (strcmp((*entry)->name, kernel) == 0)
            return *entry != &perm_dense_portable;
    return false;
}

base_status perm_error_sample_take(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                   double seconds, perm_error_sample *sample) {
    base_status status;
    sampler sampler = {.blocks = 0};
    cluster *clusters = NULL;
    double squared;
    *sample = (perm_error_sample){.is_other = !rounds_alike(kernel)};
    if (is_nonnegative(matrix) || (matrix->error != 0 && matrix->rest == NULL))
        return BASE_OK;
    BASE_TRY(perm_dense_init(context, matrix, NULL, &sampler.dense));
    if (sampler.dense.is_exact)
        goto done;
    BASE_TRY(make_fine(context, matrix, &sampler));
    choose_size(seconds, &sampler);
    clusters = base_alloc(context, sampler.clusters, sizeof *clusters);
    if (clusters == NULL)
        BASE_TRY(BASE_MACHINE);
#pragma omp parallel for schedule(dynamic, 8) num_threads(context->threads) if (sampler.blocks > LEAST_BLOCKS)
    for (int64_t k = 0; k < sampler.clusters; k++)
        compute_cluster(&sampler, k, &clusters[k]);
    const cluster sum = add_clusters(clusters, sampler.clusters, &squared);
    conclude(&sampler, &sum, squared, sample);
done:
    perm_dense_free(&sampler.dense);
    free(sampler.fine_tables);
    free(clusters);
    return status;
}
