/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling blocks of ranks above 64 in new bases (large.h): T S of a piece of them, then that times Tᵀ; and
 * the leaves of a basis that was truncated. */
#include "base/core/memory.h"
#include "h2/device/large.h"

#include <stdlib.h>

typedef struct changer {
    const h2_device_matrix *from, *to;
    const h2_device_change *row, *col;
    int64_t first, end; /* blocks */
    h2_device_kernels kernels;
    h2_device_products list;
    h2_device_pieces pieces;
    uint64_t *middle; /* of each of these blocks */
} changer;

static uint64_t change_of(const h2_device_change *change, int64_t node) {
    return change->t.address + (uint64_t)change->offset[node] * sizeof(double);
}

/* T S of block k to the workspace. */
static void add_left(changer *c, int64_t k) {
    const h2_matrix *matrix = c->from->matrix;
    const int64_t i = matrix->coupling.row[k], j = matrix->coupling.col[k], rows = matrix->row.rank[i],
                  cols = matrix->col.rank[j], new_rows = c->to->matrix->row.rank[i];
    if (new_rows == 0 || cols == 0)
        return;
    h2_device_products_begin(&c->list, c->middle[k - c->first], new_rows, cols, 0);
    h2_device_products_add(
        &c->list, rows, (h2_device_factor){change_of(c->row, i), rows, 1, false},
        (h2_device_factor){h2_device_address(c->from, h2_block(matrix, &matrix->coupling, k)), cols, 1,
                           matrix->head.value_bytes == 4});
}

/* That times the column's Tᵀ to the result. */
static void add_right(changer *c, int64_t k) {
    const h2_matrix *matrix = c->from->matrix, *to = c->to->matrix;
    const int64_t i = matrix->coupling.row[k], j = matrix->coupling.col[k], cols = matrix->col.rank[j],
                  new_rows = to->row.rank[i], new_cols = to->col.rank[j];
    if (new_rows == 0 || new_cols == 0)
        return;
    h2_device_products_begin(&c->list, h2_device_address(c->to, h2_block(to, &to->coupling, k)), new_rows,
                             new_cols, matrix->head.value_bytes == 4 ? H2_GPU_SUM_SINGLE : 0);
    h2_device_products_add(&c->list, cols, (h2_device_factor){c->middle[k - c->first], cols, 1, false},
                           (h2_device_factor){change_of(c->col, j), 1, cols, false});
}

static int64_t count_middle(const changer *c, int64_t k) {
    const h2_matrix *matrix = c->from->matrix;
    return c->to->matrix->row.rank[matrix->coupling.row[k]] * matrix->col.rank[matrix->coupling.col[k]];
}

static base_status open_lists(base_context *context, changer *c) {
    base_status status = BASE_OK;
    const int64_t count = c->end - c->first;
    int64_t most = 0, all = 0;
    for (int64_t k = c->first; k < c->end; k++) {
        const int64_t numbers = count_middle(c, k);
        most = numbers > most ? numbers : most;
        all += numbers + 1;
    }
    c->middle = base_alloc(context, count, sizeof *c->middle);
    if (c->middle == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_device_products_open(context, 2 * count, 2 * count, &c->list));
    BASE_TRY(h2_device_pieces_open(context, c->from->device, count, most, all, &c->pieces));
    BASE_TRY(h2_device_get_kernels(context, c->from->device, &c->kernels));
done:
    return status;
}

/* The sums of a piece: those with the rows' T, then those with the columns'. */
static void list_pieces(changer *c) {
    int64_t first = c->first; /* block of the piece */
    for (int64_t k = c->first; k <= c->end; k++) {
        bool begins = k == c->end && c->end > c->first;
        if (k < c->end)
            c->middle[k - c->first] = h2_device_pieces_take(&c->pieces, count_middle(c, k), false, &begins);
        if (!begins)
            continue;
        const int64_t piece = c->pieces.count - (k < c->end ? 2 : 1); /* that ends here */
        if (piece >= 0) {
            c->pieces.piece[piece].first = c->list.sums;
            for (int64_t at = first; at < k; at++)
                add_left(c, at);
            c->pieces.piece[piece].middle = c->list.sums;
            for (int64_t at = first; at < k; at++)
                add_right(c, at);
            c->pieces.piece[piece].last = c->list.sums;
        }
        first = k;
    }
}

base_status h2_device_change_large_blocks(base_context *context, const h2_device_matrix *from,
                                          const h2_device_change *row, const h2_device_change *col,
                                          const h2_device_matrix *to, int64_t first, int64_t end) {
    base_status status;
    changer c = {.from = from, .to = to, .row = row, .col = col, .first = first, .end = end};
    BASE_TRY(open_lists(context, &c));
    list_pieces(&c);
    BASE_TRY(h2_device_products_send(context, from->device, &c.list));
    for (int64_t k = 0; k < c.pieces.count; k++) {
        const h2_device_piece *piece = &c.pieces.piece[k];
        BASE_TRY(h2_device_products_launch(context, &c.kernels, &c.list, piece->first, piece->middle));
        BASE_TRY(h2_device_products_launch(context, &c.kernels, &c.list, piece->middle, piece->last));
    }
    BASE_TRY(base_device_wait(context, from->device));
done:
    h2_device_products_close(&c.list);
    h2_device_pieces_close(&c.pieces);
    free(c.middle);
    return status;
}

base_status h2_device_store_large_leaves(base_context *context, const h2_device_truncation *t,
                                         const h2_device_matrix *result, const h2_basis *to) {
    base_status status;
    const h2_matrix *matrix = t->from->matrix;
    const int64_t first = matrix->tree.first_leaf, count = matrix->tree.nodes - first;
    const bool single = matrix->head.value_bytes == 4;
    h2_device_kernels kernels = {0};
    h2_device_products list;
    BASE_TRY(h2_device_products_open(context, count, count, &list));
    BASE_TRY(h2_device_get_kernels(context, t->from->device, &kernels));
    for (int64_t node = first; node < matrix->tree.nodes; node++) {
        const int64_t old = t->basis->rank[node], points = h2_points_of(matrix, node);
        if (to->rank[node] == 0 || points == 0)
            continue;
        /* U Tᵀ, since a leaf's T are its vectors. */
        h2_device_products_begin(&list, h2_device_address(result, h2_leaf_basis(result->matrix, to, node)),
                                 points, to->rank[node], single ? H2_GPU_SUM_SINGLE : 0);
        h2_device_products_add(
            &list, old,
            (h2_device_factor){h2_device_address(t->from, h2_leaf_basis(matrix, t->basis, node)), old, 1,
                               single},
            (h2_device_factor){t->change.t.address + (uint64_t)t->change.offset[node] * sizeof(double), 1,
                               old, false});
    }
    BASE_TRY(h2_device_products_send(context, t->from->device, &list));
    BASE_TRY(h2_device_products_launch(context, &kernels, &list, 0, list.sums));
    BASE_TRY(base_device_wait(context, t->from->device));
done:
    h2_device_products_close(&list);
    return status;
}
