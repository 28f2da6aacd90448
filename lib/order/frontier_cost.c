/* SPDX-License-Identifier: BSD-3-Clause */
/* What an order of rows costs, as a whole or moved over row by row. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "order/frontier.h"
#include "order/frontier_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_TO_LOOK = 1 << 20 }; /* between looks at the deadline */

static double choose(const order_search *s, int64_t n, int64_t k) {
    if (k < 0 || k > n)
        return 0;
    if (n < s->table)
        return s->choose[n * (n + 1) / 2 + k];
    if (k > n - k)
        k = n - k;
    double product = 1;
    for (int64_t i = 0; i < k && product < order_hopeless; i++)
        product = product * (double)(n - i) / (double)(i + 1);
    return product;
}

double order_search_advance(const order_search *s, order_place *at, int64_t degree, int64_t opens,
                            int64_t closes) {
    double out = (double)opens;
    if (at->open > 0)
        out += (double)((degree - opens) * (at->open - at->used)) / (double)at->open;
    double forward = at->states * out;
    at->open += opens - closes;
    at->used += 1 - closes;
    at->states = choose(s, at->open, at->used);
    double in = (double)closes;
    if (at->open > 0)
        in += (double)((degree - closes) * at->used) / (double)at->open;
    double backward = at->states * in;
    return forward < backward ? forward : backward;
}

double order_search_pass(order_search *s, order_place *at, int64_t row) {
    const int64_t *column = s->rows->index + s->rows->start[row];
    const int64_t *restrict degree = s->degree;
    int64_t *restrict left = s->left;
    int64_t count = order_degree(s->rows, row), opens = 0, closes = 0;
    for (int64_t e = 0; e < count; e++) {
        int64_t c = column[e], now = left[c];
        opens += now == degree[c];
        closes += now == 1;
        left[c] = now - 1;
    }
    s->steps += count;
    return order_search_advance(s, at, count, opens, closes);
}

void order_search_unpass(order_search *s, int64_t row) {
    const int64_t *column = s->rows->index + s->rows->start[row];
    int64_t *restrict left = s->left;
    for (int64_t e = order_degree(s->rows, row); e-- > 0;)
        left[column[e]]++;
}

void order_search_begin(order_search *s, order_place *at) {
    memcpy(s->left, s->degree, (size_t)s->n * sizeof *s->left);
    *at = (order_place){0, 0, 1};
}

double order_search_price(order_search *s) {
    order_place at;
    order_search_begin(s, &at);
    double cost = 0;
    for (int64_t k = 0; k < s->n; k++)
        cost += order_search_pass(s, &at, s->order[k]);
    return cost < order_hopeless ? cost : order_hopeless;
}

base_status order_search_init(base_context *context, order_search *s, const mm_sparse *rows,
                              const mm_sparse *columns) {
    base_status status = BASE_OK;
    int64_t n = rows->nrow;
    *s = (order_search){.rows = rows, .columns = columns, .n = n, .context = context, .look = STEPS_TO_LOOK};
    s->table = n + 1 < ORDER_SEARCH_TABLE ? n + 1 : ORDER_SEARCH_TABLE;
    s->choose = base_alloc(context, s->table * (s->table + 1) / 2, sizeof *s->choose);
    int64_t **arrays[] = {&s->left, &s->degree, &s->opens, &s->closes, &s->waiting, &s->where, &s->order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = base_alloc(context, n, sizeof **arrays[i]);
        if (*arrays[i] == NULL)
            status = BASE_MACHINE;
    }
    if (s->choose == NULL)
        status = BASE_MACHINE;
    for (int64_t c = 0; status == BASE_OK && c < n; c++)
        s->degree[c] = order_degree(columns, c);
    for (int64_t i = 0; status == BASE_OK && i < s->table; i++) {
        double *row = s->choose + i * (i + 1) / 2;
        for (int64_t k = 0; k <= i; k++)
            row[k] = k == 0 || k == i ? 1 : row[k - 1 - i] + row[k - i];
    }
    return status;
}

void order_search_tell(order_search *s) {
    const double by_steps = s->end_steps > 0 ? (double)s->steps / s->end_steps : 0;
    const double share = fmin(1, fmax(by_steps, s->share));
    const int64_t done = (int64_t)(share * (double)s->step_limit);
    if (done <= s->told)
        return;
    base_progress_add(s->context, done - s->told);
    s->told = done;
}

bool order_search_is_stopped(order_search *s) {
    if (s->steps >= s->look) {
        s->look = s->steps + STEPS_TO_LOOK;
        order_search_tell(s);
        s->is_stopped = base_is_overdue(s->context);
    }
    return s->is_stopped;
}

void order_search_free(order_search *s) {
    free(s->choose);
    free(s->left);
    free(s->degree);
    free(s->opens);
    free(s->closes);
    free(s->waiting);
    free(s->where);
    free(s->order);
}

/* How many sets of the other columns are those of a state. */
static double count_groups(const order_search *s, const order_place *at) {
    const int64_t few = at->open < ORDER_GROUP_COLUMNS ? at->open : ORDER_GROUP_COLUMNS;
    double sum = 0;
    for (int64_t k = 0; k <= few; k++)
        sum += choose(s, at->open - few, at->used - k);
    return sum;
}

void order_search_measure(order_search *s, const int64_t *order, order_frontier_cost *cost) {
    order_place at;
    order_search_begin(s, &at);
    *cost = (order_frontier_cost){.states = 1, .peak_states = 1, .groups = 1};
    for (int64_t k = 0; k < s->n; k++) {
        cost->visits += at.states * (double)order_degree(s->rows, order[k]);
        cost->transitions += order_search_pass(s, &at, order[k]);
        cost->states += at.states;
        cost->groups += count_groups(s, &at);
        if (at.states > cost->peak_states)
            cost->peak_states = at.states;
        if (at.open > cost->width)
            cost->width = at.open;
    }
}

base_status order_frontier_price(base_context *context, const mm_sparse *rows, const int64_t *order,
                                 order_frontier_cost *cost) {
    base_status status = BASE_OK;
    mm_sparse columns = {0}, pattern = mm_sparse_pattern(rows);
    order_search s = {0};
    pattern.nrow = pattern.ncol = rows->nrow;
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_ROWS, &columns));
    BASE_TRY(order_search_init(context, &s, &pattern, &columns));
    order_search_measure(&s, order, cost);
done:
    order_search_free(&s);
    mm_sparse_free(&columns);
    return status;
}
