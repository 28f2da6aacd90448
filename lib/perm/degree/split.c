/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/split.h"
#include "perm/degree/simplify.h"

static void order_two(const perm_elimination *e, int64_t at, int64_t pair[2]) {
    if (perm_elimination_opposite(e, pair[0], at) > perm_elimination_opposite(e, pair[1], at)) {
        int64_t first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
}

/* The two entries of a row in the columns with the smallest numbers; or of a column in such rows. */
static void first_two(const perm_elimination *e, int64_t at, int64_t pair[2]) {
    const perm_line *line = &e->lines[at];
    pair[0] = line->entry[0];
    pair[1] = line->count > 1 ? line->entry[1] : line->entry[0];
    order_two(e, at, pair);
    for (int64_t k = 2; k < line->count; k++) {
        int64_t place = perm_elimination_opposite(e, line->entry[k], at);
        if (place < perm_elimination_opposite(e, pair[1], at))
            pair[1] = line->entry[k];
        order_two(e, at, pair);
    }
}

/* Rows and columns in turn, each in ascending order. */
static perm_split choose_first(const perm_elimination *e, bool columns_first) {
    perm_split split = {.line = -1, .degree = INT64_MAX};
    int64_t next[2] = {0, e->n}, end[2] = {e->n, 2 * e->n};
    for (int64_t k = 0; k < e->left; k++)
        for (int turn = 0; turn < 2; turn++) {
            int side = turn ^ columns_first;
            while (next[side] < end[side] && e->lines[next[side]].gone)
                next[side]++;
            int64_t at = next[side]++;
            if (e->lines[at].count >= split.degree)
                continue;
            split.line = at;
            split.degree = e->lines[at].count;
        }
    if (split.degree > 0 && split.line >= 0)
        first_two(e, split.line, split.entry);
    return split;
}

/* How many rows have entries in both of the columns p and q; or columns in both of the rows. */
static int64_t count_common(perm_elimination *e, int64_t p, int64_t q) {
    int64_t common = 0;
    const perm_line *a = &e->lines[p], *b = &e->lines[q];
    for (int64_t k = 0; k < a->count; k++)
        e->mark[perm_elimination_opposite(e, a->entry[k], p)] = 1;
    for (int64_t k = 0; k < b->count; k++)
        common += e->mark[perm_elimination_opposite(e, b->entry[k], q)] == 1;
    for (int64_t k = 0; k < a->count; k++)
        e->mark[perm_elimination_opposite(e, a->entry[k], p)] = -1;
    return common;
}

/* How many entries the matrix loses when row `at` is eliminated and the columns p and q of its entries a and
 * b become one: those of the row, and one for each other row that has entries in both columns. The common
 * rows include `at` itself, hence the 1. */
static int64_t count_lost(perm_elimination *e, int64_t at, int64_t a, int64_t b) {
    int64_t p = perm_elimination_opposite(e, a, at), q = perm_elimination_opposite(e, b, at);
    return e->lines[at].count + count_common(e, p, q) - 1;
}

/* The entries of both matrices together, less twice those before. */
static int64_t price(perm_elimination *e, int64_t at, int64_t a, int64_t b) {
    const perm_line *line = &e->lines[at];
    int64_t rest[2], count = 0;
    int64_t lost = count_lost(e, at, a, b);
    for (int64_t k = 0; k < line->count && line->count <= 4; k++)
        if (line->entry[k] != a && line->entry[k] != b)
            rest[count++] = line->entry[k];
    /* The second matrix lacks a and b. With one entry left the row is eliminated together with a column, with
     * two left by merging again; else only the two entries are gone. */
    if (count == 1)
        return -lost - line->count - e->lines[perm_elimination_opposite(e, rest[0], at)].count + 1;
    if (count == 2)
        return -lost - count_lost(e, at, rest[0], rest[1]);
    return -lost - 2;
}

/* Splits a line in the way that leaves fewest entries, if these are fewer than *least. */
static void try_line(perm_elimination *e, int64_t at, int64_t *least, perm_split *split) {
    const perm_line *line = &e->lines[at];
    for (int64_t a = 0; a < line->count; a++)
        for (int64_t b = a + 1; b < line->count; b++) {
            int64_t fill = price(e, at, line->entry[a], line->entry[b]);
            if (fill >= *least)
                continue;
            *least = fill;
            split->line = at;
            split->entry[0] = line->entry[a];
            split->entry[1] = line->entry[b];
        }
}

static int64_t fewest_entries(const perm_elimination *e) {
    int64_t fewest = INT64_MAX;
    for (int64_t at = 0; at < 2 * e->n; at++)
        if (!e->lines[at].gone && e->lines[at].count < fewest)
            fewest = e->lines[at].count;
    return fewest;
}

static perm_split choose_least_fill(perm_elimination *e, int64_t max_degree) {
    perm_split split = {.line = -1, .degree = fewest_entries(e)};
    int64_t least = INT64_MAX;
    for (int64_t at = 0; at < 2 * e->n && split.degree <= max_degree; at++)
        if (!e->lines[at].gone && e->lines[at].count == split.degree)
            try_line(e, at, &least, &split);
    return split;
}

/* Rows and columns in turn. */
static perm_split choose_sweep(perm_elimination *e, int64_t max_degree) {
    perm_split split = {.line = -1, .degree = fewest_entries(e)};
    int64_t least = INT64_MAX;
    for (int64_t k = 0; k < 2 * e->n && split.line < 0 && split.degree > 2; k++) {
        int64_t at = k / 2 + k % 2 * e->n;
        if (e->lines[at].gone || e->lines[at].count > max_degree)
            continue;
        try_line(e, at, &least, &split);
        split.degree = e->lines[at].count;
    }
    return split;
}

perm_split perm_split_choose(perm_elimination *e, perm_rule rule, bool columns_first, int64_t max_degree) {
    perm_split split = perm_rule_is_plain(rule) ? choose_first(e, columns_first)
                       : rule == PERM_RULE_FILL ? choose_least_fill(e, max_degree)
                                                : choose_sweep(e, max_degree);
    if (split.degree > max_degree)
        split.line = -1;
    split.is_column = split.line >= e->n;
    return split;
}

/* ---- the second matrix ---- */

/* The place of a row among the rows that are left, or of a column among the columns. */
static int64_t place_of(const perm_elimination *e, int64_t at) {
    int64_t place = 0;
    for (int64_t i = at < e->n ? 0 : e->n; i < at; i++)
        place += !e->lines[i].gone;
    return place;
}

/* The last column that a row has no entry in, as a line, or the last row of a column; -1 if it has one in
 * each. */
static int64_t last_without(const perm_elimination *e, int64_t at) {
    const perm_line *line = &e->lines[at];
    const int64_t first = at < e->n ? e->n : 0;
    for (int64_t other = first + e->n - 1; other >= first; other--) {
        bool is_in = false;
        for (int64_t i = 0; i < line->count && !is_in; i++)
            is_in = perm_elimination_opposite(e, line->entry[i], at) == other;
        if (!is_in)
            return other;
    }
    return -1;
}

/* Drops the entries of row `at` in the two columns `without`, and eliminates it if it has one or two others.
 */
static base_status split_off(perm_elimination *e, perm_rule rule, int64_t at, const int64_t without[2]) {
    base_status status = BASE_OK;
    const perm_line *line = &e->lines[at];
    int64_t last = perm_rule_is_plain(rule) && line->count == 3 ? last_without(e, at) : -1;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < line->count; i++)
            if (perm_elimination_opposite(e, line->entry[i], at) == without[k]) {
                perm_elimination_drop(e, line->entry[i]);
                break;
            }
    /* SUperman merges the last column without an entry into that of the third entry, which then stands there.
     */
    if (last >= 0)
        perm_elimination_exchange(e, perm_elimination_opposite(e, line->entry[0], at), last);
    if (line->count == 1)
        perm_eliminate_one(e, at, line->entry[0]);
    else if (line->count == 2)
        BASE_TRY(perm_eliminate_two(e, at, line->entry[0], line->entry[1]));
done:
    return status;
}

base_status perm_split_second(base_context *context, perm_rule rule, const perm_elimination *e,
                              const perm_split *split, const perm_scaled *whole, perm_scaled *second) {
    base_status status;
    perm_elimination rest = {.n = 0};
    int64_t without[2];
    for (int k = 0; k < 2; k++) {
        without[k] = perm_elimination_opposite(e, split->entry[k], split->line);
        without[k] = place_of(e, without[k]) + (split->is_column ? 0 : e->left);
    }
    int64_t line = place_of(e, split->line) + (split->is_column ? e->left : 0);
    second->is_turned = split->is_column;
    perm_value_copy(&second->factor, &whole->factor);
    BASE_TRY(perm_elimination_rest(e, whole->matrix.field, &second->matrix));
    BASE_TRY(perm_elimination_init_taking(context, &second->matrix, &rest));
    BASE_TRY(split_off(&rest, rule, line, without));
    BASE_TRY(perm_scaled_take(&rest, second));
done:
    perm_elimination_free(&rest);
    return status;
}
