/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of a product with several vectors, as the device kernels take them. */
#include "base/core/memory.h"
#include "h2/product/internal.h"

#include <stdlib.h>
#include <string.h>

enum { H2_PIECE = 64 }; /* most rows and columns of a piece */

/* At most 64 rows of a node. */
typedef struct panel {
    int64_t node, first, rows;
} panel;

/* The slot of what a pair adds to a column; counts them before there is a place for the pieces. */
static int64_t take_slot(h2_product_tasks *t, const h2_operands *o, int64_t col) {
    const int64_t slot = t->next_slot[col];
    t->next_slot[col] += t->piece != NULL ? o->col_count[col] : 1;
    return slot;
}

/* The pieces of one column in a pair; block[half]: -1 for none. */
static void add_column(const h2_matrix *matrix, const h2_operands *o, bool transposed, const panel *panels,
                       int64_t col, const int64_t *block, h2_product_tasks *t) {
    bool turns[2], any = false;
    for (int half = 0; half < 2; half++) {
        turns[half] =
            block[half] >= 0 && transposed && (!h2_is_symmetric(matrix) || o->list->row[block[half]] != col);
        any = any || turns[half];
    }
    const int64_t slot = any ? take_slot(t, o, col) : 0, width = o->col_count[col];
    for (int64_t first = 0; first < width; first += H2_PIECE)
        for (int half = 0, is_same = 0; half < 2; half++) {
            if (block[half] < 0)
                continue;
            if (t->piece != NULL)
                t->piece[t->pieces] =
                    (h2_gpu_piece){.value = o->list->offset[block[half]] + panels[half].first * width + first,
                                   .slot = slot + first,
                                   .width = (int)width,
                                   .rows = (int)panels[half].rows,
                                   .cols = (int)(width - first < H2_PIECE ? width - first : H2_PIECE),
                                   .col = (int)(o->col_place[col] + first),
                                   .half = half,
                                   .flags = (turns[half] ? H2_GPU_TRANSPOSED : 0) |
                                            (turns[half] && !(half == 1 && turns[0]) ? H2_GPU_FIRST : 0) |
                                            (turns[half] && !(half == 0 && turns[1]) ? H2_GPU_LAST : 0) |
                                            (is_same ? H2_GPU_SAME : 0)};
            t->pieces++;
            is_same = 1;
        }
}

/* Two panels, or one, whose blocks are merged by columns. */
static void add_pair(const h2_matrix *matrix, const h2_operands *o, bool transposed, const panel *panels,
                     int count, h2_product_tasks *t) {
    const h2_block_list *list = o->list;
    int64_t at[2] = {0, 0}, end[2] = {0, 0};
    h2_gpu_pair pair = {.first = t->pieces};
    for (int half = 0; half < count; half++) {
        at[half] = list->start[panels[half].node];
        end[half] = list->start[panels[half].node + 1];
        pair.row[half] = (int)(o->row_place[panels[half].node] + panels[half].first);
        pair.rows[half] = (int)panels[half].rows;
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        int64_t col = INT64_MAX, block[2] = {-1, -1};
        for (int half = 0; half < 2; half++)
            if (at[half] < end[half] && list->col[at[half]] < col)
                col = list->col[at[half]];
        for (int half = 0; half < 2; half++)
            if (at[half] < end[half] && list->col[at[half]] == col)
                block[half] = at[half]++;
        add_column(matrix, o, transposed, panels, col, block, t);
    }
    if (t->pieces == pair.first) { /* y still has to be set */
        if (t->piece != NULL)
            t->piece[t->pieces] = (h2_gpu_piece){.half = 0};
        t->pieces++;
    }
    pair.count = (int)(t->pieces - pair.first);
    if (t->pair != NULL)
        t->pair[t->pairs] = pair;
    t->pairs++;
}

