/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/program.h"

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
    .rate = 1e10,
};

/* A core and its caches, where sums over tables do not pay; a run of 2^16 subsets. */
static const perm_sparse_device without_tables = {
    .entries = 5000,
    .operations = 200000,
    .block_cost = 16,
    .log2_lanes = PERM_SPARSE_LOG2_LANES,
    .log2_runs = PERM_SPARSE_LOG2_LANES,
    .most_middle = 12,
    .chunk_operations = 0x1p25,
    .rate = 1e10,
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
    .rate = 1e13,
};

/* Of a matrix, or of its transpose. */
static void pattern_of(const perm_dense_matrix *matrix, bool is_transposed, perm_sparse_pattern *pattern) {
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

/* A search for each, on two threads where there are two; the same plan on one. */
static base_status search_both(base_context *context, const perm_dense_matrix *matrix,
                               const perm_sparse_device *device, int64_t moves, perm_sparse_plan *plan) {
    perm_sparse_order order[2];
    double price[2];
#pragma omp parallel for num_threads(context->threads > 1 ? 2 : 1)
    for (int transposed = 0; transposed < 2; transposed++) {
        perm_sparse_pattern pattern;
        pattern_of(matrix, transposed, &pattern);
        price[transposed] = perm_sparse_search(context, &pattern, device, moves, &order[transposed]);
    }
    if (price[0] < 0 || price[1] < 0)
        return base_fail(context, BASE_STOPPED,
                         "stopped: the search for an order takes longer than is allowed (--max-time)");
    for (int transposed = 0; transposed < 2; transposed++)
        if (price[transposed] < plan->price)
            *plan = (perm_sparse_plan){transposed, order[transposed], price[transposed], device};
    return BASE_OK;
}

enum { FEW_MOVES = 8, MOST_MOVES = 1000 };

base_status perm_sparse_plan_guess(base_context *context, const perm_dense_matrix *matrix,
                                   const perm_sparse_device *device, perm_sparse_plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->price = INFINITY;
    plan->device = device;
    return search_both(context, matrix, device, FEW_MOVES, plan);
}

/* The short search tells how long a longer one may take: a tenth of the sum itself, at 10 microseconds a move
 * for each of some 40 numbers of low columns. */
base_status perm_sparse_plan_make(base_context *context, const perm_dense_matrix *matrix,
                                  const perm_sparse_device *device, perm_sparse_plan *plan) {
    base_status status;
    BASE_TRY(perm_sparse_plan_guess(context, matrix, device, plan));
    const double moves = fmin(plan->price / device->rate / 4e-3, MOST_MOVES);
    if (moves > FEW_MOVES)
        BASE_TRY(search_both(context, matrix, device, (int64_t)moves, plan));
done:
    return status;
}

/* The price of a subset: rows whose product is made anew, and entries of flipped columns. */
static double order_columns(const perm_sparse_pattern *pattern, perm_sparse_order *order) {
    uint64_t touched = 0;
    double price = 0, share = 1;
    memset(order, 0, sizeof *order);
    for (int j = 0; j < pattern->n; j++)
        order->column[j] = (uint8_t)j;
    for (int j = 0; j < pattern->n; j++, share /= 2) {
        int best = j, least = 64;
        for (int k = j; k < pattern->n; k++) {
            const int rows = __builtin_popcountll(pattern->column[order->column[k]] & ~touched);
            if (rows < least) {
                least = rows;
                best = k;
            }
        }
        const uint8_t column = order->column[best];
        order->column[best] = order->column[j];
        order->column[j] = column;
        touched |= pattern->column[column];
        price += share * least + share / 2 * __builtin_popcountll(pattern->column[column]);
    }
    return price;
}

void perm_sparse_plan_gray(const perm_dense_matrix *matrix, perm_sparse_plan *plan) {
    const int most_low = 4, outside = 1 + PERM_SPARSE_LOG2_LANES;
    memset(plan, 0, sizeof *plan);
    plan->price = INFINITY;
    plan->device = &without_tables;
    for (int transposed = 0; transposed < 2; transposed++) {
        perm_sparse_pattern pattern;
        perm_sparse_order order;
        pattern_of(matrix, transposed, &pattern);
        const double price = ldexp(order_columns(&pattern, &order), pattern.n - 1);
        order.low = pattern.n - outside < most_low ? pattern.n - outside : most_low;
        if (price < plan->price)
            *plan = (perm_sparse_plan){transposed, order, price, &without_tables};
    }
}
