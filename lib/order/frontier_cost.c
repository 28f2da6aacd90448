#include "base/memory.h"
#include "order/frontier_search.h"
#include <stdlib.h>

enum { TABLE = ORDER_SEARCH_TABLE };

static double choose(const order_search *s, int64_t n, int64_t k) {
    if (k < 0 || k > n)
        return 0;
    if (n < TABLE)
        return s->choose[n * TABLE + k];
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

double order_search_pass(order_search *s, order_place *at, int64_t line) {
    int64_t opens = 0, closes = 0;
    for (int64_t e = s->lines->start[line]; e < s->lines->start[line + 1]; e++) {
        int64_t c = s->lines->index[e];
        opens += s->left[c] == order_degree(s->cross, c);
        closes += --s->left[c] == 0;
    }
    s->steps += order_degree(s->lines, line);
    return order_search_advance(s, at, order_degree(s->lines, line), opens, closes);
}

void order_search_unpass(order_search *s, int64_t line) {
    for (int64_t e = s->lines->start[line]; e < s->lines->start[line + 1]; e++)
        s->left[s->lines->index[e]]++;
}

void order_search_begin(order_search *s, order_place *at) {
    for (int64_t c = 0; c < s->n; c++)
        s->left[c] = order_degree(s->cross, c);
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

base_status order_search_init(base_context *context, order_search *s, const mm_sparse *lines,
                              const mm_sparse *cross) {
    base_status status = BASE_OK;
    int64_t n = lines->nrow;
    *s = (order_search){.lines = lines, .cross = cross, .n = n};
    s->choose = base_alloc_zero(context, TABLE * TABLE, sizeof *s->choose);
    int64_t **arrays[] = {&s->left, &s->opens, &s->closes, &s->waiting, &s->where, &s->order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = base_alloc(context, n, sizeof **arrays[i]);
        if (!*arrays[i])
            status = BASE_MACHINE;
    }
    if (!s->choose)
        status = BASE_MACHINE;
    for (int64_t i = 0; status == BASE_OK && i < TABLE; i++)
        for (int64_t k = 0; k <= i; k++)
            s->choose[i * TABLE + k] =
                k == 0 ? 1 : s->choose[(i - 1) * TABLE + k - 1] + s->choose[(i - 1) * TABLE + k];
    return status;
}

void order_search_free(order_search *s) {
    free(s->choose);
    free(s->left);
    free(s->opens);
    free(s->closes);
    free(s->waiting);
    free(s->where);
    free(s->order);
}

base_status order_frontier_price(base_context *context, const mm_sparse *lines, const int64_t *order,
                                 order_frontier_cost *cost) {
    base_status status = BASE_OK;
    mm_sparse cross = {0}, pattern = mm_sparse_pattern(lines);
    order_search s = {0};
    pattern.nrow = pattern.ncol = lines->nrow;
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_ROWS, &cross));
    BASE_TRY(order_search_init(context, &s, &pattern, &cross));
    order_place at;
    order_search_begin(&s, &at);
    *cost = (order_frontier_cost){0, 1, 1, 0};
    for (int64_t k = 0; k < s.n; k++) {
        cost->transitions += order_search_pass(&s, &at, order[k]);
        cost->states += at.states;
        if (at.states > cost->peak_states)
            cost->peak_states = at.states;
        if (at.open > cost->width)
            cost->width = at.open;
    }
done:
    order_search_free(&s);
    mm_sparse_free(&cross);
    return status;
}
