/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/tree.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    base_context *context;
    const double *point; /* the input's */
    int64_t dim, leaf_size;
    h2_split split;
    h2_tree *tree;
    int64_t level_room, begin_room, end_room, parent_room;
} builder;

/* Points along one axis, equal ones by number: a total order. */
static bool is_before(const builder *b, int64_t axis, int64_t i, int64_t j) {
    const double x = b->point[i * b->dim + axis], y = b->point[j * b->dim + axis];
    return x < y || (x == y && i < j);
}

static void swap(int64_t *a, int64_t *b) {
    int64_t value = *a;
    *a = *b;
    *b = value;
}

/* Moves the `place` first of `count` points to the front (Hoare's FIND, with the median of three). */
static void select_first(const builder *b, int64_t axis, int64_t *item, int64_t count, int64_t place) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(b, axis, item[middle], item[low]))
            swap(&item[middle], &item[low]);
        if (is_before(b, axis, item[high], item[low]))
            swap(&item[high], &item[low]);
        if (is_before(b, axis, item[high], item[middle]))
            swap(&item[high], &item[middle]);
        const int64_t pivot = item[middle];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_before(b, axis, item[i], pivot))
                i++;
            while (is_before(b, axis, pivot, item[j]))
                j--;
            if (i <= j)
                swap(&item[i++], &item[j--]);
        }
        if (place <= j)
            high = j;
        else if (place >= i)
            low = i;
        else
            return;
    }
}

static int64_t longest_axis(const builder *b, const int64_t *item, int64_t count) {
    double longest = -1;
    int64_t best = 0;
    for (int64_t axis = 0; axis < b->dim; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            low = fmin(low, b->point[item[i] * b->dim + axis]);
            high = fmax(high, b->point[item[i] * b->dim + axis]);
        }
        if (high - low > longest) {
            longest = high - low;
            best = axis;
        }
    }
    return best;
}

/* Those at most at the mean come first; their number. */
static int64_t split_at_mean(const builder *b, int64_t axis, int64_t *item, int64_t count) {
    double sum = 0;
    int64_t first = 0;
    for (int64_t i = 0; i < count; i++)
        sum += b->point[item[i] * b->dim + axis];
    for (int64_t i = 0; i < count; i++)
        if (b->point[item[i] * b->dim + axis] <= sum / (double)count)
            first++;
    return first;
}

static int64_t split_node(const builder *b, int64_t *item, int64_t count) {
    const int64_t axis = longest_axis(b, item, count);
    int64_t first = count / 2;
    if (b->split == H2_MEAN) {
        first = split_at_mean(b, axis, item, count);
        if (first < count / 8 + 1 || count - first < count / 8 + 1)
            first = count / 2;
    }
    select_first(b, axis, item, count, first);
    return first;
}

static base_status add_node(builder *b, int64_t begin, int64_t end, int64_t parent) {
    h2_tree *tree = b->tree;
    base_status status;
    BASE_TRY(base_reserve(b->context, &tree->begin, &b->begin_room, tree->nodes + 1, sizeof *tree->begin));
    BASE_TRY(base_reserve(b->context, &tree->end, &b->end_room, tree->nodes + 1, sizeof *tree->end));
    BASE_TRY(base_reserve(b->context, &tree->parent, &b->parent_room, tree->nodes + 1, sizeof *tree->parent));
    tree->begin[tree->nodes] = begin;
    tree->end[tree->nodes] = end;
    tree->parent[tree->nodes++] = parent;
done:
    return status;
}

/* The children of the last level: all nodes are split first, which takes the time, then numbered. */
static base_status add_level(builder *b, int64_t first, int64_t last) {
    h2_tree *tree = b->tree;
    base_status status = BASE_OK;
    int64_t *middle = base_alloc(b->context, last - first, sizeof *middle);
    if (middle == NULL)
        BASE_TRY(BASE_MACHINE);
#pragma omp parallel for num_threads(b->context->threads) schedule(dynamic, 1)
    for (int64_t node = first; node < last; node++) {
        const int64_t begin = tree->begin[node], end = tree->end[node];
        const bool whole = end - begin < 2 || (b->split == H2_MEAN && end - begin <= b->leaf_size);
        middle[node - first] = whole ? end : begin + split_node(b, tree->permutation + begin, end - begin);
    }
    for (int64_t node = first; node < last; node++) {
        const int64_t begin = tree->begin[node], end = tree->end[node], at = middle[node - first];
        BASE_TRY(add_node(b, begin, at, node));
        if (at < end)
            BASE_TRY(add_node(b, at, end, node));
    }
done:
    free(middle);
    return status;
}

