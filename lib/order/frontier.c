#include "order/frontier.h"
#include "base/memory.h"
#include "base/random.h"
#include <stdlib.h>
#include <string.h>

const order_frontier_options order_frontier_default = {1, 64, 40000000};

enum {
    TABLE = 128, /* binomial coefficients up to here are looked up */
    WINDOW = 6, /* how far local search moves a line */
    SWEEPS = 12, /* at most, of local search over one order */
    GREEDY_STARTS = 8,
    KICKS = 4    /* lines that a perturbation moves */
};

/* Costs beyond this are all the same: no machine runs them. */
static const double hopeless = 1e100;

typedef struct place {
    int64_t open, used; /* crossing lines half-used so far; used ones among them in each state */
    double states;
} place;

typedef struct search {
    const mm_sparse *lines, *cross;
    int64_t n;
    double *choose;   /* TABLE × TABLE */
    int64_t *left;    /* of a crossing line: lines not yet processed that touch it */
    int64_t *opens;   /* of a line not yet processed: crossing lines it would open … */
    int64_t *closes;  /* … and close */
    int64_t *waiting; /* lines not yet processed; first those that touch an open crossing line */
    int64_t *where;   /* the inverse of waiting */
    int64_t touched, waiting_count;
    int64_t *order;
    bool found; /* the best order is this search's own */
    base_random random;
    int64_t steps, step_limit;
} search;

static double choose(const search *s, int64_t n, int64_t k) {
    if (k < 0 || k > n)
        return 0;
    if (n < TABLE)
        return s->choose[n * TABLE + k];
    if (k > n - k)
        k = n - k;
    double product = 1;
    for (int64_t i = 0; i < k && product < hopeless; i++)
        product = product * (double)(n - i) / (double)(i + 1);
    return product;
}

/* Moves over a line with `degree` entries; returns a bound of the transitions. Of the states before, each can
 * use the lines that open and, on average, the share of the open ones that is not used yet; a state after it
 * came from at most its used lines and those that closed. */
static double advance(const search *s, place *at, int64_t degree, int64_t opens, int64_t closes) {
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

static int64_t degree_of(const mm_sparse *lines, int64_t line) {
    return lines->start[line + 1] - lines->start[line];
}

/* Processes a line, keeping `left` only. */
static double pass(search *s, place *at, int64_t line) {
    int64_t opens = 0, closes = 0;
    for (int64_t e = s->lines->start[line]; e < s->lines->start[line + 1]; e++) {
        int64_t c = s->lines->index[e];
        opens += s->left[c] == degree_of(s->cross, c);
        closes += --s->left[c] == 0;
    }
    s->steps += degree_of(s->lines, line);
    return advance(s, at, degree_of(s->lines, line), opens, closes);
}

static void unpass(search *s, int64_t line) {
    for (int64_t e = s->lines->start[line]; e < s->lines->start[line + 1]; e++)
        s->left[s->lines->index[e]]++;
}

static void begin(search *s, place *at) {
    for (int64_t c = 0; c < s->n; c++)
        s->left[c] = degree_of(s->cross, c);
    *at = (place){0, 0, 1};
}

/* ---- greedy
 * ------------------------------------------------------------------------------------------------ */

static void put_waiting(search *s, int64_t line, int64_t position) {
    int64_t other = s->waiting[position], from = s->where[line];
    s->waiting[from] = other;
    s->where[other] = from;
    s->waiting[position] = line;
    s->where[line] = position;
}

/* Takes a line out of the waiting ones and updates what the others would open and close. */
static void process(search *s, int64_t line) {
    if (s->where[line] < s->touched)
        put_waiting(s, line, --s->touched);
    put_waiting(s, line, --s->waiting_count);
    for (int64_t e = s->lines->start[line]; e < s->lines->start[line + 1]; e++) {
        int64_t c = s->lines->index[e];
        bool opened = s->left[c] == degree_of(s->cross, c);
        bool last = --s->left[c] == 1;
        if (!opened && !last)
            continue;
        s->steps += degree_of(s->cross, c);
        for (int64_t f = s->cross->start[c]; f < s->cross->start[c + 1]; f++) {
            int64_t other = s->cross->index[f];
            if (s->where[other] >= s->waiting_count)
                continue;
            s->opens[other] -= opened;
            s->closes[other] += last;
            if (s->where[other] >= s->touched)
                put_waiting(s, other, s->touched++);
        }
    }
}

/* The waiting line after which there are the fewest states; among equals the one that costs the fewest
 * transitions, then a random one. Where no crossing line is open, a new component begins: at a random line of
 * least degree, the very first time at a random line of all. */
static int64_t pick(search *s, const place *at, bool first) {
    if (first)
        return s->waiting[base_random_below(&s->random, (uint64_t)s->waiting_count)];
    int64_t count = s->touched > 0 ? s->touched : s->waiting_count;
    int64_t best = -1;
    double best_states = 0, best_transitions = 0;
    uint64_t ties = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t line = s->waiting[i];
        place next = *at;
        double transitions = advance(s, &next, degree_of(s->lines, line), s->opens[line], s->closes[line]);
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
        best = line;
        best_states = next.states;
        best_transitions = transitions;
    }
    s->steps += count;
    return best;
}

