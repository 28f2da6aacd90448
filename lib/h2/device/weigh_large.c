/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of bases of ranks above 64 (large.h): Gram matrices as sums of products, or R by rows that join. */
#include "base/core/memory.h"
#include "h2/device/large.h"

#include <stdlib.h>

/* The weights of one basis, from the nodes' own blocks or from their parents: sums of products (Gram
 * matrices), or tasks with blocks that join R. */
typedef struct weigher {
    const h2_device_truncation *t;
    const h2_device_matrix *blocks; /* has blocks first … end - 1; NULL: weights are those from the parents */
    int64_t first, end;
    bool adds; /* to the weights that there are */
    h2_device_kernels kernels;
    h2_device_products list;
    h2_device_pieces pieces;
    int64_t *node;  /* of each task, from the root down */
    uint64_t *work; /* of each task */
    h2_gpu_weigh_rows_task *task;
    h2_gpu_joining *joining;
    int64_t tasks, joinings;
} weigher;

static uint64_t weight_of(const weigher *w, int64_t node) {
    return w->t->change.t.address + (uint64_t)w->t->change.offset[node] * sizeof(double);
}

/* B is a stored block (is_row: rank × other) or its transpose. */
typedef struct own_block {
    uint64_t value;
    int64_t other;
    bool is_row;
} own_block;

/* Block number `at` of the node: of its row first, then of its column; false behind the last. One that is not
 * in the part has `other` 0. */
static bool find_block(const weigher *w, int64_t node, int64_t at, own_block *block) {
    const h2_device_truncation *t = w->t;
    const h2_matrix *matrix = t->from->matrix;
    const h2_block_list *list = &matrix->coupling;
    const h2_basis *other = t->columns ? &matrix->row : &matrix->col;
    const bool symmetric = h2_is_symmetric(matrix);
    const int64_t rows = !t->columns || symmetric ? list->start[node + 1] - list->start[node] : 0;
    const int64_t cols =
        t->columns || symmetric ? list->incoming_start[node + 1] - list->incoming_start[node] : 0;
    if (at >= rows + cols)
        return false;
    block->is_row = at < rows;
    const int64_t k =
        at < rows ? list->start[node] + at : list->incoming[list->incoming_start[node] + at - rows];
    block->value = h2_device_address(w->blocks, h2_block(matrix, list, k));
    block->other = k >= w->first && k < w->end ? other->rank[at < rows ? list->col[k] : list->row[k]] : 0;
    return true;
}

static bool has_blocks(const weigher *w, int64_t node) {
    own_block block = {.other = 0};
    for (int64_t at = 0; block.other == 0 && find_block(w, node, at, &block); at++)
        ;
    return block.other > 0;
}

/* G = Σ B Bᵀ. */
static void add_gram(weigher *w, int64_t node) {
    const int64_t rank = w->t->basis->rank[node];
    const bool single = w->t->from->matrix->head.value_bytes == 4;
    own_block block;
    h2_device_products_begin(&w->list, weight_of(w, node), rank, rank,
                             H2_GPU_SUM_SYMMETRIC | (w->adds ? H2_GPU_SUM_ADDS : 0));
    for (int64_t at = 0; find_block(w, node, at, &block); at++) {
        if (block.other == 0)
            continue;
        const int64_t row = block.is_row ? block.other : 1, col = block.is_row ? 1 : rank;
        h2_device_products_add(&w->list, block.other, (h2_device_factor){block.value, row, col, single},
                               (h2_device_factor){block.value, col, row, single});
    }
}

/* The task of R, which the blocks that follow join. */
static void begin_rows(weigher *w, int64_t k) {
    const int64_t node = w->node[k];
    w->task[k] = (h2_gpu_weigh_rows_task){.a = w->work[k],
                                          .weight = weight_of(w, node),
                                          .first = w->joinings,
                                          .rank = (int)w->t->basis->rank[node],
                                          .adds = w->adds};
}

static void join(weigher *w, int64_t k, uint64_t value, int64_t rows, int64_t row_step, int64_t col_step,
                 bool single) {
    w->joining[w->joinings++] =
        (h2_gpu_joining){value, (int)rows, (int)row_step, (int)col_step, single ? 1 : 0};
    w->task[k].count++;
}

static void add_rows(weigher *w, int64_t k) {
    const int64_t rank = w->t->basis->rank[w->node[k]];
    const bool single = w->t->from->matrix->head.value_bytes == 4;
    own_block block;
    begin_rows(w, k);
    for (int64_t at = 0; find_block(w, w->node[k], at, &block); at++)
        if (block.other > 0)
            join(w, k, block.value, block.other, block.is_row ? 1 : rank, block.is_row ? block.other : 1,
                 single);
}

