/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/exact/device.h"
#include "base/core/memory.h"
#include "perm/common/gray_gpu.h"
#include "perm/exact/gpu.h"
#include "perm/exact/sieve_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_exact_gpu_fatbin;

bool perm_exact_device_is_built(void) {
    return base_device_has_code(&perm_exact_gpu_fatbin);
}

static int64_t count_sums(const perm_exact_problem *problem) {
    return (problem->prime_count + EXACT_GPU_PRIMES - 1) / EXACT_GPU_PRIMES;
}

int64_t perm_exact_device_count(const perm_exact *exact) {
    int64_t count = 0;
    for (int64_t k = 0; k < exact->problem_count; k++)
        count += count_sums(&exact->problem[k]);
    return count;
}

static void add_sums(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    const int64_t *block = sums, *prime = sum->data, primes = sum->sum_bytes / (int64_t)sizeof *block;
    int64_t *residue = total;
    /* A block's sum lies between -prime and prime, so one correction brings the total back to 0 … prime - 1.
     */
    for (int64_t at = 0; at < count * primes; at++) {
        const int64_t p = at % primes, value = residue[p] + block[at];
        residue[p] = value < 0 ? value + prime[p] : value >= prime[p] ? value - prime[p] : value;
    }
}

static base_status fill_columns(base_context *context, const perm_exact_problem *problem, int64_t first,
                                int64_t primes, perm_device_sum *sum) {
    const int64_t n = problem->sum.n;
    const size_t column_bytes = (size_t)n * sizeof(double);
    exact_gpu_tables tables = {.group_count = (int)problem->group_count, .reduce = problem->reduce};
    for (int64_t g = 0; g < problem->group_count; g++)
        tables.group_end[g] = (int)problem->group_end[g];
    for (int64_t p = 0; p < primes; p++)
        tables.prime[p] = (double)problem->prime[first + p];
    sum->column_bytes = (int64_t)(sizeof tables + (size_t)n * column_bytes);
    char *bytes = sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (bytes == NULL)
        return BASE_MACHINE;
    memcpy(bytes, &tables, sizeof tables);
    memcpy(bytes + sizeof tables, problem->sum.start, column_bytes);
    memcpy(bytes + sizeof tables + column_bytes, problem->sum.up, (size_t)(n - 1) * column_bytes);
    return BASE_OK;
}

/* The tables of the kernels that skip: four rows to a word, each as a byte x + 128 (sieve_gpu.h). Rows behind
 * the last one are 129, x = 1, which is never 0. */
static base_status fill_words(base_context *context, const perm_exact_problem *problem, int64_t first,
                              int64_t primes, perm_device_sum *sum) {
    const int64_t n = problem->sum.n, rows = problem->group_end[problem->group_count - 1];
    sieve_gpu_tables *tables = base_alloc_zero(context, 1, sizeof *tables);
    sum->columns = tables;
    sum->column_bytes = sizeof *tables;
    if (tables == NULL)
        return BASE_MACHINE;
    tables->group_count = (int)problem->group_count;
    tables->words = (int)((rows + 7) / 8 * 2);
    for (int64_t g = 0; g < problem->group_count; g++)
        tables->group_end[g] = (int)problem->group_end[g];
    for (int64_t p = 0; p < primes; p++)
        tables->prime[p] = (double)problem->prime[first + p];
    for (int64_t row = 0; row < 4 * SIEVE_GPU_WORDS; row++) {
        const int64_t x = row < rows ? (int64_t)problem->sum.start[row] : 1;
        tables->start[row / 4] += (unsigned)(x + 128) << row % 4 * 8;
        for (int64_t j = 0; j < n - 1 && row < rows; j++)
            tables->up[j][row / 4] += (unsigned)(int64_t)problem->sum.up[j * n + row] << row % 4 * 8;
    }
    return BASE_OK;
}

bool perm_exact_device_can_skip(const perm_exact *exact) {
    return exact->problem_count > 0 && exact->problem[0].is_small && !exact->problem[0].reduce &&
           exact->problem[0].zeros > 0;
}

