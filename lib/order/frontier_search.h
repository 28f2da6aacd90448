/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the search for a frontier ordering (frontier.h): what an order costs, greedy orders, and local
 * search.
 */
#ifndef ORDER_FRONTIER_SEARCH_H
#define ORDER_FRONTIER_SEARCH_H

#include "base/core/random.h"
#include "mm/matrix/sparse.h"

typedef struct order_frontier_cost order_frontier_cost; /* frontier.h */

enum { ORDER_SEARCH_TABLE = 128 }; /* rows of binomial coefficients that are looked up, at most */

/* Columns, those that opened first, in which the states of a group may differ. */
enum { ORDER_GROUP_COLUMNS = 6 };

/* Costs beyond this are all the same: no machine runs them. */
static const double order_hopeless = 1e100;

/* From so many states on the greedy order looks at the number of open columns only, and local search is not
 * worth its time: binomial coefficients take long there and tell nothing more. */
static const double order_too_many = 1e30;

typedef struct order_place {
    int64_t open, used; /* columns half-used so far; used ones among them in each state */
    double states;
} order_place;

typedef struct order_search {
    const mm_sparse *rows, *columns;
    int64_t n;
    double *choose;   /* binomial coefficients, packed by rows … */
    int64_t table;    /* … so many of them */
    int64_t *left;    /* of a column: rows not yet processed that touch it … */
    int64_t *degree;  /* … and all that do */
    int64_t *opens;   /* of a row not yet processed: columns it would open … */
    int64_t *closes;  /* … and close */
    int64_t *waiting; /* rows not yet processed; first those that touch an open column */
    int64_t *where;   /* the inverse of waiting */
    int64_t touched, waiting_count;
    int64_t *order;
    bool found; /* the best order is this search's own */
    base_random random;
    int64_t steps, step_limit;
    base_context *context;
    int64_t look; /* steps after which the deadline is looked at again */
    bool is_stopped;
    /* For the progress, of which a search has `step_limit` steps: the share of the restarts that are over,
     * the steps that would end it, and what was told. */
    double share, end_steps;
    int64_t told;
} order_search;

/* Adds to the progress: steps or restarts, of which the search is nearer to the end. */
void order_search_tell(order_search *s);

/* Whether the context's deadline came during the search, which only costs on; looked at every ten
 * milliseconds or so, which a short search does not take. Adds to the progress, too. */
bool order_search_is_stopped(order_search *s);

static inline int64_t order_degree(const mm_sparse *rows, int64_t row) {
    return rows->start[row + 1] - rows->start[row];
}

/* `rows` and `columns` are each other's transpose, patterns; they are kept by pointer. */
base_status order_search_init(base_context *context, order_search *s, const mm_sparse *rows,
                              const mm_sparse *columns);
void order_search_free(order_search *s);

/* No row is processed. */
void order_search_begin(order_search *s, order_place *at);

/* Moves over a row with `degree` entries; returns a bound of the transitions. Of the states before, each can
 * use the columns that open and, on average, the share of the open ones that is not used yet; a state after
 * it came from at most its used columns and those that closed. */
double order_search_advance(const order_search *s, order_place *at, int64_t degree, int64_t opens,
                            int64_t closes);

/* Processes a row, keeping `left` only, and takes that back. */
double order_search_pass(order_search *s, order_place *at, int64_t row);
void order_search_unpass(order_search *s, int64_t row);

/* The cost of s->order. */
double order_search_price(order_search *s);

/* The cost of any order, in detail. */
void order_search_measure(order_search *s, const int64_t *order, order_frontier_cost *cost);

/* Fills s->order; gives up with order_hopeless when it cannot cost less than `limit` or the steps end, unless
 * it must finish: then what is missing stands as it comes. */
double order_search_greedy(order_search *s, double limit, bool must_finish);

/* One sweep of local search over s->order: at each place tries to exchange its row with those of the window
 * behind it by moving one of the two, and takes what costs less than `threshold` times what stands there.
 * True if anything moved. */
bool order_search_sweep(order_search *s, double threshold);

/* Makes s->order from best[n] by moving a few random rows inside their windows; returns its cost. */
double order_search_perturb(order_search *s, const int64_t *best);

#endif