/* The pairs of all children of a node, or of the root itself. */
static void add_family(const h2_matrix *matrix, const h2_operands *o, bool transposed, int64_t first,
                       int64_t end, h2_product_tasks *t) {
    panel panels[2];
    int count = 0;
    for (int64_t node = first; node < end; node++)
        for (int64_t row = 0; row < o->row_count[node]; row += H2_PIECE) {
            const int64_t left = o->row_count[node] - row;
            panels[count++] = (panel){node, row, left < H2_PIECE ? left : H2_PIECE};
            if (count == 2) {
                add_pair(matrix, o, transposed, panels, count, t);
                count = 0;
            }
        }
    if (count > 0)
        add_pair(matrix, o, transposed, panels, count, t);
}

static void add_families(const h2_matrix *matrix, const h2_operands *o, bool transposed,
                         h2_product_tasks *t) {
    add_family(matrix, o, transposed, 0, 1, t);
    for (int64_t node = 0; node < matrix->tree.first_leaf; node++)
        add_family(matrix, o, transposed, matrix->child[node], matrix->child[node + 1], t);
}

/* Counts what one kind of blocks takes, then the places of the slots. */
static void count_pairs(const h2_matrix *matrix, const h2_operands *o, int flags, h2_product_tasks *t,
                        h2_product_phase *sums, int64_t *slots) {
    const bool forward = (flags & H2_GPU_FORWARD) != 0, transposed = (flags & H2_GPU_TRANSPOSED) != 0;
    memset(t->next_slot, 0, (size_t)matrix->tree.nodes * sizeof *t->next_slot);
    add_families(matrix, o, transposed, t);
    *sums = (h2_product_phase){.first = t->sums, .flags = forward ? H2_GPU_ADD : 0};
    *slots = 0;
    for (int64_t node = 0; node < matrix->tree.nodes && transposed; node++) {
        const int64_t count = t->next_slot[node];
        if (o->col_count[node] > 0 && (count > 0 || !forward))
            t->sum[t->sums++] = (h2_gpu_sum){.slot = *slots,
                                             .count = (int)count,
                                             .numbers = (int)o->col_count[node],
                                             .place = (int)o->col_place[node]};
        t->next_slot[node] = *slots;
        *slots += count * o->col_count[node];
    }
    sums->count = t->sums - sums->first;
}

base_status h2_product_pairs_init(base_context *context, const h2_matrix *matrix, const h2_operands *coupling,
                                  const h2_operands *dense, int flags, h2_product_tasks *t) {
    const bool transposed = (flags & H2_GPU_TRANSPOSED) != 0;
    const int64_t nodes = matrix->tree.nodes;
    base_status status = BASE_OK;
    int64_t *coupling_slot = base_alloc(context, nodes, sizeof *coupling_slot);
    if (coupling_slot == NULL)
        BASE_TRY(BASE_MACHINE);
    count_pairs(matrix, coupling, flags, t, &t->coupling_sum, &t->coupling_slots);
    memcpy(coupling_slot, t->next_slot, (size_t)nodes * sizeof *coupling_slot);
    count_pairs(matrix, dense, flags, t, &t->dense_sum, &t->dense_slots);
    t->pair = base_alloc(context, t->pairs, sizeof *t->pair);
    t->piece = base_alloc(context, t->pieces, sizeof *t->piece);
    if (t->pair == NULL || t->piece == NULL)
        BASE_TRY(BASE_MACHINE);
    t->pairs = t->pieces = 0;
    int64_t *dense_slot = t->next_slot;
    t->next_slot = coupling_slot;
    add_families(matrix, coupling, transposed, t);
    t->coupling = (h2_product_phase){.count = t->pairs, .flags = flags};
    t->next_slot = dense_slot;
    add_families(matrix, dense, transposed, t);
    t->dense =
        (h2_product_phase){.first = t->coupling.count, .count = t->pairs - t->coupling.count, .flags = flags};
done:
    free(coupling_slot);
    return status;
}
