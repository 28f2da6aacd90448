/* SPDX-License-Identifier: BSD-3-Clause */
/* Local search: moves of one row inside a window, and perturbations. */
#include "order/frontier_search.h"

#include <math.h>
#include <string.h>

/* Sums that differ by less are the same. */
static const double rounding = 1e-12;

enum {
    WINDOW = 6, /* how far a row moves */
    KICKS = 4   /* rows that a perturbation moves */
};

static void rotate(int64_t *order, int64_t from, int64_t to) {
    int64_t row = order[from];
    if (from < to)
        memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
    else
        memmove(order + to + 1, order + to, (size_t)(from - to) * sizeof *order);
    order[to] = row;
}

/* The cost of places first … last, or of as many of them as cost `limit`; their rows are then unprocessed
 * again. */
static double price_window(order_search *s, order_place at, int64_t first, int64_t last, double limit) {
    double cost = 0;
    int64_t k = first;
    while (k <= last && cost < limit)
        cost += order_search_pass(s, &at, s->order[k++]);
    while (k > first)
        order_search_unpass(s, s->order[--k]);
    return cost;
}

/* cost[j] becomes that of the places first … first + j. */
static void price_ends(order_search *s, order_place at, int64_t first, int64_t last, double *cost) {
    double sum = 0;
    for (int64_t k = first; k <= last; k++)
        cost[k - first] = sum += order_search_pass(s, &at, s->order[k]);
    for (int64_t k = last; k >= first; k--)
        order_search_unpass(s, s->order[k]);
}

bool order_search_sweep(order_search *s, double threshold) {
    bool moved = false;
    order_place at;
    order_search_begin(s, &at);
    for (int64_t k = 0; k + 1 < s->n && s->steps < s->step_limit && !order_search_is_stopped(s); k++) {
        int64_t end = k + WINDOW < s->n ? k + WINDOW : s->n - 1;
        double ends[WINDOW + 1], gained = 0;
        price_ends(s, at, k, end, ends);
        for (int64_t j = k + 1; j <= end; j++) {
            /* What was moved before j leaves the costs behind it as they are. */
            double old = ends[j - k] - gained;
            for (int forward = 0; forward < (j == k + 1 ? 1 : 2); forward++) {
                int64_t from = forward ? k : j, to = forward ? j : k;
                rotate(s->order, from, to);
                double cost = price_window(s, at, k, j, old * threshold);
                if (cost < old * threshold && fabs(cost - old) > rounding * old) {
                    gained += old - cost;
                    old = cost;
                    moved = true;
                } else {
                    rotate(s->order, to, from);
                }
            }
        }
        order_search_pass(s, &at, s->order[k]);
    }
    return moved;
}

double order_search_perturb(order_search *s, const int64_t *best) {
    memcpy(s->order, best, (size_t)s->n * sizeof *best);
    for (int i = 0; i < KICKS; i++) {
        int64_t from = (int64_t)base_random_below(&s->random, (uint64_t)s->n);
        int64_t to = from + (int64_t)base_random_below(&s->random, 2 * WINDOW + 1) - WINDOW;
        rotate(s->order, from, to < 0 ? 0 : to < s->n ? to : s->n - 1);
    }
    return order_search_price(s);
}
