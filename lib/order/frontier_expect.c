/* SPDX-License-Identifier: BSD-3-Clause */
/* How many of the states that order_frontier_cost bounds there are. A set of columns is a state where the
 * rows processed so far have a perfect matching with it and those that have closed. So a random sample
 * of the bound's sets, more of them at places that cost more, tells what share of it is reached. A matching
 * is kept from place to place and from set to set, and changed along alternating paths. */
#include "base/core/memory.h"
#include "order/frontier.h"
#include "order/frontier_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* States found that suffice, an error of about an eighth, and those of them whose groups are counted. */
enum { ENOUGH_FOUND = 64, FIRST_SAMPLES = 64, ENOUGH_GROUPS = 32 };

/* Entries visited: no more than these, nor than this share of the transitions. */
static const double most_steps = 4e6, step_share = 0.25, least_steps = 2e5;

typedef struct sample {
    int64_t *memory;     /* of the arrays below */
    order_search *s;     /* left[]: of the place that has been reached */
    const int64_t *back; /* entries of columns, in the order of processing: see make_back */
    int64_t *row_of;     /* of a column: the row it is matched with, or -1 … */
    int64_t *mate;       /* … and of a row; -1: not yet processed, or none */
    bool *wanted;        /* columns that must be matched */
    int64_t *open;       /* columns that are open */
    int64_t *opened;     /* the same, in the order in which they have opened */
    int64_t open_count;
    int64_t *queue, *via; /* of the search for a path: columns reached, and from which */
    int64_t *seen, stamp;
    base_random random;
    double steps;
} sample;

/* The rows that touch each column, in the order in which they are processed. */
static void make_back(const order_search *s, const int64_t *order, int64_t *back) {
    memcpy(s->where, s->columns->start, (size_t)s->n * sizeof *s->where);
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t e = s->rows->start[order[k]]; e < s->rows->start[order[k] + 1]; e++)
            back[s->where[s->rows->index[e]]++] = order[k];
}

/* Matches `row` with a column that was reached; the row which that had goes to the column from which the
 * search came, and so on back along the path. */
static void follow_path(sample *a, int64_t column, int64_t row) {
    while (row >= 0) {
        const int64_t next = a->row_of[column];
        a->row_of[column] = row;
        a->mate[row] = column;
        column = a->via[column];
        row = next;
    }
}

/* Finds an alternating path from one of the columns in queue[0 … count - 1], which are not matched, to a row
 * that is not matched either, or whose column is not wanted. */
static bool find_path(sample *a, int64_t count) {
    const order_search *s = a->s;
    a->stamp++;
    for (int64_t k = 0; k < count; k++) {
        a->via[a->queue[k]] = -1;
        a->seen[a->queue[k]] = a->stamp;
    }
    for (int64_t k = 0; k < count; k++) {
        const int64_t column = a->queue[k], processed = s->degree[column] - s->left[column];
        const int64_t *row = a->back + s->columns->start[column];
        for (int64_t e = 0; e < processed; e++) {
            const int64_t other = a->mate[row[e]];
            a->steps++;
            if (other >= 0 && a->seen[other] == a->stamp)
                continue;
            if (other < 0 || !a->wanted[other]) {
                if (other >= 0)
                    a->row_of[other] = -1;
                follow_path(a, column, row[e]);
                return true;
            }
            a->seen[other] = a->stamp;
            a->via[other] = column;
            a->queue[count++] = other;
        }
    }
    return false;
}

static bool match(sample *a, int64_t column) {
    a->queue[0] = column;
    return a->row_of[column] >= 0 || find_path(a, 1);
}

/* Processes a row: one more column is matched, and those that close are. False where that cannot be:
 * then there are no states. */
static bool pass(sample *a, int64_t row) {
    const order_search *s = a->s;
    int64_t count = 0, kept = 0;
    for (int64_t e = s->rows->start[row]; e < s->rows->start[row + 1]; e++)
        if (s->left[s->rows->index[e]] + 1 == s->degree[s->rows->index[e]]) {
            a->opened[a->open_count] = s->rows->index[e];
            a->open[a->open_count++] = s->rows->index[e];
        }
    for (int64_t k = 0; k < a->open_count; k++)
        if (a->row_of[a->open[k]] < 0)
            a->queue[count++] = a->open[k];
    for (int64_t k = 0; k < a->open_count; k++)
        a->wanted[a->open[k]] = a->row_of[a->open[k]] >= 0;
    bool good = find_path(a, count);
    for (int64_t k = 0; k < a->open_count; k++)
        a->wanted[a->open[k]] = s->left[a->open[k]] == 0;
    for (int64_t k = 0; k < a->open_count; k++) {
        const int64_t column = a->open[k];
        if (a->wanted[column])
            good = good && match(a, column);
        else
            a->open[kept++] = column;
    }
    for (int64_t k = 0, last = 0; k < a->open_count; k++)
        if (!a->wanted[a->opened[k]])
            a->opened[last++] = a->opened[k];
    a->open_count = kept;
    return good;
}