/* Fills s->order; gives up with a cost of `limit` or more when an order cannot be better than that. What is
 * missing when the steps end stands as it comes. */
static double greedy(search *s, double limit, bool must_finish) {
    place at;
    begin(s, &at);
    for (int64_t i = 0; i < s->n; i++) {
        s->waiting[i] = s->where[i] = i;
        s->opens[i] = degree_of(s->lines, i);
        s->closes[i] = 0;
    }
    for (int64_t c = 0; c < s->n; c++)
        if (s->left[c] == 1)
            s->closes[s->cross->index[s->cross->start[c]]]++;
    s->touched = 0;
    s->waiting_count = s->n;
    double cost = 0;
    for (int64_t k = 0; k < s->n; k++) {
        bool tired = cost >= limit || s->steps >= s->step_limit;
        if (tired && !must_finish)
            return hopeless;
        int64_t line = tired ? s->waiting[0] : pick(s, &at, k == 0);
        cost += advance(s, &at, degree_of(s->lines, line), s->opens[line], s->closes[line]);
        if (cost > hopeless)
            cost = hopeless;
        process(s, line);
        s->order[k] = line;
    }
    return cost;
}

/* ---- local search
 * ------------------------------------------------------------------------------------------ */

static void rotate(int64_t *order, int64_t from, int64_t to) {
    int64_t line = order[from];
    if (from < to)
        memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
    else
        memmove(order + to + 1, order + to, (size_t)(from - to) * sizeof *order);
    order[to] = line;
}

/* The cost of places first … last, whose lines are then unprocessed again. */
static double price_window(search *s, place at, int64_t first, int64_t last) {
    double cost = 0;
    for (int64_t k = first; k <= last; k++)
        cost += pass(s, &at, s->order[k]);
    for (int64_t k = last; k >= first; k--)
        unpass(s, s->order[k]);
    return cost;
}

/* One sweep: at each place tries to exchange its line with those of the window behind it by moving one of the
 * two, and takes what does not cost more than `threshold` times what stands there. True if anything moved. */
static bool sweep(search *s, double threshold) {
    bool moved = false;
    place at;
    begin(s, &at);
    for (int64_t k = 0; k + 1 < s->n && s->steps < s->step_limit; k++) {
        int64_t end = k + WINDOW < s->n ? k + WINDOW : s->n - 1;
        for (int64_t j = k + 1; j <= end; j++) {
            double old = price_window(s, at, k, j);
            for (int way = 0; way < (j == k + 1 ? 1 : 2); way++) {
                int64_t from = way ? k : j, to = way ? j : k;
                rotate(s->order, from, to);
                double cost = price_window(s, at, k, j);
                if (cost < old * threshold && cost != old) {
                    old = cost;
                    moved = true;
                } else {
                    rotate(s->order, to, from);
                }
            }
        }
        pass(s, &at, s->order[k]);
    }
    return moved;
}

static double price(search *s) {
    place at;
    begin(s, &at);
    double cost = 0;
    for (int64_t k = 0; k < s->n; k++)
        cost += pass(s, &at, s->order[k]);
    return cost < hopeless ? cost : hopeless;
}

/* ---- the search
 * -------------------------------------------------------------------------------------------- */