base_status perm_exact_device_sum(base_context *context, const perm_exact *exact, int64_t number, bool skip,
                                  perm_device_sum *sum) {
    static const char *const kernels[2][EXACT_GPU_PRIMES] = {
        {"exact_gpu_1", "exact_gpu_2", "exact_gpu_3", "exact_gpu_4"},
        {"sieve_gpu_1", "sieve_gpu_2", "sieve_gpu_3", "sieve_gpu_4"}};
    const perm_exact_problem *problem = exact->problem;
    for (; number >= count_sums(problem); problem++)
        number -= count_sums(problem);
    const int64_t first = number * EXACT_GPU_PRIMES, rest = problem->prime_count - first,
                  primes = rest < EXACT_GPU_PRIMES ? rest : EXACT_GPU_PRIMES,
                  rows = problem->group_end[problem->group_count - 1];
    *sum = (perm_device_sum){.fatbin = &perm_exact_gpu_fatbin,
                             .kernel = kernels[skip][primes - 1],
                             .n = (int)problem->sum.n,
                             .block_threads = GRAY_GPU_THREADS,
                             .sum_bytes = primes * (int64_t)sizeof(int64_t),
                             .partial_bytes = primes * (int64_t)sizeof(int64_t),
                             .partial_offset =
                                 (problem->prime - exact->prime + first) * (int64_t)sizeof(int64_t),
                             .partial_stride = exact->residue_count * (int64_t)sizeof(int64_t),
                             .chunk_subsets = exact->chunk_subsets,
                             .add = add_sums,
                             .data = problem->prime + first};
    perm_device_sum_configure(sum, exact->chunk_count, skip ? SIEVE_GPU_INNER : EXACT_GPU_INNER,
                              GRAY_GPU_MOST_STEPS);
    sum->shared_bytes =
        skip ? (SIEVE_GPU_INNER + sum->steps) * SIEVE_GPU_WORDS * 4 +
                   GRAY_GPU_THREADS / 32 * SIEVE_GPU_QUEUE * (SIEVE_GPU_WORDS + 1) * 4
             : rows * (GRAY_GPU_THREADS + EXACT_GPU_INNER + sum->steps) * (int64_t)sizeof(double);
    perm_device_sum_plan(sum, exact->chunk_count, 1, PERM_EXACT_DEVICE_LOG2_LAUNCH);
    return (skip ? fill_words : fill_columns)(context, problem, first, primes, sum);
}

/* Operations of the kernels that skip for a subset that is left: its bytes become doubles, at a quarter of
 * the rate, and few lanes idle. */
static double count_left(const perm_exact_problem *problem, double rows, double factors) {
    return (1 - problem->zeros) * (6 * rows + factors * (double)problem->prime_count + 60);
}

/* 80 % of what the FP64 units allow; as many integer instructions, 4 for 4 rows and a dozen. */
double perm_exact_device_seconds(const perm_exact *exact, bool skip, double rate) {
    double operations = 0;
    for (int64_t k = 0; k < exact->problem_count; k++) {
        const perm_exact_problem *problem = &exact->problem[k];
        const double rows = (double)problem->group_end[problem->group_count - 1],
                     factors = (double)(problem->group_count - 1) * 6 + (problem->reduce ? 4 : 1);
        operations += skip ? (rows + 12) * (double)count_sums(problem) + count_left(problem, rows, factors)
                           : 2 * rows * (double)count_sums(problem) + factors * (double)problem->prime_count;
    }
    return operations * exact->chunk_subsets * (double)exact->chunk_count / (0.8 * rate);
}

base_status perm_exact_device_run(base_context *context, base_devices *devices, const perm_exact *exact,
                                  int64_t first, int64_t count, bool skip, int64_t *residue) {
    base_status status = BASE_OK;
    perm_device_sum sum = {.n = 0};
    for (int64_t k = 0; k < perm_exact_device_count(exact); k++) {
        BASE_TRY(perm_exact_device_sum(context, exact, k, skip, &sum));
        perm_device_sum_plan(&sum, count, base_devices_count(devices), PERM_EXACT_DEVICE_LOG2_LAUNCH);
        BASE_TRY(perm_device_sum_run(context, devices, &sum, first, count, residue));
        perm_device_sum_free(&sum);
    }
done:
    perm_device_sum_free(&sum);
    return status;
}