/* Whether a random set of `used` open columns is a state. */
static bool try_set(sample *a, int64_t used) {
    bool good = true;
    for (int64_t k = 0; k < used; k++) {
        const int64_t other = k + (int64_t)base_random_below(&a->random, (uint64_t)(a->open_count - k));
        const int64_t column = a->open[other];
        a->open[other] = a->open[k];
        a->open[k] = column;
        a->wanted[column] = true;
    }
    for (int64_t k = 0; k < used && good; k++)
        good = match(a, a->open[k]);
    for (int64_t k = 0; k < used; k++)
        a->wanted[a->open[k]] = false;
    return good;
}

/* How many transitions lead by the row to the set that has just been found: to how many of its columns
 * it can be matched, which are those on a path from where it is. */
static int64_t count_in(sample *a, int64_t row) {
    const order_search *s = a->s;
    int64_t count = 1, in = 0;
    a->stamp++;
    a->queue[0] = a->mate[row];
    a->seen[a->queue[0]] = a->stamp;
    for (int64_t k = 0; k < count; k++) {
        const int64_t column = a->queue[k], processed = s->degree[column] - s->left[column];
        const int64_t *back = a->back + s->columns->start[column];
        a->steps += (double)processed;
        for (int64_t e = 0; e < processed; e++)
            if (back[e] != row && a->seen[a->mate[back[e]]] != a->stamp) {
                a->seen[a->mate[back[e]]] = a->stamp;
                a->queue[count++] = a->mate[back[e]];
            }
    }
    for (int64_t e = s->rows->start[row]; e < s->rows->start[row + 1]; e++)
        in += a->seen[s->rows->index[e]] == a->stamp;
    return in;
}

/* Of how many states the group of the set is that has just been found, whose columns are open[0 … used - 1].
 */
static int64_t count_group(sample *a, int64_t used) {
    const int64_t *first = a->opened;
    const int count = a->open_count < ORDER_GROUP_COLUMNS ? (int)a->open_count : ORDER_GROUP_COLUMNS;
    int64_t states = 0;
    int of_first = 0;
    for (int64_t k = 0; k < used; k++)
        a->wanted[a->open[k]] = true;
    for (int i = 0; i < count; i++)
        of_first += a->wanted[first[i]];
    for (int set = 0; set < 1 << count; set++) {
        if (__builtin_popcount((unsigned)set) != of_first)
            continue;
        bool good = true;
        for (int i = 0; i < count; i++)
            a->wanted[first[i]] = set >> i & 1;
        for (int64_t k = 0; k < a->open_count && good; k++)
            good = !a->wanted[a->open[k]] || match(a, a->open[k]);
        states += good;
    }
    for (int64_t k = 0; k < a->open_count; k++)
        a->wanted[a->open[k]] = false;
    return states;
}

/* Sets, each standing for as many transitions of the bound. */
typedef struct tally {
    double tried, found;
    double transitions, states, visits; /* that they stand for, over that number */
    double tried_peak, found_peak;      /* sets where there are most states */
    double grouped, groups, of_states;  /* sets whose groups were counted; what these and they stand for */
    bool with_groups;                   /* are being counted */
} tally;

/* `next`: entries of the row that comes next. */
static void try_place(sample *a, int64_t row, int64_t next, const order_place *at, double transitions,
                      bool is_peak, tally *tally) {
    const bool found = try_set(a, at->used);
    tally->found += found;
    tally->found_peak += is_peak && found;
    if (!found)
        return;
    const double states = at->states / transitions;
    tally->transitions += (double)count_in(a, row) * states;
    tally->states += states;
    tally->visits += (double)next * states;
    if (!tally->with_groups)
        return;
    tally->grouped++;
    tally->of_states += states;
    tally->groups += states / (double)count_group(a, at->used);
}

