#include "perm/exact_device.h"
#include "base/memory.h"
#include "perm/exact_gpu.h"
#include "perm/gray_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_exact_gpu_fatbin;

bool perm_exact_device_is_built(void) {
    return perm_exact_gpu_fatbin.image != NULL;
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

base_status perm_exact_device_sum(base_context *context, const perm_exact *exact, int64_t number,
                                  perm_device_sum *sum) {
    static const char *const kernels[] = {"exact_gpu_1", "exact_gpu_2", "exact_gpu_3", "exact_gpu_4"};
    const perm_exact_problem *problem = exact->problem;
    for (; number >= count_sums(problem); problem++)
        number -= count_sums(problem);
    const int64_t first = number * EXACT_GPU_PRIMES, rest = problem->prime_count - first,
                  primes = rest < EXACT_GPU_PRIMES ? rest : EXACT_GPU_PRIMES,
                  rows = problem->group_end[problem->group_count - 1];
    *sum = (perm_device_sum){.fatbin = &perm_exact_gpu_fatbin,
                             .kernel = kernels[primes - 1],
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
    perm_device_sum_shape(sum, exact->chunk_count, EXACT_GPU_INNER, GRAY_GPU_MOST_STEPS);
    sum->shared_bytes = rows * (GRAY_GPU_THREADS + EXACT_GPU_INNER + sum->steps) * (int64_t)sizeof(double);
    perm_device_sum_plan(sum, exact->chunk_count, 1, PERM_EXACT_DEVICE_LOG2_LAUNCH);
    return fill_columns(context, problem, first, primes, sum);
}

/* 80 % of what the FP64 units allow. */
double perm_exact_device_seconds(const perm_exact *exact, double rate) {
    double operations = 0;
    for (int64_t k = 0; k < exact->problem_count; k++) {
        const perm_exact_problem *problem = &exact->problem[k];
        const double rows = (double)problem->group_end[problem->group_count - 1],
                     factors = (double)(problem->group_count - 1) * 6 + (problem->reduce ? 4 : 1);
        operations += 2 * rows * (double)count_sums(problem) + factors * (double)problem->prime_count;
    }
    return operations * exact->chunk_subsets * (double)exact->chunk_count / (0.8 * rate);
}

base_status perm_exact_device_run(base_context *context, base_devices *devices, const perm_exact *exact,
                                  int64_t first, int64_t count, int64_t *residue) {
    base_status status = BASE_OK;
    perm_device_sum sum = {.n = 0};
    for (int64_t k = 0; k < perm_exact_device_count(exact); k++) {
        BASE_TRY(perm_exact_device_sum(context, exact, k, &sum));
        perm_device_sum_plan(&sum, count, base_devices_count(devices), PERM_EXACT_DEVICE_LOG2_LAUNCH);
        BASE_TRY(perm_device_sum_run(context, devices, &sum, first, count, residue));
        perm_device_sum_free(&sum);
    }
done:
    perm_device_sum_free(&sum);
    return status;
}