static bool is_finished(const builder *b, int64_t first) {
    const h2_tree *tree = b->tree;
    for (int64_t node = first; node < tree->nodes; node++)
        if (tree->end[node] - tree->begin[node] > b->leaf_size)
            return false;
    return true;
}

static int compare_numbers(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Inside a leaf the order is the input's. */
static void order_leaves(h2_tree *tree, const double *point, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++)
        qsort(tree->permutation + tree->begin[node], (size_t)(tree->end[node] - tree->begin[node]),
              sizeof *tree->permutation, compare_numbers);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < tree->n; i++)
        memcpy(tree->point + i * tree->dim, point + tree->permutation[i] * tree->dim,
               (size_t)tree->dim * sizeof *point);
}

base_status h2_tree_build(base_context *context, const double *point, int64_t n, int64_t dim,
                          int64_t leaf_size, h2_split split, h2_tree *tree) {
    base_status status = BASE_OK;
    builder b = {
        .context = context, .point = point, .dim = dim, .leaf_size = leaf_size, .split = split, .tree = tree};
    memset(tree, 0, sizeof *tree);
    tree->n = n;
    tree->dim = dim;
    tree->permutation = base_alloc(context, n, sizeof *tree->permutation);
    tree->point = base_alloc(context, n * dim, sizeof *tree->point);
    tree->level = base_alloc(context, H2_MOST_LEVELS + 1, sizeof *tree->level);
    if (tree->permutation == NULL || tree->point == NULL || tree->level == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t i = 0; i < n; i++)
        tree->permutation[i] = i;
    tree->level[0] = 0;
    BASE_TRY(add_node(&b, 0, n, -1));
    for (tree->levels = 1;; tree->levels++) {
        tree->level[tree->levels] = tree->nodes;
        tree->first_leaf = tree->level[tree->levels - 1];
        if (is_finished(&b, tree->first_leaf))
            break;
        if (tree->levels == H2_MOST_LEVELS)
            BASE_TRY(base_fail(context, BASE_FAILED, "the cluster tree is too deep; take --split median"));
        BASE_TRY(add_level(&b, tree->first_leaf, tree->nodes));
    }
    order_leaves(tree, point, context->threads);
done:
    return status;
}

void h2_tree_free(h2_tree *tree) {
    if (tree == NULL)
        return;
    free(tree->level);
    free(tree->begin);
    free(tree->end);
    free(tree->parent);
    free(tree->permutation);
    free(tree->point);
    memset(tree, 0, sizeof *tree);
}

int64_t *h2_tree_children(base_context *context, const h2_tree *tree) {
    int64_t *child = base_alloc(context, tree->nodes + 1, sizeof *child), node = 0;
    if (child == NULL)
        return NULL;
    for (int64_t at = 1; at < tree->nodes; at++)
        for (; node <= tree->parent[at]; node++)
            child[node] = at;
    for (; node <= tree->nodes; node++)
        child[node] = tree->nodes;
    return child;
}

base_status h2_tree_boxes(base_context *context, const h2_tree *tree, double **result) {
    const int64_t dim = tree->dim;
    double *box = base_alloc(context, tree->nodes * 2 * dim, sizeof *box);
    *result = box;
    if (box == NULL)
        return BASE_MACHINE;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1)
    for (int64_t node = 0; node < tree->nodes; node++)
        for (int64_t axis = 0; axis < dim; axis++) {
            double low = INFINITY, high = -INFINITY;
            for (int64_t i = tree->begin[node]; i < tree->end[node]; i++) {
                low = fmin(low, tree->point[i * dim + axis]);
                high = fmax(high, tree->point[i * dim + axis]);
            }
            box[(2 * node) * dim + axis] = low;
            box[(2 * node + 1) * dim + axis] = high;
        }
    return BASE_OK;
}
