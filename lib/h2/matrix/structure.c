/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/structure.h"
#include "base/core/memory.h"
#include "h2/matrix/dimension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double h2_admission_eta[H2_MOST_DIM] = {0.6, 0.9, 1};

/* Pairs of nodes of one level, by rows: those that are to be looked at. */
typedef struct pair_list {
    int64_t first, nodes; /* the level's */
    int64_t *start, *col;
    int64_t count, room;
} pair_list;

typedef struct traversal {
    const h2_tree *tree;
    const int64_t *child;
    const double *box;
    const uint8_t *dimension; /* of each node's points */
    const h2_admission *admission;
    bool symmetric;
} traversal;

static double diameter(const double *box, int64_t dim) {
    double square = 0;
    for (int64_t axis = 0; axis < dim; axis++)
        square += (box[dim + axis] - box[axis]) * (box[dim + axis] - box[axis]);
    return sqrt(square);
}

static bool is_admissible(const traversal *t, int64_t i, int64_t j) {
    const int64_t dim = t->tree->dim;
    const double *a = t->box + 2 * i * dim, *b = t->box + 2 * j * dim;
    const double eta =
        t->admission->eta[(t->dimension[i] < t->dimension[j] ? t->dimension[i] : t->dimension[j]) - 1];
    double centres = 0, boxes = 0;
    for (int64_t axis = 0; axis < dim; axis++) {
        const double centre = (a[axis] + a[dim + axis]) / 2 - (b[axis] + b[dim + axis]) / 2;
        const double gap = fmax(0, fmax(a[axis] - b[dim + axis], b[axis] - a[dim + axis]));
        centres += centre * centre;
        boxes += gap * gap;
    }
    /* By centres: mean diameter ≤ η distance; by boxes: smaller diameter ≤ η distance (structure.h). */
    if (t->admission->rule == H2_CENTER)
        return centres > 0 && (diameter(a, dim) + diameter(b, dim)) / 2 <= eta * sqrt(centres);
    return boxes > 0 && fmin(diameter(a, dim), diameter(b, dim)) <= eta * sqrt(boxes);
}

/* Adds the admissible pairs to the coupling blocks of the level's rows and leaves the others in the list. */
static base_status take_admissible(base_context *context, const traversal *t, pair_list *list,
                                   h2_structure *structure, int64_t *room) {
    base_status status = BASE_OK;
    int64_t kept = 0, from = 0;
    for (int64_t row = 0; row < list->nodes; row++) {
        const int64_t to = list->start[row + 1];
        BASE_TRY(base_reserve(context, &structure->coupling_col, room, structure->coupling + to - from,
                              sizeof *structure->coupling_col));
        structure->coupling_start[list->first + row] = structure->coupling;
        list->start[row] = kept;
        for (; from < to; from++) {
            if (is_admissible(t, list->first + row, list->col[from]))
                structure->coupling_col[structure->coupling++] = list->col[from];
            else
                list->col[kept++] = list->col[from];
        }
    }
    list->start[list->nodes] = list->count = kept;
done:
    return status;
}

/* The pairs of children; with half storage those of a node with itself give a triangle. */
static base_status descend(base_context *context, const traversal *t, pair_list *list, pair_list *next) {
    base_status status = BASE_OK;
    memset(next, 0, sizeof *next);
    next->first = t->child[list->first];
    next->nodes = t->child[list->first + list->nodes] - next->first;
    next->start = base_alloc(context, next->nodes + 1, sizeof *next->start);
    if (next->start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t row = 0; row < list->nodes; row++)
        for (int64_t i = t->child[list->first + row]; i < t->child[list->first + row + 1]; i++) {
            next->start[i - next->first] = next->count;
            BASE_TRY(base_reserve(context, &next->col, &next->room,
                                  next->count + 2 * (list->start[row + 1] - list->start[row]),
                                  sizeof *next->col));
            for (int64_t k = list->start[row]; k < list->start[row + 1]; k++)
                for (int64_t j = t->child[list->col[k]]; j < t->child[list->col[k] + 1]; j++)
                    if (!t->symmetric || j >= i)
                        next->col[next->count++] = j;
        }
    next->start[next->nodes] = next->count;
done:
    return status;
}

static void free_pairs(pair_list *list) {
    free(list->start);
    free(list->col);
    memset(list, 0, sizeof *list);
}

/* What is left on the last level is dense. */
static void take_dense(const h2_tree *tree, pair_list *list, h2_structure *structure) {
    structure->dense = list->count;
    structure->dense_col = list->col;
    list->col = NULL;
    for (int64_t node = 0; node < tree->first_leaf; node++)
        structure->dense_start[node] = 0;
    memcpy(structure->dense_start + tree->first_leaf, list->start,
           (size_t)(list->nodes + 1) * sizeof *list->start);
}

base_status h2_structure_build(base_context *context, const h2_tree *tree, const double *box,
                               const h2_admission *admission, bool symmetric, h2_structure *structure) {
    base_status status = BASE_OK;
    uint8_t *dimension = NULL;
    pair_list list = {.nodes = 1, .count = 1}, next = {0};
    int64_t *child = h2_tree_children(context, tree), room = 0;
    memset(structure, 0, sizeof *structure);
    structure->coupling_start = base_alloc(context, tree->nodes + 1, sizeof *structure->coupling_start);
    structure->dense_start = base_alloc(context, tree->nodes + 1, sizeof *structure->dense_start);
    list.start = base_alloc_zero(context, 2, sizeof *list.start);
    list.col = base_alloc_zero(context, 1, sizeof *list.col);
    if (child == NULL || structure->coupling_start == NULL || structure->dense_start == NULL ||
        list.start == NULL || list.col == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_tree_dimensions(context, tree, box, &dimension));
    const traversal t = {tree, child, box, dimension, admission, symmetric};
    list.start[1] = 1;
    for (int64_t level = 0; level < tree->levels; level++) {
        BASE_TRY(take_admissible(context, &t, &list, structure, &room));
        if (level + 1 == tree->levels)
            break;
        BASE_TRY(descend(context, &t, &list, &next));
        free_pairs(&list);
        list = next;
        memset(&next, 0, sizeof next);
    }
    structure->coupling_start[tree->nodes] = structure->coupling;
    take_dense(tree, &list, structure);
done:
    free(child);
    free(dimension);
    free_pairs(&list);
    free_pairs(&next);
    return status;
}

void h2_structure_free(h2_structure *structure) {
    if (structure == NULL)
        return;
    free(structure->coupling_start);
    free(structure->coupling_col);
    free(structure->dense_start);
    free(structure->dense_col);
    memset(structure, 0, sizeof *structure);
}
