/* SPDX-License-Identifier: BSD-3-Clause */
/* Truncated bases of ranks above 64 (large.h), level by level: what the children kept is known to the host.
 */
#include "base/core/memory.h"
#include "h2/device/large.h"

#include <stdlib.h>
#include <string.h>

/* One level of a basis. */
typedef struct truncator {
    const h2_device_truncation *t;
    const h2_gpu_truncate_how *how;
    const h2_device_kernels *kernels;
    int64_t first, end; /* nodes */
    bool are_leaves;
    int *rank; /* of all nodes, as far as they are known */
    h2_device_products list;
    h2_device_pieces pieces;
    h2_gpu_resolve_task *task;
    int64_t *node; /* of each task */
    int64_t tasks;
} truncator;

static uint64_t place_in(const base_device_buffer *buffer, int64_t number) {
    return buffer->address + (uint64_t)number * sizeof(double);
}

/* Length of a node's vectors: what its children kept, or the rank of a leaf's basis. */
static int64_t vector_length(const truncator *r, int64_t node) {
    const h2_matrix *matrix = r->t->from->matrix;
    int64_t length = r->are_leaves ? r->t->basis->rank[node] : 0;
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1] && !r->are_leaves; child++)
        length += r->rank[child];
    return length;
}

/* The workspace of a node: Z (length × rank), Z G (as large), and what is factored. A leaf has its weight
 * copied there. */
static int64_t count_numbers(const truncator *r, int64_t node) {
    const int64_t rank = r->t->basis->rank[node], length = vector_length(r, node);
    const int64_t square = r->t->gram ? length * length : rank * length;
    return square + (r->are_leaves ? 0 : (r->t->gram ? 2 : 1) * rank * length) + 6;
}

static int64_t even(int64_t count) {
    return (count + 1) / 2 * 2;
}

/* Z behind what is factored, and Z G behind Z. */
static uint64_t stack_of(const truncator *r, int64_t k) {
    const int64_t length = r->task[k].length;
    return r->task[k].a + (uint64_t)even((r->t->gram ? length : r->task[k].rank) * length) * sizeof(double);
}

static uint64_t product_of(const truncator *r, int64_t k) {
    return stack_of(r, k) + (uint64_t)even((int64_t)r->task[k].rank * r->task[k].length) * sizeof(double);
}

/* Z = T_c E_c over T_d E_d. */
static void add_stack(truncator *r, int64_t k) {
    const h2_device_truncation *t = r->t;
    const h2_matrix *matrix = t->from->matrix;
    const int64_t node = r->node[k], cols = t->basis->rank[node];
    uint64_t to = stack_of(r, k);
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int64_t old = t->basis->rank[child];
        if (r->rank[child] == 0)
            continue;
        h2_device_products_begin(&r->list, to, r->rank[child], cols, 0);
        h2_device_products_add(
            &r->list, old, (h2_device_factor){place_in(&t->change.t, t->change.offset[child]), old, 1, false},
            (h2_device_factor){h2_device_address(t->from, h2_transfer(matrix, t->basis, child)), cols, 1,
                               matrix->head.value_bytes == 4});
        to += (uint64_t)(r->rank[child] * cols) * sizeof(double);
    }
}

/* Z G to its place, or R Zᵀ to be factored. */
static void add_weighted(truncator *r, int64_t k) {
    const h2_gpu_resolve_task *task = &r->task[k];
    const h2_device_factor weight = {place_in(&r->t->change.t, r->t->change.offset[r->node[k]]), task->rank,
                                     1, false};
    const h2_device_factor z = {stack_of(r, k), task->rank, 1, false},
                           zt = {stack_of(r, k), 1, task->rank, false};
    if (task->length == 0)
        return;
    if (r->t->gram) {
        h2_device_products_begin(&r->list, product_of(r, k), task->length, task->rank, 0);
        h2_device_products_add(&r->list, task->rank, z, weight);
    } else {
        h2_device_products_begin(&r->list, task->a, task->rank, task->length, 0);
        h2_device_products_add(&r->list, task->rank, weight, zt);
    }
}

/* Z G Zᵀ. */
static void add_gram(truncator *r, int64_t k) {
    const h2_gpu_resolve_task *task = &r->task[k];
    if (task->length == 0)
        return;
    h2_device_products_begin(&r->list, task->a, task->length, task->length, H2_GPU_SUM_SYMMETRIC);
    h2_device_products_add(&r->list, task->rank, (h2_device_factor){product_of(r, k), task->rank, 1, false},
                           (h2_device_factor){stack_of(r, k), 1, task->rank, false});
}