/* Behind a task's workspace for R, where its parent's R Eᵀ goes; Gram matrices need only the latter. */
static int64_t own_numbers(const weigher *w, int64_t node) {
    const int64_t rank = w->t->basis->rank[node];
    return w->t->gram ? 0
                      : H2_GPU_WEIGH_NUMBERS(rank, w->blocks == NULL
                                                       ? h2_parent_rank(w->t->from->matrix, w->t->basis, node)
                                                       : h2_most_rank(w->t->from->matrix));
}

/* P = E G for the parent's G; or P = R Eᵀ for its R, which joins. */
static void add_parent(weigher *w, int64_t k) {
    const h2_device_truncation *t = w->t;
    const h2_matrix *matrix = t->from->matrix;
    const int64_t node = w->node[k], rank = t->basis->rank[node],
                  parent = h2_parent_rank(matrix, t->basis, node);
    const uint64_t transfer = h2_device_address(t->from, h2_transfer(matrix, t->basis, node)),
                   product = w->work[k] + (uint64_t)own_numbers(w, node) * sizeof(double);
    const bool single = matrix->head.value_bytes == 4;
    const h2_device_factor above = {weight_of(w, matrix->tree.parent[node]), parent, 1, false};
    if (t->gram) {
        h2_device_products_begin(&w->list, product, rank, parent, 0);
        h2_device_products_add(&w->list, parent, (h2_device_factor){transfer, parent, 1, single}, above);
    } else {
        h2_device_products_begin(&w->list, product, parent, rank, 0);
        h2_device_products_add(&w->list, parent, above, (h2_device_factor){transfer, 1, parent, single});
        begin_rows(w, k);
        join(w, k, product, parent, rank, 1, false);
    }
}

/* G += P Eᵀ. */
static void add_gram_of_parent(weigher *w, int64_t k) {
    const h2_device_truncation *t = w->t;
    const h2_matrix *matrix = t->from->matrix;
    const int64_t node = w->node[k], rank = t->basis->rank[node],
                  parent = h2_parent_rank(matrix, t->basis, node);
    const uint64_t transfer = h2_device_address(t->from, h2_transfer(matrix, t->basis, node));
    h2_device_products_begin(&w->list, weight_of(w, node), rank, rank,
                             H2_GPU_SUM_SYMMETRIC | H2_GPU_SUM_ADDS);
    h2_device_products_add(&w->list, parent, (h2_device_factor){w->work[k], parent, 1, false},
                           (h2_device_factor){transfer, 1, parent, matrix->head.value_bytes == 4});
}

static int64_t count_numbers(const weigher *w, int64_t node) {
    const int64_t rank = w->t->basis->rank[node];
    return own_numbers(w, node) +
           (w->blocks == NULL ? rank * h2_parent_rank(w->t->from->matrix, w->t->basis, node) : 0) + 1;
}

static bool takes_part(const weigher *w, int64_t node) {
    if (w->t->basis->rank[node] == 0)
        return false;
    return w->blocks == NULL ? h2_parent_rank(w->t->from->matrix, w->t->basis, node) > 0
                             : !w->adds || has_blocks(w, node);
}

static base_status open_lists(base_context *context, weigher *w) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = w->t->from->matrix;
    const int64_t nodes = matrix->tree.nodes, blocks = 2 * (w->end - w->first) + nodes;
    int64_t most = 0, all = 0;
    for (int64_t node = 0; node < nodes; node++) {
        const int64_t numbers = takes_part(w, node) ? count_numbers(w, node) : 0;
        most = numbers > most ? numbers : most;
        all += numbers + 1;
    }
    w->node = base_alloc(context, nodes, sizeof *w->node);
    w->work = base_alloc(context, nodes, sizeof *w->work);
    w->task = base_alloc(context, nodes, sizeof *w->task);
    w->joining = base_alloc(context, blocks, sizeof *w->joining);
    if (w->node == NULL || w->work == NULL || w->task == NULL || w->joining == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_device_products_open(context, 2 * nodes, blocks + nodes, &w->list));
    BASE_TRY(h2_device_pieces_open(context, w->t->from->device, nodes, most, all, &w->pieces));
    BASE_TRY(h2_device_get_kernels(context, w->t->from->device, &w->kernels));
done:
    return status;
}

