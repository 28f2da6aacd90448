#include "perm/sparse_plan.h"

#include <math.h>
#include <string.h>

/* 320 kB, 8 lanes of each, stay in the second-level cache; the rate is a tenth below that of the first
 * level's 640 entries, with a quarter to two thirds fewer operations. Starting an instruction takes as long
 * as 6 operations. A run of 2^8 blocks starts at a cost below 1 %; a chunk takes about two milliseconds. */
const perm_sparse_device perm_sparse_device_cpu = {
    .entries = 5000,
    .operations = 200000,
    .most_sliced = PERM_SPARSE_MOST_SLICED,
    .instruction_cost = 6,
    .block_cost = 16,
    .log2_lanes = PERM_SPARSE_LOG2_LANES,
    .log2_runs = PERM_SPARSE_LOG2_LANES,
    .most_middle = 8,
    .chunk_operations = 0x1p25,
};

/* Values take two registers each of the 255. The code has no loops; so much of it compiles in about a second.
 * Some 2^17 threads are computed at a time. */
const perm_sparse_device perm_sparse_device_gpu = {
    .entries = 192,
    .operations = 2000,
    .most_sliced = PERM_SPARSE_MOST_SLICED,
    .block_cost = 24,
    .log2_lanes = PERM_SPARSE_LOG2_LANES,
    .log2_runs = 20,
    .least_middle = 4,
    .most_middle = 12,
    .chunk_operations = 0x1p36,
};

void perm_sparse_pattern_of(const perm_dense_matrix *matrix, bool is_transposed,
                            perm_sparse_pattern *pattern) {
    const int n = (int)matrix->n, parts = matrix->is_complex ? 2 : 1;
    memset(pattern, 0, sizeof *pattern);
    pattern->n = n;
    for (int at = 0; at < n * n * parts; at++)
        if (matrix->entries[at] != 0) {
            const int i = at / parts % n, j = at / parts / n;
            pattern->row[is_transposed ? j : i] |= UINT64_C(1) << (is_transposed ? i : j);
            pattern->column[is_transposed ? i : j] |= UINT64_C(1) << (is_transposed ? j : i);
        }
}

static void search_both(const perm_dense_matrix *matrix, const perm_sparse_device *device, int64_t moves,
                        uint64_t seed, perm_sparse_plan *plan) {
    for (int transposed = 0; transposed < 2; transposed++) {
        perm_sparse_pattern pattern;
        perm_sparse_order order;
        perm_sparse_pattern_of(matrix, transposed, &pattern);
        const double price = perm_sparse_search(&pattern, device, moves, seed, &order);
        if (price < plan->price)
            *plan = (perm_sparse_plan){transposed, order, price};
    }
}

/* A short search tells how long a longer one may take: a tenth of the sum itself, at 10 microseconds a move
 * and 10 operations a nanosecond. */
void perm_sparse_plan_make(base_context *context, const perm_dense_matrix *matrix,
                           const perm_sparse_device *device, perm_sparse_plan *plan) {
    const double few = 8, most = 1000;
    memset(plan, 0, sizeof *plan);
    plan->price = INFINITY;
    search_both(matrix, device, (int64_t)few, context->seed, plan);
    const double moves = fmin(plan->price / 4e7, most);
    if (moves > few)
        search_both(matrix, device, (int64_t)moves, context->seed, plan);
}