/* T = vectors · Z, of the vectors that are kept. */
static void add_change(truncator *r, int64_t k) {
    const h2_gpu_resolve_task *task = &r->task[k];
    const int64_t node = r->node[k];
    if (r->rank[node] == 0)
        return;
    h2_device_products_begin(&r->list, place_in(&r->t->change.t, r->t->change.offset[node]), r->rank[node],
                             task->rank, 0);
    h2_device_products_add(&r->list, task->length, (h2_device_factor){task->vectors, task->length, 1, false},
                           (h2_device_factor){stack_of(r, k), task->rank, 1, false});
}

/* The tasks of a level in pieces; the vectors of leaves go where their T does, which they are. */
static base_status list_nodes(base_context *context, truncator *r, h2_device_truncation *t, int64_t level) {
    base_status status = BASE_OK;
    base_device_buffer *buffer = &t->level_vectors[level];
    int64_t vectors = 0;
    for (int64_t node = r->first; node < r->end && !r->are_leaves; node++)
        vectors += even(t->basis->rank[node] * vector_length(r, node));
    if (!r->are_leaves)
        BASE_TRY(base_device_alloc(context, t->from->device, vectors + 1, sizeof(double), buffer));
    vectors = 0;
    for (int64_t node = r->first; node < r->end; node++) {
        const int64_t rank = t->basis->rank[node], length = vector_length(r, node);
        bool begins;
        if (rank == 0)
            continue;
        const uint64_t t_place = place_in(&t->change.t, t->change.offset[node]),
                       work = h2_device_pieces_take(&r->pieces, count_numbers(r, node), false, &begins);
        if (begins)
            r->pieces.piece[r->pieces.count - 1].task = r->tasks;
        r->node[r->tasks] = node;
        r->task[r->tasks++] =
            (h2_gpu_resolve_task){.a = work,
                                  .from = r->are_leaves ? t_place : 0,
                                  .vectors = r->are_leaves ? t_place : place_in(buffer, vectors),
                                  .sigma = place_in(&t->sigma, t->basis->start[node]),
                                  .node = (int)node,
                                  .rank = (int)rank,
                                  .length = (int)length,
                                  .level = (int)level};
        t->vector_place[node] = vectors;
        vectors += r->are_leaves ? 0 : even(rank * length);
    }
    r->pieces.piece[r->pieces.count].task = r->tasks;
done:
    return status;
}

static base_status open_lists(base_context *context, truncator *r) {
    base_status status = BASE_OK;
    const int64_t nodes = r->end - r->first;
    int64_t most = 0, all = 0;
    for (int64_t node = r->first; node < r->end; node++) {
        const int64_t numbers = r->t->basis->rank[node] > 0 ? count_numbers(r, node) : 0;
        most = numbers > most ? numbers : most;
        all += numbers + 1;
    }
    r->task = base_alloc(context, nodes, sizeof *r->task);
    r->node = base_alloc(context, nodes, sizeof *r->node);
    if (r->task == NULL || r->node == NULL)
        BASE_TRY(BASE_MACHINE);
    /* Two stacks, twice, two products, a change */
    BASE_TRY(h2_device_products_open(context, 7 * nodes, 7 * nodes, &r->list));
    BASE_TRY(h2_device_pieces_open(context, r->t->from->device, nodes, most, all, &r->pieces));
done:
    return status;
}

static void close_lists(truncator *r) {
    h2_device_products_close(&r->list);
    h2_device_pieces_close(&r->pieces);
    free(r->task);
    free(r->node);
}

/* Shared memory for what the largest task of the level needs, if it can be had. */
static base_status find_room(base_context *context, const truncator *r, int *room) {
    enum { STATIC_BYTES = 20 << 10 };
    const base_device_properties *properties = base_device_get_properties(r->t->from->device);
    const int64_t limit = (properties->shared_bytes_per_block - STATIC_BYTES) / (int64_t)sizeof(double);
    int64_t most = 4096;
    for (int64_t k = 0; k < r->tasks; k++) {
        const int64_t length = r->task[k].length, rows = r->t->gram ? length : r->task[k].rank;
        most = rows * length > most ? rows * length : most;
    }
    *room = (int)(most < limit ? most : limit);
    return base_device_allow_shared(context, &r->kernels->resolve, *room * (int64_t)sizeof(double));
}