/* Tries about so many sets at the places of an order. */
static void try_order(sample *a, const int64_t *order, const order_frontier_cost *bound, double samples,
                      tally *tally) {
    order_search *s = a->s;
    order_place at;
    double passed = 0;
    bool good = true;
    /* At all places or at none, as states lie closer at some. */
    tally->with_groups = tally->grouped < ENOUGH_GROUPS;
    order_search_begin(s, &at);
    a->steps += (double)s->rows->nnz;
    a->open_count = 0;
    for (int64_t i = 0; i < s->n; i++)
        a->row_of[i] = a->mate[i] = -1;
    memset(a->wanted, 0, (size_t)s->n * sizeof *a->wanted);
    for (int64_t k = 0; k < s->n; k++) {
        const double before = passed, transitions = order_search_pass(s, &at, order[k]);
        const bool is_peak = at.states > bound->peak_states / 2;
        const int64_t next = k + 1 < s->n ? order_degree(s->rows, order[k + 1]) : 0;
        passed += samples * transitions / bound->transitions;
        good = good && pass(a, order[k]);
        for (int64_t i = (int64_t)before; i < (int64_t)passed; i++) {
            a->steps++;
            tally->tried++;
            tally->tried_peak += is_peak;
            if (good)
                try_place(a, order[k], next, &at, transitions, is_peak, tally);
        }
    }
}

static base_status sample_init(base_context *context, order_search *s, sample *a) {
    int64_t **arrays[] = {&a->row_of, &a->mate, &a->open, &a->opened, &a->queue, &a->via, &a->seen};
    const int64_t count = sizeof arrays / sizeof *arrays;
    *a = (sample){.s = s};
    a->memory = base_alloc_zero(context, count * s->n, sizeof *a->memory);
    a->wanted = base_alloc_zero(context, s->n, sizeof *a->wanted);
    if (a->memory == NULL || a->wanted == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < count; k++)
        *arrays[k] = a->memory + k * s->n;
    base_random_init(&a->random, 1, (uint64_t)s->n);
    return BASE_OK;
}

static void sample_free(sample *a) {
    free(a->memory);
    free(a->wanted);
}

/* What the tally says, or is at most where little was found; never more than the bound. */
static void expect(const tally *tally, order_frontier_cost *cost) {
    const double one = cost->transitions / fmax(tally->tried, 1);
    const double least = tally->found > 0 ? 0 : 1, peak = tally->found_peak + 2 * sqrt(tally->found_peak) + 3;
    const double groups = tally->grouped > 0 ? tally->groups / tally->of_states : 1;
    cost->states = fmin(cost->states, one * (tally->states + least));
    cost->transitions = fmin(cost->transitions, one * (tally->transitions + least));
    cost->visits = fmin(cost->visits, one * (tally->visits + least));
    cost->groups = fmin(cost->groups, groups * cost->states);
    cost->peak_states *= fmin(1, peak / fmax(tally->tried_peak, peak));
}

base_status order_frontier_expect(base_context *context, const mm_sparse *rows, const int64_t *order,
                                  order_frontier_cost *cost) {
    base_status status = BASE_OK;
    mm_sparse columns = {0}, pattern = mm_sparse_pattern(rows);
    order_search s = {0};
    sample a = {0};
    tally tally = {0};
    int64_t *back = base_alloc(context, rows->nnz, sizeof *back);
    if (back == NULL)
        BASE_TRY(BASE_MACHINE);
    pattern.nrow = pattern.ncol = rows->nrow;
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_ROWS, &columns));
    BASE_TRY(order_search_init(context, &s, &pattern, &columns));
    BASE_TRY(sample_init(context, &s, &a));
    order_search_measure(&s, order, cost);
    make_back(&s, order, back);
    a.back = back;
    const double bound = cost->transitions;
    double limit = step_share * bound;
    limit = limit > most_steps ? most_steps : limit < least_steps ? least_steps : limit;
    for (double samples = FIRST_SAMPLES; bound > 0 && tally.found < ENOUGH_FOUND && a.steps < limit;
         samples *= 2)
        try_order(&a, order, cost, samples, &tally);
    expect(&tally, cost);
done:
    sample_free(&a);
    order_search_free(&s);
    mm_sparse_free(&columns);
    free(back);
    return status;
}
