/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/search.h"
#include "base/core/random.h"
#include "base/run/progress.h"

#include <math.h>
#include <string.h>

enum { PRICES_TO_LOOK = 1 << 10 }; /* between looks at the deadline */

typedef struct search {
    const base_context *context;
    int64_t prices; /* computed so far */
    bool is_stopped;
    const perm_sparse_pattern *pattern;
    const perm_sparse_device *device;
    perm_sparse_tree tree;
    base_random random;
} search;

static int column_entries(const perm_sparse_pattern *pattern, int column) {
    return __builtin_popcountll(pattern->column[column]);
}

/* Of a block. What is alive beyond the device's limit costs more and more, so that the search finds back. */
static double price_block(search *s, const perm_sparse_order *order) {
    const perm_sparse_device *device = s->device;
    if (++s->prices % PRICES_TO_LOOK == 0 && base_is_overdue(s->context))
        s->is_stopped = true;
    if (!perm_sparse_tree_make(s->pattern, order, &s->tree))
        return INFINITY;
    const double excess = fmax(s->tree.entries / device->entries, s->tree.operations / device->operations);
    return (s->tree.operations + s->tree.updates + s->tree.instructions * device->instruction_cost +
            device->block_cost) *
           (excess > 1 ? 4 * excess * excess : 1);
}

static double price_all(double block, const perm_sparse_pattern *pattern, const perm_sparse_order *order) {
    return ldexp(block, pattern->n - 1 - order->low);
}

/* Operations of the whole sum in that order, with what else costs time; infinity if it does not fit. */
static double price_of(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                       const perm_sparse_device *device, perm_sparse_tree *tree) {
    search s = {.prices = 0, .pattern = pattern, .device = device};
    const double block = price_block(&s, order);
    *tree = s.tree;
    const bool fits = s.tree.entries <= device->entries && s.tree.operations <= device->operations;
    return fits ? price_all(block, pattern, order) : INFINITY;
}

/* The columns outside the block, those of few entries first: they change most often. */
static void sort_outside(const perm_sparse_pattern *pattern, perm_sparse_order *order) {
    for (int j = order->low + 1; j < pattern->n; j++) {
        const uint8_t column = order->column[j];
        int at = j;
        for (; at > order->low &&
               column_entries(pattern, order->column[at - 1]) > column_entries(pattern, column);
             at--)
            order->column[at] = order->column[at - 1];
        order->column[at] = column;
    }
}

static void move_column(perm_sparse_order *order, int from, int to) {
    const uint8_t column = order->column[from];
    if (from < to)
        memmove(order->column + from, order->column + from + 1, (size_t)(to - from));
    else
        memmove(order->column + to + 1, order->column + to, (size_t)(from - to));
    order->column[to] = column;
}

/* One more low column: the best of all, summed out first or last or sliced. */
static double grow(search *s, perm_sparse_order *order) {
    perm_sparse_order best_order = *order;
    double best = INFINITY;
    const int ways = order->low > 0 && order->sliced < s->device->most_sliced ? 3 : 2;
    for (int from = order->low; from < s->pattern->n; from++)
        for (int variant = 0; variant < ways; variant++) {
            perm_sparse_order trial = *order;
            trial.low++;
            trial.sliced += variant == 2;
            move_column(&trial, from,
                        variant == 0   ? 0
                        : variant == 1 ? order->low - order->sliced
                                       : order->low);
            const double price = price_block(s, &trial);
            if (price < best || (from == order->low && variant == 0)) {
                best = price;
                best_order = trial;
            }
        }
    *order = best_order;
    sort_outside(s->pattern, order);
    return best;
}

/* Moves a low column, exchanges it for any other, or changes the number of slices. */
static void change(search *s, perm_sparse_order *order) {
    const int n = s->pattern->n, from = (int)base_random_below(&s->random, (uint64_t)order->low);
    const uint64_t variant = base_random_below(&s->random, 16);
    int to = (int)base_random_below(&s->random, (uint64_t)(n - 1));
    to += to >= from;
    if (variant < 2) {
        const int sliced = order->sliced + (variant == 0 ? 1 : -1);
        if (sliced >= 0 && sliced <= s->device->most_sliced && sliced < order->low)
            order->sliced = sliced;
    } else if (to < order->low && variant % 2 == 0) {
        move_column(order, from, to);
    } else {
        const uint8_t column = order->column[from];
        order->column[from] = order->column[to];
        order->column[to] = column;
        if (to >= order->low)
            sort_outside(s->pattern, order);
    }
}

static double improve(search *s, int64_t moves, double price, perm_sparse_order *order) {
    perm_sparse_order best_order = *order;
    double best = price;
    for (int64_t move = 0; move < moves && !s->is_stopped; move++) {
        const double threshold = 0.1 * (double)(moves - move) / (double)moves;
        perm_sparse_order trial = *order;
        change(s, &trial);
        const double trial_price = price_block(s, &trial);
        if (!(trial_price < price * (1 + threshold * base_random_uniform(&s->random))))
            continue;
        price = trial_price;
        *order = trial;
        if (price < best) {
            best = price;
            best_order = trial;
        }
    }
    *order = best_order;
    return best;
}

double perm_sparse_search(const base_context *context, const perm_sparse_pattern *pattern,
                          const perm_sparse_device *device, int64_t moves, perm_sparse_order *order) {
    search s = {.context = context, .pattern = pattern, .device = device};
    perm_sparse_order current = {.low = 0, .sliced = 0};
    double best = INFINITY;
    int worse = 0;
    base_random_init(&s.random, context->seed, 0x737061727365);
    for (int j = 0; j < pattern->n; j++) {
        current.column[j] = (uint8_t)j;
        if (pattern->column[j] == 0)
            return INFINITY;
    }
    sort_outside(pattern, &current);
    while (current.low < pattern->n - 1 - device->log2_lanes && worse < 3 && !s.is_stopped) {
        perm_sparse_tree tree;
        const double grown = grow(&s, &current);
        improve(&s, moves, grown, &current);
        const double price = price_of(pattern, &current, device, &tree);
        worse = price < best ? 0 : worse + 1;
        if (price < best || best == INFINITY) {
            best = price;
            *order = current;
        }
    }
    return s.is_stopped ? -1 : best;
}
