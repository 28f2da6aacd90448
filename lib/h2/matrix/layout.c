/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/layout.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "payloads are mapped as they are: little-endian");
_Static_assert(sizeof(h2_header) == 256, "the header's size is part of the format");

/* ---- places ---- */

typedef struct cursor {
    char *payload;
    int64_t bytes, place; /* place -1: beyond the end */
} cursor;

/* The next array, aligned; what is passed over becomes 0. */
static void *take(cursor *cursor, int64_t count, int64_t size) {
    const int64_t aligned = (cursor->place + H2_ALIGNMENT - 1) / H2_ALIGNMENT * H2_ALIGNMENT;
    if (cursor->place < 0 || count < 0 || aligned > cursor->bytes ||
        count > (cursor->bytes - aligned) / size) {
        cursor->place = -1;
        return NULL;
    }
    if (cursor->payload != NULL)
        memset(cursor->payload + cursor->place, 0, (size_t)(aligned - cursor->place));
    cursor->place = aligned + count * size;
    return cursor->payload != NULL ? cursor->payload + aligned : NULL;
}

static bool is_possible(const h2_header *head) {
    const int64_t most = INT64_C(1) << 48;
    return head->n >= 1 && head->n <= most && head->dim >= 1 && head->dim <= H2_MOST_DIM &&
           head->levels >= 1 && head->levels <= H2_MOST_LEVELS && head->nodes >= 1 && head->nodes <= most &&
           head->coupling >= 0 && head->coupling <= most && head->dense >= 0 && head->dense <= most &&
           (head->value_bytes == 8 || head->value_bytes == 4) && head->flags >= 0 && head->flags < 8 &&
           (head->flags & (H2_SYMMETRIC | H2_OWN_COLUMNS)) != (H2_SYMMETRIC | H2_OWN_COLUMNS) &&
           head->function >= 0 && head->function <= H2_GIVEN && head->length > 0 && isfinite(head->length) &&
           isfinite(head->nugget) && isfinite(head->eta) && head->error >= 0;
}

int64_t h2_layout_lists(h2_matrix *matrix, char *payload, int64_t bytes) {
    const h2_header *head = &matrix->head;
    h2_tree *tree = &matrix->tree;
    cursor cursor = {payload, bytes, sizeof *head};
    if (!is_possible(head))
        return -1;
    tree->n = head->n;
    tree->dim = head->dim;
    tree->levels = head->levels;
    tree->nodes = head->nodes;
    matrix->coupling.count = head->coupling;
    matrix->dense.count = head->dense;
    tree->point = take(&cursor, head->n * head->dim, 8);
    tree->permutation = take(&cursor, head->n, 8);
    tree->level = take(&cursor, head->levels + 1, 8);
    tree->begin = take(&cursor, head->nodes, 8);
    tree->end = take(&cursor, head->nodes, 8);
    tree->parent = take(&cursor, head->nodes, 8);
    matrix->row.rank = take(&cursor, head->nodes, 8);
    matrix->col.rank = matrix->row.rank;
    if ((head->flags & H2_OWN_COLUMNS) != 0)
        matrix->col.rank = take(&cursor, head->nodes, 8);
    matrix->coupling.start = take(&cursor, head->nodes + 1, 8);
    matrix->coupling.col = take(&cursor, head->coupling, 8);
    matrix->dense.start = take(&cursor, head->nodes + 1, 8);
    matrix->dense.col = take(&cursor, head->dense, 8);
    return cursor.place;
}

static void take_basis(cursor *cursor, const h2_matrix *matrix, h2_basis *basis) {
    const h2_tree *tree = &matrix->tree;
    basis->leaf = take(cursor, basis->leaf_offset[tree->nodes - tree->first_leaf], matrix->head.value_bytes);
    basis->transfer = take(cursor, basis->transfer_offset[tree->nodes], matrix->head.value_bytes);
}