/* Pieces of nodes; those of a level follow those of the level above. */
static void list_nodes(weigher *w) {
    const h2_tree *tree = &w->t->from->matrix->tree;
    for (int64_t level = 0; level < tree->levels; level++) {
        bool apart = w->blocks == NULL, begins;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            if (!takes_part(w, node))
                continue;
            w->work[w->tasks] = h2_device_pieces_take(&w->pieces, count_numbers(w, node), apart, &begins);
            apart = false;
            if (begins)
                w->pieces.piece[w->pieces.count - 1].task = w->tasks;
            w->node[w->tasks++] = node;
        }
    }
    w->pieces.piece[w->pieces.count].task = w->tasks;
    for (int64_t p = 0; p < w->pieces.count; p++) {
        h2_device_piece *piece = &w->pieces.piece[p];
        piece->first = w->list.sums;
        for (int64_t k = piece->task; k < piece[1].task; k++) {
            if (w->blocks == NULL)
                add_parent(w, k);
            else if (w->t->gram)
                add_gram(w, w->node[k]);
            else
                add_rows(w, k);
        }
        piece->middle = w->list.sums;
        for (int64_t k = piece->task; k < piece[1].task && w->blocks == NULL && w->t->gram; k++)
            add_gram_of_parent(w, k);
        piece->last = w->list.sums;
    }
}

static base_status run(base_context *context, weigher *w, const base_device_buffer *tasks,
                       const base_device_buffer *joinings) {
    base_status status = BASE_OK;
    const int64_t bytes = H2_GPU_PANEL_BYTES(H2_GPU_PANEL + h2_most_rank(w->t->from->matrix));
    BASE_TRY(base_device_allow_shared(context, &w->kernels.weigh, bytes));
    for (int64_t k = 0; k < w->pieces.count; k++) {
        const h2_device_piece *piece = &w->pieces.piece[k];
        uint64_t first = tasks->address + (uint64_t)piece->task * sizeof *w->task;
        const base_device_launch_config shape = {.grid = {(unsigned)(piece[1].task - piece->task)},
                                                 .block = {H2_GPU_LARGE_THREADS},
                                                 .shared_bytes = bytes};
        BASE_TRY(h2_device_products_launch(context, &w->kernels, &w->list, piece->first, piece->middle));
        BASE_TRY(h2_device_products_launch(context, &w->kernels, &w->list, piece->middle, piece->last));
        if (!w->t->gram)
            BASE_TRY(base_device_launch(context, &w->kernels.weigh, &shape, NULL,
                                        (void *[]){&first, (void *)&joinings->address}));
    }
    BASE_TRY(base_device_wait(context, w->t->from->device));
done:
    return status;
}

static base_status weigh(base_context *context, weigher *w) {
    base_status status;
    const h2_device_truncation *t = w->t;
    base_device_buffer tasks = {0}, joinings = {0};
    BASE_TRY(open_lists(context, w));
    list_nodes(w);
    BASE_TRY(
        h2_device_send(context, t->from->device, w->task, t->gram ? 0 : w->tasks, sizeof *w->task, &tasks));
    BASE_TRY(
        h2_device_send(context, t->from->device, w->joining, w->joinings, sizeof *w->joining, &joinings));
    BASE_TRY(h2_device_products_send(context, t->from->device, &w->list));
    BASE_TRY(run(context, w, &tasks, &joinings));
done:
    base_device_free(&tasks);
    base_device_free(&joinings);
    h2_device_products_close(&w->list);
    h2_device_pieces_close(&w->pieces);
    free(w->node);
    free(w->work);
    free(w->task);
    free(w->joining);
    return status;
}

base_status h2_device_weigh_large_blocks(base_context *context, const h2_device_truncation *truncation,
                                         const h2_device_matrix *blocks, int64_t first, int64_t end) {
    weigher w = {.t = truncation, .blocks = blocks, .first = first, .end = end, .adds = first > 0};
    return weigh(context, &w);
}

base_status h2_device_weigh_large_parents(base_context *context, const h2_device_truncation *truncation) {
    weigher w = {.t = truncation, .adds = true};
    return weigh(context, &w);
}

base_status h2_device_weigh_large(base_context *context, const h2_device_truncation *truncation) {
    base_status status;
    const h2_device_matrix *from = truncation->from;
    BASE_TRY(h2_device_weigh_large_blocks(context, truncation, from, 0, from->matrix->coupling.count));
    BASE_TRY(h2_device_weigh_large_parents(context, truncation));
done:
    return status;
}
