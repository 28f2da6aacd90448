/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of rows for products with dense matrices: hidden communities are found, nothing is made of matrices
 * that have none, and the gain told is what counting shows. */
#include "order/overlap.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 9, COMMUNITIES = 24, MEMBERS = 32, COLUMNS = 40, ROWS = COMMUNITIES * MEMBERS };

static base_random randoms;

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&randoms, (uint64_t)below);
}

/* A pattern, as one byte an entry. */
typedef struct pattern {
    int64_t nrow, ncol;
    char *is;
} pattern;

static pattern make_pattern(int64_t nrow, int64_t ncol) {
    return (pattern){nrow, ncol, calloc((size_t)(nrow * ncol) + 1, 1)};
}

static mm_sparse by_columns(base_context *context, const pattern *p) {
    mm_sparse matrix = {.nrow = p->nrow, .ncol = p->ncol, .field = MM_PATTERN};
    for (int64_t k = 0; k < p->nrow * p->ncol; k++)
        matrix.nnz += p->is[k];
    if (mm_sparse_alloc(context, &matrix, p->ncol, false) != BASE_OK)
        abort();
    int64_t count = 0;
    for (int64_t j = 0; j < p->ncol; j++) {
        for (int64_t i = 0; i < p->nrow; i++)
            if (p->is[i * p->ncol + j])
                matrix.index[count++] = i;
        matrix.start[j + 1] = count;
    }
    return matrix;
}

/* Distinct columns of windows of 32 rows, added up. */
static double count_columns(const pattern *p, const int64_t *row) {
    double count = 0;
    for (int64_t first = 0; first < p->nrow; first += 32)
        for (int64_t j = 0; j < p->ncol; j++) {
            bool seen = false;
            for (int64_t k = first; k < first + 32 && k < p->nrow; k++)
                seen |= p->is[(row != NULL ? row[k] : k) * p->ncol + j] != 0;
            count += seen;
        }
    return count;
}

static bool is_permutation(const int64_t *list, int64_t length) {
    char *seen = calloc((size_t)length + 1, 1);
    bool good = true;
    for (int64_t k = 0; k < length; k++) {
        good = good && list[k] >= 0 && list[k] < length && !seen[list[k]];
        if (good)
            seen[list[k]] = 1;
    }
    free(seen);
    return good;
}

/* Whether the order is one, and gains what it says. */
static bool is_true(const pattern *p, const order_permutation *order, const order_overlap *found) {
    if (order->col != NULL)
        return false;
    if (strcmp(found->by, "none") == 0) {
        for (int64_t k = 0; k < p->nrow; k++)
            if (order->row[k] != k)
                return false;
        return found->gain == 1;
    }
    const double gain = count_columns(p, NULL) / count_columns(p, order->row);
    return is_permutation(order->row, p->nrow) && fabs(gain - found->gain) < 1e-12 * gain &&
           gain >= ORDER_LEAST_GAIN;
}

static void check_communities(base_context *context) {
    pattern p = make_pattern(ROWS, (int64_t)COMMUNITIES * COLUMNS);
    int64_t place[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t other = pick(i + 1);
        place[i] = place[other];
        place[other] = i;
    }
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < 25; k++)
            p.is[place[i] * p.ncol + i / MEMBERS * COLUMNS + pick(COLUMNS)] = 1;
    mm_sparse matrix = by_columns(context, &p);
    order_permutation order;
    order_overlap found;
    const base_status status = order_for_products(context, &matrix, &order, &found);
    tap_ok(status == BASE_OK && is_true(&p, &order, &found),
           "hidden communities: a permutation that gains what it says, %.2f", found.gain);
    const double columns = count_columns(&p, order.row);
    tap_ok(columns <= 1.15 * COMMUNITIES * COLUMNS, "... nearly all of it: %.0f columns, %d at best", columns,
           COMMUNITIES * COLUMNS);
    order_permutation_free(&order);
    mm_sparse_free(&matrix);
    free(p.is);
}

/* Any rows do as well as any others. */
static void check_random(base_context *context) {
    int wrong = 0, ordered = 0;
    for (int round = 0; round < 40; round++) {
        pattern p = make_pattern(round % 5 == 0 ? 0 : pick(300), round % 7 == 0 ? 0 : pick(300));
        const int64_t density = 1 + pick(20);
        for (int64_t k = 0; k < p.nrow * p.ncol; k++)
            p.is[k] = pick(density) == 0;
        mm_sparse matrix = by_columns(context, &p);
        order_permutation order;
        order_overlap found;
        wrong +=
            order_for_products(context, &matrix, &order, &found) != BASE_OK || !is_true(&p, &order, &found);
        ordered += order.row != NULL && density <= 4 && p.ncol >= 60 && strcmp(found.by, "none") != 0;
        order_permutation_free(&order);
        mm_sparse_free(&matrix);
        free(p.is);
    }
    tap_ok(wrong == 0, "40 matrices of any shape: right or left alone (%d wrong)", wrong);
    tap_ok(ordered == 0, "... left alone where many entries are anywhere (%d ordered)", ordered);
}

/* Long rows among short ones of columns of their own. */
static void check_lengths(base_context *context) {
    pattern p = make_pattern(640, 2000);
    for (int64_t i = 0; i < p.nrow; i++)
        for (int64_t k = 0; k < (i % 8 == 0 ? 400 : 1); k++)
            p.is[i * p.ncol + (i % 8 == 0 ? pick(500) : 500 + pick(1500))] = 1;
    mm_sparse matrix = by_columns(context, &p);
    order_permutation order;
    order_overlap found;
    const base_status status = order_for_products(context, &matrix, &order, &found);
    tap_ok(status == BASE_OK && is_true(&p, &order, &found) && found.gain > 3,
           "long rows come together: %.2f by %s", found.gain, found.by);
    order_permutation_free(&order);
    mm_sparse_free(&matrix);
    free(p.is);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_communities(&context);
    check_random(&context);
    check_lengths(&context);
    return tap_done();
}
