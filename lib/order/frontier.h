/* SPDX-License-Identifier: BSD-3-Clause */
/* Orderings for frontier dynamic programming. The rows of a square matrix are processed one after another, or
 * its columns when that is cheaper; below, the rows are then those of the transpose, whose permanent is the
 * same. A column is open from the first row that has an entry in it to the last; the open columns are the
 * frontier. A state of the program is the set of open columns that are used already. After k rows, when c
 * columns have been closed, the states have k - c of the w open ones: at most C(w, k - c) of them. The search
 * looks for an order whose sum of transitions between states is small.
 *
 * Search: greedy from many starts, each row the one that leaves the fewest states; then threshold accepting
 * (Dueck, Scheuer 1990) over moves of one row inside a window. All decisions are made in IEEE additions,
 * multiplications and divisions, so the result depends on matrix and options alone. */
#ifndef ORDER_FRONTIER_H
#define ORDER_FRONTIER_H

#include "mm/matrix/sparse.h"

typedef struct order_frontier_options {
    uint64_t seed;
    int64_t restarts;   /* greedy starts for rows and for columns, at least 1 */
    int64_t step_limit; /* limit of the work, in entries visited; the first order of all is always finished */
} order_frontier_options;

/* A search long enough for a permanent that takes seconds: seed 1, 64 restarts, 40 million steps. It ends
 * sooner where the best order costs few transitions. */
extern const order_frontier_options order_frontier_default;

/* What an order costs, as bounds from the numbers of open and used columns. */
typedef struct order_frontier_cost {
    double transitions;
    double states;      /* over all rows */
    double peak_states; /* after one row */
    double visits;      /* pairs of a state and an entry of the row that comes next */
    double groups;      /* of states that differ in the six columns that opened first alone, over all rows */
    int64_t width;      /* most columns open at once */
} order_frontier_cost;

typedef struct order_frontier {
    bool by_columns; /* the columns of the matrix are processed, as rows of its transpose */
    int64_t n;
    int64_t *row, *col; /* row[k], col[k]: the row and column at place k; those that are not processed
                           stand in the order in which they close */
    order_frontier_cost cost;
    int64_t steps; /* taken by the search */
} order_frontier;

/* Searches an order for a square matrix given by rows or by columns (`orientation`); only the pattern counts.
 * Fails with BASE_FAILED when it is not square, with BASE_STOPPED when the context's deadline comes first.
 * O(step_limit) time, O(n + nnz) memory. */
base_status order_frontier_search(base_context *context, const mm_sparse *matrix, mm_orientation orientation,
                                  const order_frontier_options *options, order_frontier *order);
void order_frontier_free(order_frontier *order); /* NULL is allowed */

/* Says in a record's metadata what it is ordered for, and at what cost. */
base_status order_frontier_note(base_context *context, const order_frontier *order, mm_record *record);

/* The cost of processing the rows of a pattern (in compressed form, one list of columns each) in a given
 * order. O(n + nnz). */
base_status order_frontier_price(base_context *context, const mm_sparse *rows, const int64_t *order,
                                 order_frontier_cost *cost);

/* The same as it is expected to be: a random sample tells how many of the bound's states are reached, to
 * about a factor of 1.5; peak_states is rather too high. The sample depends on pattern and order alone. Takes
 * a few milliseconds, and no longer than a fraction of the transitions. */
base_status order_frontier_expect(base_context *context, const mm_sparse *rows, const int64_t *order,
                                  order_frontier_cost *cost);

#endif
