/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/frontier.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/metadata/metadata.h"
#include "order/frontier_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const order_frontier_options order_frontier_default = {1, 64, 40000000};

enum {
    SWEEPS = 12, /* at most, of local search over one order */
    GREEDY_STARTS = 8
};

/* A search shall take no longer than what it is made for. A step takes about as long as a transition; rows
 * and columns are searched, and the bound of the transitions is rarely reached: so a quarter as many steps
 * begin something new, and what has begun ends at twice as many. */
static const double steps_to_begin = 0.25, steps_to_end = 2;

static bool is_over(order_search *s, double steps) {
    return order_search_is_stopped(s) || s->steps >= s->step_limit || (double)s->steps > steps;
}

static void keep(const order_search *s, double cost, int64_t *best, double *best_cost) {
    *best_cost = cost;
    memcpy(best, s->order, (size_t)s->n * sizeof *best);
}

/* Improves on best[n] whose cost is *best_cost: the first orders are greedy ones, later ones in turn greedy
 * and perturbed from the best. */
static void search_restarts(order_search *s, int64_t restarts, bool must_finish, int64_t *best,
                            double *best_cost) {
    for (int64_t r = 0; r < restarts; r++) {
        bool first = must_finish && r == 0;
        s->share = (double)r / (double)restarts;
        s->end_steps = fmin((double)s->step_limit, steps_to_end * *best_cost);
        if (!first && is_over(s, steps_to_begin * *best_cost))
            return;
        bool again = r >= GREEDY_STARTS && r % 4 != 0 && *best_cost < order_hopeless && s->found;
        /* Local search gains a factor of a few at most: an order far worse than the best is not worth it. */
        double cost = again ? order_search_perturb(s, best)
                            : order_search_greedy(s, first ? order_hopeless : 16 * *best_cost, first);
        if (first)
            keep(s, cost, best, best_cost);
        s->found |= first;
        for (int i = again ? SWEEPS / 3 : 0; cost < order_too_many; i++) {
            if (cost < *best_cost) {
                keep(s, cost, best, best_cost);
                s->found = true;
            }
            double threshold = 1 + 0.4 * (double)(SWEEPS / 2 - i) / SWEEPS;
            if (i == SWEEPS || is_over(s, steps_to_end * *best_cost) ||
                !order_search_sweep(s, threshold > 1 ? threshold : 1))
                break;
            cost = order_search_price(s);
        }
    }
}

/* The columns in the order in which they close; ties and empty ones by number. */
static void closing_order(order_search *s, const int64_t *order, int64_t *columns) {
    int64_t count = 0;
    order_place at;
    order_search_begin(s, &at);
    for (int64_t c = 0; c < s->n; c++)
        if (s->left[c] == 0)
            columns[count++] = c;
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t e = s->rows->start[order[k]]; e < s->rows->start[order[k] + 1]; e++)
            if (--s->left[s->rows->index[e]] == 0)
                columns[count++] = s->rows->index[e];
}

/* By rows, then by columns; best_cost[2] and best[2n] are what they found. */
static base_status search_both_ways(base_context *context, order_search s[2],
                                    const order_frontier_options *options, int64_t *best, double *best_cost) {
    base_status status = BASE_OK;
    base_progress_start(context, "order", 2 * (double)(options->step_limit / 2), "entries");
    for (int way = 0; way < 2 && status == BASE_OK; way++) {
        base_random_init(&s[way].random, options->seed, (uint64_t)way);
        s[way].step_limit = options->step_limit / 2;
        best_cost[way] = way == 0 ? order_hopeless : best_cost[0];
        search_restarts(&s[way], options->restarts, way == 0, best + way * s[way].n, &best_cost[way]);
        s[way].share = 1;
        order_search_tell(&s[way]);
        if (s[way].is_stopped)
            status = base_fail(context, BASE_STOPPED,
                               "stopped: the search for an order takes longer than is allowed (--max-time)");
    }
    base_progress_finish(context);
    return status;
}

base_status order_frontier_search(base_context *context, const mm_sparse *matrix, mm_orientation orientation,
                                  const order_frontier_options *options, order_frontier *order) {
    base_status status = BASE_OK;
    mm_sparse given = mm_sparse_pattern(matrix), turned = {0};
    order_search s[2] = {{0}, {0}};
    int64_t n = matrix->nrow, *best = NULL;
    double best_cost[2] = {order_hopeless, order_hopeless};
    *order = (order_frontier){.n = n};
    if (matrix->nrow != matrix->ncol)
        return base_fail(context, BASE_FAILED, "a frontier ordering needs a square matrix, this is %lld×%lld",
                         (long long)matrix->nrow, (long long)matrix->ncol);
    BASE_TRY(mm_sparse_reorient(context, &given, orientation, &turned));
    const mm_sparse *rows = orientation == MM_BY_ROWS ? &given : &turned;
    const mm_sparse *columns = orientation == MM_BY_ROWS ? &turned : &given;
    BASE_TRY(order_search_init(context, &s[0], rows, columns));
    BASE_TRY(order_search_init(context, &s[1], columns, rows));
    best = base_alloc(context, 2 * n, sizeof *best);
    order->row = base_alloc(context, n, sizeof *order->row);
    order->col = base_alloc(context, n, sizeof *order->col);
    if (best == NULL || order->row == NULL || order->col == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(search_both_ways(context, s, options, best, best_cost));
    order->steps = s[0].steps + s[1].steps;
    order->by_columns = best_cost[1] < best_cost[0];
    int64_t *processed = order->by_columns ? order->col : order->row;
    memcpy(processed, best + (order->by_columns ? n : 0), (size_t)n * sizeof *processed);
    closing_order(&s[order->by_columns], processed, order->by_columns ? order->row : order->col);
    order_search_measure(&s[order->by_columns], processed, &order->cost);
done:
    if (status != BASE_OK)
        order_frontier_free(order);
    free(best);
    order_search_free(&s[0]);
    order_search_free(&s[1]);
    mm_sparse_free(&turned);
    return status;
}

void order_frontier_free(order_frontier *order) {
    if (order == NULL)
        return;
    free(order->row);
    free(order->col);
    *order = (order_frontier){0};
}

base_status order_frontier_note(base_context *context, const order_frontier *order, mm_record *record) {
    base_status status;
    const order_frontier_cost *cost = &order->cost;
    BASE_TRY(mm_metadata_set(context, record, "order.for", "frontier"));
    BASE_TRY(mm_metadata_set(context, record, "order.by", order->by_columns ? "columns" : "rows"));
    BASE_TRY(mm_metadata_set(context, record, "order.width", "%lld", (long long)cost->width));
    BASE_TRY(mm_metadata_set(context, record, "order.transitions", "%.6g", cost->transitions));
    BASE_TRY(mm_metadata_set(context, record, "order.peak_states", "%.6g", cost->peak_states));
done:
    return status;
}