static base_status search_init(base_context *context, search *s, const mm_sparse *lines,
                               const mm_sparse *cross) {
    base_status status = BASE_OK;
    int64_t n = lines->nrow;
    *s = (search){.lines = lines, .cross = cross, .n = n};
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

static void search_free(search *s) {
    free(s->choose);
    free(s->left);
    free(s->opens);
    free(s->closes);
    free(s->waiting);
    free(s->where);
    free(s->order);
}

/* Moves a few random lines of the best order inside their windows. */
static double perturb(search *s, const int64_t *best) {
    memcpy(s->order, best, (size_t)s->n * sizeof *best);
    for (int i = 0; i < KICKS; i++) {
        int64_t from = (int64_t)base_random_below(&s->random, (uint64_t)s->n);
        int64_t to = from + (int64_t)base_random_below(&s->random, 2 * WINDOW + 1) - WINDOW;
        rotate(s->order, from, to < 0 ? 0 : to < s->n ? to : s->n - 1);
    }
    return price(s);
}

static void keep(const search *s, double cost, int64_t *best, double *best_cost) {
    *best_cost = cost;
    memcpy(best, s->order, (size_t)s->n * sizeof *best);
}

/* Improves on best[n] whose cost is *best_cost: the first orders are greedy ones, later ones in turn greedy and
 * perturbed from the best. */
static void search_restarts(search *s, int64_t restarts, bool must_finish, int64_t *best, double *best_cost) {
    for (int64_t r = 0; r < restarts; r++) {
        bool first = must_finish && r == 0;
        if (!first && (s->steps >= s->step_limit || (double)s->steps > *best_cost))
            return;
        bool again = r >= GREEDY_STARTS && r % 4 != 0 && *best_cost < hopeless && s->found;
        /* Local search gains a factor of a few at most: an order far worse than the best is not worth it. */
        double cost = again ? perturb(s, best) : greedy(s, first ? hopeless : 16 * *best_cost, first);
        if (first)
            keep(s, cost, best, best_cost);
        s->found |= first;
        for (int i = again ? SWEEPS / 3 : 0; cost < hopeless; i++) {
            if (cost < *best_cost) {
                keep(s, cost, best, best_cost);
                s->found = true;
            }
            double threshold = 1 + 0.4 * (double)(SWEEPS / 2 - i) / SWEEPS;
            if (i == SWEEPS || s->steps >= s->step_limit || !sweep(s, threshold > 1 ? threshold : 1))
                break;
            cost = price(s);
        }
    }
}

base_status order_frontier_price(base_context *context, const mm_sparse *lines, const int64_t *order,
                                 order_frontier_cost *cost) {
    base_status status = BASE_OK;
    mm_sparse cross = {0}, pattern = mm_sparse_pattern(lines);
    search s = {0};
    pattern.nrow = pattern.ncol = lines->nrow;
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_ROWS, &cross));
    BASE_TRY(search_init(context, &s, &pattern, &cross));
    place at;
    begin(&s, &at);
    *cost = (order_frontier_cost){0, 1, 1, 0};
    for (int64_t k = 0; k < s.n; k++) {
        cost->transitions += pass(&s, &at, order[k]);
        cost->states += at.states;
        if (at.states > cost->peak_states)
            cost->peak_states = at.states;
        if (at.open > cost->width)
            cost->width = at.open;
    }
done:
    search_free(&s);
    mm_sparse_free(&cross);
    return status;
}

/* The crossing lines in the order in which they close; ties and empty ones by number. */
static void closing_order(search *s, const int64_t *order, int64_t *crossing) {
    int64_t count = 0;
    place at;
    begin(s, &at);
    for (int64_t c = 0; c < s->n; c++)
        if (s->left[c] == 0)
            crossing[count++] = c;
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t e = s->lines->start[order[k]]; e < s->lines->start[order[k] + 1]; e++)
            if (--s->left[s->lines->index[e]] == 0)
                crossing[count++] = s->lines->index[e];
}

base_status order_frontier_search(base_context *context, const mm_sparse *matrix, mm_orientation orientation,
                                  const order_frontier_options *options, order_frontier *order) {
    base_status status = BASE_OK;
    mm_sparse given = mm_sparse_pattern(matrix), turned = {0};
    search s[2] = {{0}, {0}};
    int64_t n = matrix->nrow, *best = NULL, steps = 0;
    double best_cost[2] = {hopeless, hopeless};
    *order = (order_frontier){.n = n};
    if (matrix->nrow != matrix->ncol)
        return base_fail(context, BASE_FAILED, "a frontier ordering needs a square matrix, this is %lld×%lld",
                         (long long)matrix->nrow, (long long)matrix->ncol);
    BASE_TRY(mm_sparse_reorient(context, &given, orientation, &turned));
    const mm_sparse *rows = orientation == MM_BY_ROWS ? &given : &turned;
    const mm_sparse *columns = orientation == MM_BY_ROWS ? &turned : &given;
    BASE_TRY(search_init(context, &s[0], rows, columns));
    BASE_TRY(search_init(context, &s[1], columns, rows));
    best = base_alloc(context, 2 * n, sizeof *best);
    order->row = base_alloc(context, n, sizeof *order->row);
    order->col = base_alloc(context, n, sizeof *order->col);
    if (!best || !order->row || !order->col) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int way = 0; way < 2; way++) {
        base_random_init(&s[way].random, options->seed, (uint64_t)way);
        s[way].step_limit = options->step_limit / 2;
        best_cost[way] = way == 0 ? hopeless : best_cost[0];
        search_restarts(&s[way], options->restarts, way == 0, best + way * n, &best_cost[way]);
        steps += s[way].steps;
    }
    order->steps = steps;
    order->by_columns = best_cost[1] < best_cost[0];
    int64_t *line = order->by_columns ? order->col : order->row;
    memcpy(line, best + (order->by_columns ? n : 0), (size_t)n * sizeof *line);
    closing_order(&s[order->by_columns], line, order->by_columns ? order->row : order->col);
    BASE_TRY(order_frontier_price(context, order->by_columns ? columns : rows, line, &order->cost));
done:
    if (status != BASE_OK)
        order_frontier_free(order);
    free(best);
    search_free(&s[0]);
    search_free(&s[1]);
    mm_sparse_free(&turned);
    return status;
}

void order_frontier_free(order_frontier *order) {
    if (!order)
        return;
    free(order->row);
    free(order->col);
    *order = (order_frontier){0};
}