int64_t h2_layout_values(h2_matrix *matrix, char *payload, int64_t bytes, int64_t place) {
    const int64_t size = matrix->head.value_bytes;
    cursor cursor = {payload, bytes, place};
    take_basis(&cursor, matrix, &matrix->row);
    if ((matrix->head.flags & H2_OWN_COLUMNS) != 0) {
        take_basis(&cursor, matrix, &matrix->col);
    } else {
        matrix->col.leaf = matrix->row.leaf;
        matrix->col.transfer = matrix->row.transfer;
    }
    matrix->coupling.value = take(&cursor, matrix->coupling.offset[matrix->coupling.count], size);
    matrix->dense.value = take(&cursor, matrix->dense.offset[matrix->dense.count], size);
    return cursor.place;
}

/* ---- checks ---- */

static bool is_tree(const h2_tree *tree) {
    if (tree->level[0] != 0 || tree->level[1] != 1 || tree->level[tree->levels] != tree->nodes ||
        tree->parent[0] != -1)
        return false;
    for (int64_t level = 0; level < tree->levels; level++) {
        const int64_t first = tree->level[level], last = tree->level[level + 1];
        if (first >= last || last > tree->nodes || tree->begin[first] != 0 || tree->end[last - 1] != tree->n)
            return false;
        for (int64_t node = first; node < last; node++) {
            const int64_t parent = tree->parent[node];
            if (tree->begin[node] < 0 || tree->begin[node] >= tree->end[node] || tree->end[node] > tree->n ||
                (node > first &&
                 (tree->begin[node] != tree->end[node - 1] || parent < tree->parent[node - 1])))
                return false;
            if (level > 0 && (parent < tree->level[level - 1] || parent >= first ||
                              tree->begin[node] < tree->begin[parent] || tree->end[node] > tree->end[parent]))
                return false;
        }
    }
    return true;
}

static bool are_ranks(const h2_tree *tree, const int64_t *rank) {
    for (int64_t node = 0; node < tree->nodes; node++)
        if (rank[node] < 0 || rank[node] > H2_MOST_RANK)
            return false;
    return true;
}

/* Columns of a row are nodes of its level, ascending; with half storage none left of the diagonal. */
static bool are_blocks(const h2_tree *tree, const h2_block_list *list, bool symmetric, int64_t first_row) {
    if (list->start[0] != 0 || list->start[tree->nodes] != list->count)
        return false;
    for (int64_t level = 0; level < tree->levels; level++)
        for (int64_t row = tree->level[level]; row < tree->level[level + 1]; row++) {
            if (list->start[row] > list->start[row + 1] || list->start[row + 1] > list->count ||
                (row < first_row && list->start[row + 1] != 0))
                return false;
            int64_t least = symmetric ? row : tree->level[level];
            for (int64_t k = list->start[row]; k < list->start[row + 1]; k++) {
                if (list->col[k] < least || list->col[k] >= tree->level[level + 1])
                    return false;
                least = list->col[k] + 1;
            }
        }
    return true;
}

const char *h2_layout_check(const h2_matrix *matrix) {
    const h2_tree *tree = &matrix->tree;
    const bool symmetric = h2_is_symmetric(matrix);
    if (!is_tree(tree))
        return "the cluster tree is damaged";
    for (int64_t i = 0; i < tree->n; i++)
        if (tree->permutation[i] < 0 || tree->permutation[i] >= tree->n)
            return "the permutation is damaged";
    if (!are_ranks(tree, matrix->row.rank) || !are_ranks(tree, matrix->col.rank))
        return "a rank is impossible";
    if (!are_blocks(tree, &matrix->coupling, symmetric, 0) ||
        !are_blocks(tree, &matrix->dense, symmetric, tree->level[tree->levels - 1]))
        return "the lists of blocks are damaged";
    return NULL;
}

/* ---- index ---- */

/* Sums of products stay below what a payload can hold, which is checked when they are laid out. */
static int64_t add_product(int64_t sum, int64_t a, int64_t b) {
    const int64_t most = INT64_C(1) << 60;
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > most - sum ? most : sum + product;
}

