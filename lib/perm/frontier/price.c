/* Prices of dynamic programming over a frontier (frontier.h). */
#include "perm/plan/price.h"
#include "base/core/memory.h"
#include "perm/exact/exact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Word operations that take about ten milliseconds: with so few, all numbers are computed exactly, so that
 * their doubles are the nearest ones. */
static const double exact_at_once = 1e7;

/* Nanoseconds, measured on one core: for an entry and a state that is not alone among its neighbours; to
 * touch a byte of the tables for the first time. */
static const double entry_price = 3, byte_price = 0.5;

/* Nanoseconds for a transition, and to write and read a state, with values of `units` of 8 bytes. */
typedef struct price {
    double transition, state;
} price;

static price price_value(const perm_matrix *matrix, perm_arithmetic arithmetic, double units) {
    const bool is_complex = perm_matrix_look(matrix).complex;
    if (arithmetic == PERM_QUAD) /* a product of complex numbers and their sizes takes five */
        return (price){(is_complex ? 5.2 : units / 2) * 42, 5 * units};
    if (arithmetic == PERM_DOUBLE || units <= 2)
        return (price){2.3 + 0.6 * units, 5.2 * units};
    return (price){3 + units * (is_complex ? 1.5 : 1), 3 * units};
}

/* Where few of the sets that could be are states, each of these is looked for alone among the entries. */
static double price_search(const perm_schedule *schedule) {
    const double reached = schedule->expected.states / schedule->bound.states;
    const double alone = 1 / fmax(1, 10 * reached) - 0.1;
    return entry_price * (double)schedule->nnz / (double)schedule->n * fmax(alone, 0);
}

static double price_run(const perm_matrix *matrix, const perm_schedule *schedule, perm_arithmetic arithmetic,
                        int64_t value_bytes, double table_bytes) {
    const price price = price_value(matrix, arithmetic, (double)value_bytes / 8);
    return 1e-6 * (double)matrix->n +
           1e-9 * (schedule->expected.transitions * price.transition +
                   schedule->expected.states * (price.state + price_search(schedule)) +
                   byte_price * table_bytes);
}

/* A line opens all that it crosses, and none of these can close before its other entries are done: a frontier
 * is as wide as the line that comes first has entries. */
base_status perm_plan_check_size(base_context *context, const mm_sparse *block) {
    const int64_t n = block->ncol;
    int64_t *crossing = NULL, least = n;
    if (n <= PERM_PLAN_REPEATED_LARGEST || block->nnz <= n * PERM_FRONTIER_WIDEST)
        return BASE_OK;
    crossing = base_alloc_zero(context, n, sizeof *crossing);
    if (!crossing)
        return BASE_MACHINE;
    for (int64_t e = 0; e < block->nnz; e++)
        crossing[block->index[e]]++;
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = block->start[i + 1] - block->start[i],
                      fewer = count < crossing[i] ? count : crossing[i];
        least = fewer < least ? fewer : least;
    }
    free(crossing);
    if (least <= PERM_FRONTIER_WIDEST)
        return BASE_OK;
    return base_fail(
        context, BASE_FAILED,
        "a block of order %lld with %lld entries is too large: sums over subsets go to order %d, and "
        "its frontier is at least %lld wide, %d is the limit",
        (long long)n, (long long)block->nnz, PERM_EXACT_LARGEST, (long long)least, PERM_FRONTIER_WIDEST);
}

static base_status choose_arithmetic(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                     perm_candidate *candidate) {
    int64_t bytes;
    base_status status = perm_frontier_state_bytes(context, matrix, &plan->schedule, PERM_EXACT, &bytes);
    if (perm_plan_is_whole(matrix) ||
        plan->schedule.expected.transitions * (double)(bytes / 8) <= exact_at_once)
        candidate->arithmetic = PERM_EXACT;
    return status;
}

static const struct {
    const char *name;
    perm_method method;
    perm_arithmetic arithmetic;
} ways[] = {{"frontier", PERM_FRONTIER, PERM_DOUBLE},
            {"frontier-exact", PERM_FRONTIER_EXACT, PERM_EXACT},
            {"frontier-double", PERM_FRONTIER_DOUBLE, PERM_DOUBLE},
            {"frontier-quad", PERM_FRONTIER_QUAD, PERM_QUAD}};

bool perm_plan_is_frontier(const char *name) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(name, ways[i].name) == 0)
            return true;
    return false;
}

base_status perm_plan_price_frontier(base_context *context, const perm_matrix *matrix, perm_plan *plan) {
    base_status status = BASE_OK;
    const perm_schedule *schedule = &plan->schedule;
    plan->count = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        perm_candidate *candidate = perm_plan_add(plan, ways[i].name, ways[i].method);
        int64_t bytes;
        candidate->arithmetic = ways[i].arithmetic;
        if (schedule->n == 0 && matrix->n > 0) {
            snprintf(candidate->reason, sizeof candidate->reason,
                     "the frontier is %lld wide, %d is the limit", (long long)plan->order.cost.width,
                     (int)PERM_FRONTIER_WIDEST);
            continue;
        }
        if (candidate->method == PERM_FRONTIER)
            BASE_TRY(choose_arithmetic(context, matrix, plan, candidate));
        BASE_TRY(perm_frontier_state_bytes(context, matrix, schedule, candidate->arithmetic, &bytes));
        /* Two layers are held at a time. */
        candidate->bytes = 2 * schedule->expected.peak_states * (double)bytes;
        perm_plan_set_price(candidate, price_run(matrix, schedule, candidate->arithmetic,
                                                 bytes - (schedule->width <= 64 ? 8 : 16), candidate->bytes));
        if (candidate->bytes > (double)context->memory_bytes) {
            snprintf(candidate->reason, sizeof candidate->reason, "up to %.3g GiB of tables, %.3g allowed",
                     candidate->bytes / 0x1p30, (double)context->memory_bytes / 0x1p30);
            candidate->seconds = 0;
        }
    }
done:
    return status;
}
