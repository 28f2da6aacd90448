/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy orders: each row the one that leaves the fewest states. */
#include "order/frontier_search.h"

static void put_waiting(order_search *s, int64_t row, int64_t position) {
    int64_t other = s->waiting[position], from = s->where[row];
    s->waiting[from] = other;
    s->where[other] = from;
    s->waiting[position] = row;
    s->where[row] = position;
}

/* Takes a row out of the waiting ones and updates what the others would open and close. */
static void process(order_search *s, int64_t row) {
    if (s->where[row] < s->touched)
        put_waiting(s, row, --s->touched);
    put_waiting(s, row, --s->waiting_count);
    for (int64_t e = s->rows->start[row]; e < s->rows->start[row + 1]; e++) {
        int64_t c = s->rows->index[e];
        bool opened = s->left[c] == s->degree[c];
        bool last = --s->left[c] == 1;
        if (!opened && !last)
            continue;
        s->steps += s->degree[c];
        for (int64_t f = s->columns->start[c]; f < s->columns->start[c + 1]; f++) {
            int64_t other = s->columns->index[f];
            if (s->where[other] >= s->waiting_count)
                continue;
            s->opens[other] -= opened;
            s->closes[other] += last;
            if (s->where[other] >= s->touched)
                put_waiting(s, other, s->touched++);
        }
    }
}

/* The waiting row after which there are the fewest states; among equals the one that costs the fewest
 * transitions, then a random one. Where no column is open, a new component begins: at a random row of
 * least degree, the very first time at a random row of all. */
static int64_t pick(order_search *s, const order_place *at, bool first) {
    if (first)
        return s->waiting[base_random_below(&s->random, (uint64_t)s->waiting_count)];
    int64_t count = s->touched > 0 ? s->touched : s->waiting_count;
    int64_t best = -1;
    double best_states = 0, best_transitions = 0;
    uint64_t ties = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = s->waiting[i];
        order_place next = *at;
        double transitions = 0;
        if (at->states < order_too_many)
            transitions =
                order_search_advance(s, &next, order_degree(s->rows, row), s->opens[row], s->closes[row]);
        else {
            next.states = (double)(s->opens[row] - s->closes[row]);
            transitions = -(double)s->closes[row];
        }
        if (best >= 0 && next.states > best_states)
            continue;
        if (best >= 0 && next.states == best_states && transitions > best_transitions)
            continue;
        if (best >= 0 && next.states == best_states && transitions == best_transitions) {
            if (base_random_below(&s->random, ++ties) != 0)
                continue;
        } else {
            ties = 1;
        }
        best = row;
        best_states = next.states;
        best_transitions = transitions;
    }
    s->steps += count;
    return best;
}

double order_search_greedy(order_search *s, double limit, bool must_finish) {
    order_place at;
    order_search_begin(s, &at);
    for (int64_t i = 0; i < s->n; i++) {
        s->waiting[i] = s->where[i] = i;
        s->opens[i] = order_degree(s->rows, i);
        s->closes[i] = 0;
    }
    for (int64_t c = 0; c < s->n; c++)
        if (s->left[c] == 1)
            s->closes[s->columns->index[s->columns->start[c]]]++;
    s->touched = 0;
    s->waiting_count = s->n;
    double cost = 0;
    for (int64_t k = 0; k < s->n; k++) {
        bool tired = s->steps >= s->step_limit;
        if (order_search_is_stopped(s) || ((tired || cost >= limit) && !must_finish))
            return order_hopeless;
        int64_t row = tired ? s->waiting[0] : pick(s, &at, k == 0);
        cost += order_search_advance(s, &at, order_degree(s->rows, row), s->opens[row], s->closes[row]);
        if (cost > order_hopeless)
            cost = order_hopeless;
        process(s, row);
        s->order[k] = row;
    }
    return cost;
}