static base_status resolve(base_context *context, truncator *r, const base_device_buffer *tasks,
                           h2_gpu_truncate_state *state) {
    base_status status;
    h2_gpu_truncate_how how = *r->how;
    int room, is_gram = r->t->gram;
    BASE_TRY(find_room(context, r, &room));
    for (int64_t p = 0; p < r->pieces.count; p++) {
        const h2_device_piece *piece = &r->pieces.piece[p];
        uint64_t first = tasks->address + (uint64_t)piece->task * sizeof *r->task;
        const base_device_launch_config shape = {.grid = {(unsigned)(piece[1].task - piece->task)},
                                                 .block = {H2_GPU_LARGE_THREADS},
                                                 .shared_bytes = room * (int64_t)sizeof(double)};
        BASE_TRY(h2_device_products_launch(context, r->kernels, &r->list, piece->first, piece->middle));
        BASE_TRY(h2_device_products_launch(context, r->kernels, &r->list, piece->middle, piece->last));
        BASE_TRY(h2_device_products_launch(context, r->kernels, &r->list, piece->last, piece->end));
        BASE_TRY(base_device_launch(context, &r->kernels->resolve, &shape, NULL,
                                    (void *[]){&how, &is_gram, &room, &first, state}));
    }
    uint64_t first = tasks->address;
    const base_device_launch_config all = {.grid = {(unsigned)r->tasks}, .block = {32}};
    BASE_TRY(base_device_launch(context, &r->kernels->settle, &all, NULL, (void *[]){&how, &first, state}));
    BASE_TRY(base_device_download(context, &r->t->counts, r->first * (int64_t)sizeof(int), r->rank + r->first,
                                  (r->end - r->first) * (int64_t)sizeof(int), NULL));
done:
    return status;
}

/* T of all nodes of the level; a stack that gave way to those of other pieces is made again. */
static base_status change(base_context *context, truncator *r) {
    base_status status = BASE_OK;
    if (r->are_leaves)
        goto done;
    r->list.sums = r->list.terms = 0;
    base_device_free(&r->list.sum_buffer);
    base_device_free(&r->list.term_buffer);
    for (int64_t p = 0; p < r->pieces.count; p++) {
        h2_device_piece *piece = &r->pieces.piece[p];
        piece->first = r->list.sums;
        for (int64_t k = piece->task; k < piece[1].task && r->pieces.count > 1; k++)
            add_stack(r, k);
        piece->middle = r->list.sums;
        for (int64_t k = piece->task; k < piece[1].task; k++)
            add_change(r, k);
        piece->last = r->list.sums;
    }
    BASE_TRY(h2_device_products_send(context, r->kernels->device, &r->list));
    for (int64_t p = 0; p < r->pieces.count; p++) {
        const h2_device_piece *piece = &r->pieces.piece[p];
        BASE_TRY(h2_device_products_launch(context, r->kernels, &r->list, piece->first, piece->middle));
        BASE_TRY(h2_device_products_launch(context, r->kernels, &r->list, piece->middle, piece->last));
    }
done:
    return status;
}

static base_status truncate_level(base_context *context, truncator *r, h2_device_truncation *t, int64_t level,
                                  h2_gpu_truncate_state *state) {
    base_status status;
    base_device_buffer tasks = {0};
    BASE_TRY(open_lists(context, r));
    BASE_TRY(list_nodes(context, r, t, level));
    for (int64_t p = 0; p < r->pieces.count; p++) {
        h2_device_piece *piece = &r->pieces.piece[p];
        const int64_t first = piece->task, end = r->are_leaves ? first : piece[1].task;
        piece->first = r->list.sums;
        for (int64_t k = first; k < end; k++)
            add_stack(r, k);
        piece->middle = r->list.sums;
        for (int64_t k = first; k < end; k++)
            add_weighted(r, k);
        piece->last = r->list.sums;
        for (int64_t k = first; k < end && t->gram; k++)
            add_gram(r, k);
        piece->end = r->list.sums;
    }
    if (r->tasks == 0)
        goto done;
    BASE_TRY(h2_device_send(context, t->from->device, r->task, r->tasks, sizeof *r->task, &tasks));
    BASE_TRY(h2_device_products_send(context, t->from->device, &r->list));
    BASE_TRY(resolve(context, r, &tasks, state));
    BASE_TRY(change(context, r));
    BASE_TRY(base_device_wait(context, t->from->device));
done:
    base_device_free(&tasks);
    close_lists(r);
    return status;
}

base_status h2_device_truncate_large(base_context *context, h2_device_truncation *t,
                                     const h2_gpu_truncate_how *how) {
    base_status status = BASE_OK;
    const h2_tree *tree = &t->from->matrix->tree;
    h2_device_kernels kernels = {0};
    h2_gpu_truncate_state state = h2_device_truncate_state(t);
    int *rank = base_alloc_zero(context, tree->nodes, sizeof *rank);
    t->vector_place = base_alloc_zero(context, tree->nodes, sizeof *t->vector_place);
    if (rank == NULL || t->vector_place == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_device_get_kernels(context, t->from->device, &kernels));
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
        truncator r = {.t = t,
                       .how = how,
                       .kernels = &kernels,
                       .first = tree->level[level],
                       .end = tree->level[level + 1],
                       .are_leaves = level == tree->levels - 1,
                       .rank = rank};
        BASE_TRY(truncate_level(context, &r, t, level, &state));
    }
done:
    free(rank);
    return status;
}