static base_status index_basis(base_context *context, const h2_matrix *matrix, h2_basis *basis) {
    const h2_tree *tree = &matrix->tree;
    const int64_t leaves = tree->nodes - tree->first_leaf;
    basis->start = base_alloc(context, tree->nodes + 1, sizeof *basis->start);
    basis->leaf_offset = base_alloc(context, leaves + 1, sizeof *basis->leaf_offset);
    basis->transfer_offset = base_alloc(context, tree->nodes + 1, sizeof *basis->transfer_offset);
    if (basis->start == NULL || basis->leaf_offset == NULL || basis->transfer_offset == NULL)
        return BASE_MACHINE;
    basis->start[0] = basis->transfer_offset[0] = basis->leaf_offset[0] = 0;
    for (int64_t node = 0; node < tree->nodes; node++) {
        basis->start[node + 1] = basis->start[node] + basis->rank[node];
        basis->transfer_offset[node + 1] =
            add_product(basis->transfer_offset[node], basis->rank[node], h2_parent_rank(matrix, basis, node));
    }
    for (int64_t leaf = 0; leaf < leaves; leaf++)
        basis->leaf_offset[leaf + 1] =
            add_product(basis->leaf_offset[leaf], h2_points_of(matrix, tree->first_leaf + leaf),
                        basis->rank[tree->first_leaf + leaf]);
    return BASE_OK;
}

static base_status index_blocks(base_context *context, const h2_matrix *matrix, bool dense,
                                h2_block_list *list) {
    const int64_t nodes = matrix->tree.nodes;
    const bool symmetric = h2_is_symmetric(matrix);
    list->row = base_alloc(context, list->count, sizeof *list->row);
    list->offset = base_alloc(context, list->count + 1, sizeof *list->offset);
    list->incoming_start = base_alloc_zero(context, nodes + 2, sizeof *list->incoming_start);
    list->incoming = base_alloc(context, list->count, sizeof *list->incoming);
    list->position = base_alloc(context, list->count, sizeof *list->position);
    if (list->row == NULL || list->offset == NULL || list->incoming_start == NULL || list->incoming == NULL ||
        list->position == NULL)
        return BASE_MACHINE;
    /* A counting sort by columns: next[col + 1] counts, sums make starts of these, and next[col] runs to the
     * end of its blocks, which is the start of the column after it. */
    int64_t *next = list->incoming_start + 1;
    list->offset[0] = 0;
    for (int64_t row = 0; row < nodes; row++)
        for (int64_t k = list->start[row]; k < list->start[row + 1]; k++) {
            const int64_t col = list->col[k];
            list->row[k] = row;
            list->offset[k + 1] =
                dense ? add_product(list->offset[k], h2_points_of(matrix, row), h2_points_of(matrix, col))
                      : add_product(list->offset[k], matrix->row.rank[row], matrix->col.rank[col]);
            if (!symmetric || col != row)
                next[col + 1]++;
        }
    for (int64_t node = 0; node < nodes; node++)
        next[node + 1] += next[node];
    for (int64_t k = 0; k < list->count; k++) {
        const bool is_incoming = !symmetric || list->col[k] != list->row[k];
        list->position[k] = is_incoming ? next[list->col[k]]++ : -1;
        if (is_incoming)
            list->incoming[list->position[k]] = k;
    }
    return BASE_OK;
}

base_status h2_index_build(base_context *context, h2_matrix *matrix) {
    base_status status = BASE_OK;
    matrix->child = h2_tree_children(context, &matrix->tree);
    if (matrix->child == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(index_basis(context, matrix, &matrix->row));
    if ((matrix->head.flags & H2_OWN_COLUMNS) != 0)
        BASE_TRY(index_basis(context, matrix, &matrix->col));
    else
        matrix->col = matrix->row;
    BASE_TRY(index_blocks(context, matrix, false, &matrix->coupling));
    BASE_TRY(index_blocks(context, matrix, true, &matrix->dense));
done:
    return status;
}

static void free_list(h2_block_list *list) {
    free(list->row);
    free(list->offset);
    free(list->incoming_start);
    free(list->incoming);
    free(list->position);
}

static void free_basis(h2_basis *basis) {
    free(basis->start);
    free(basis->leaf_offset);
    free(basis->transfer_offset);
}

void h2_index_free(h2_matrix *matrix) {
    free(matrix->child);
    if (matrix->col.start != matrix->row.start)
        free_basis(&matrix->col);
    free_basis(&matrix->row);
    free_list(&matrix->coupling);
    free_list(&matrix->dense);
}
