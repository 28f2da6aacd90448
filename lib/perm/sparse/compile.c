/* SPDX-License-Identifier: BSD-3-Clause */
/* From a plan to the instructions, tables and constants of a block (perm_sparse_problem_make). */
#include "base/core/memory.h"
#include "perm/sparse/extent.h"
#include "perm/sparse/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 2 * PERM_SPARSE_MOST_NODES << PERM_SPARSE_MOST_SLICED };

typedef struct builder {
    const perm_dense_grid *grid;
    const perm_sparse_order *order;
    perm_sparse_tree tree;
    int parts;
    perm_sparse_extent extent[PERM_SPARSE_MOST_EXTENTS];
    int extent_count, places;
    unsigned signs;                 /* of the slice: the sliced columns that are +1 */
    perm_sparse_table slices, root; /* what the slices come to, and their sum */
    int value_extent[PERM_SPARSE_MOST_NODES], size_extent[PERM_SPARSE_MOST_NODES];
    perm_sparse_table table[PERM_SPARSE_MOST_NODES];
    perm_sparse_instruction instruction[MOST_INSTRUCTIONS];
    int instruction_count;
    int64_t index_count, constant_count;
    uint16_t *index; /* NULL the first time, which finds out lengths only */
    double *constant;
} builder;

/* The next extent, from the last instruction on. Its start is known the second time. */
static int take_places(builder *b, int length, int *number) {
    perm_sparse_extent *extent = &b->extent[ *number = b->extent_count++];
    extent->length = length;
    extent->first = b->instruction_count - 1;
    return extent->start;
}

static int count_entries(uint64_t columns) {
    return 1 << __builtin_popcountll(columns);
}

/* The bits of `subset` at the set bits of `mask`, side by side. */
static uint64_t gather_bits(uint64_t subset, uint64_t mask) {
    uint64_t gathered = 0;
    for (int bit = 0; mask != 0; mask &= mask - 1, bit++)
        gathered |= (subset >> __builtin_ctzll(mask) & 1) << bit;
    return gathered;
}

/* The low bits of `number` put at the set bits of `mask`. */
static uint64_t spread_bits(uint64_t number, uint64_t mask) {
    uint64_t spread = 0;
    for (; mask != 0; mask &= mask - 1, number >>= 1)
        spread |= (number & 1) << __builtin_ctzll(mask);
    return spread;
}

static double grid_entry(const builder *b, int part, int64_t row, int64_t position) {
    const int64_t n = b->grid->n;
    return ldexp(b->grid->value[(part * n + b->order->column[position]) * n + row], -54);
}

static perm_sparse_instruction *add_instruction(builder *b, perm_sparse_action action, int count) {
    perm_sparse_instruction *step = &b->instruction[b->instruction_count++];
    *step = (perm_sparse_instruction){.action = action, .count = count, .row = -1};
    return step;
}

static void add_index(builder *b, uint64_t entry) {
    if (b->index != NULL)
        b->index[b->index_count] = (uint16_t)entry;
    b->index_count++;
}

/* The table of a row, just before its use; x itself if the row has no low column. */
static void make_row(builder *b, int at) {
    const perm_sparse_node *node = &b->tree.node[at];
    const int count = count_entries(node->columns), tabled = b->order->low - b->order->sliced;
    b->table[at] = (perm_sparse_table){node->row * b->parts, -1};
    if (node->columns == 0 && node->slices == 0)
        return;
    perm_sparse_instruction *step = add_instruction(b, PERM_SPARSE_ROW, count);
    step->row = node->row;
    step->start = (int32_t)(b->constant_count / b->parts);
    step->left = b->table[at];
    step->right = (perm_sparse_table){-1, -1};
    step->result = (perm_sparse_table){take_places(b, count * b->parts, &b->value_extent[at]), -1};
    b->table[at] = step->result;
    const uint64_t always = (uint64_t)(node->slices & b->signs) << tabled;
    for (int e = 0; e < count; e++)
        for (int part = 0; part < b->parts; part++, b->constant_count++) {
            double sum = 0;
            for (uint64_t plus = spread_bits((uint64_t)e, node->columns) | always; plus != 0;
                 plus &= plus - 1)
                sum += 2 * grid_entry(b, part, node->row, __builtin_ctzll(plus));
            if (b->constant != NULL)
                b->constant[b->constant_count] = sum;
        }
}

/* The table is needed until the last instruction, or longer. */
static void keep_table(builder *b, int at) {
    const perm_sparse_node *node = &b->tree.node[at];
    if (node->row >= 0 && node->columns == 0 && node->slices == 0)
        return;
    b->extent[b->value_extent[at]].last = b->instruction_count - 1;
    if (node->has_size)
        b->extent[b->size_extent[at]].last = b->instruction_count - 1;
}

static perm_sparse_table take_result(builder *b, int at, int count) {
    if (at == b->tree.root && b->order->sliced > 0)
        return (perm_sparse_table){b->slices.value + (int)b->signs * b->parts,
                                   b->slices.size + (int)b->signs};
    perm_sparse_table result = {take_places(b, count * b->parts, &b->value_extent[at]), -1};
    if (b->tree.node[at].has_size)
        result.size = take_places(b, count, &b->size_extent[at]);
    return result;
}

static void make_node(builder *b, int at) {
    const perm_sparse_node *node = &b->tree.node[at];
    const int count = count_entries(node->columns), inputs[2] = {node->left, node->right};
    const uint64_t summed = node->summed >= 0 ? UINT64_C(1) << node->summed : 0;
    const perm_sparse_action action = summed == 0        ? PERM_SPARSE_MULTIPLY
                                      : node->right >= 0 ? PERM_SPARSE_SUM
                                                         : PERM_SPARSE_SUM_ONE;
    for (int side = 0; side < 2; side++)
        if (inputs[side] >= 0 && b->tree.node[inputs[side]].row >= 0)
            make_row(b, inputs[side]);
    perm_sparse_instruction *step = add_instruction(b, action, count);
    step->start = (int32_t)b->index_count;
    step->left = b->table[node->left];
    step->right = node->right >= 0 ? b->table[node->right] : (perm_sparse_table){-1, -1};
    step->result = b->table[at] = take_result(b, at, count);
    for (int e = 0; e < count; e++)
        for (uint64_t plus = 0; plus <= (summed != 0); plus++)
            for (int side = 0; side < 2; side++)
                if (inputs[side] >= 0)
                    add_index(b, gather_bits(spread_bits((uint64_t)e, node->columns) | (plus ? summed : 0),
                                             b->tree.node[inputs[side]].columns));
    for (int side = 0; side < 2; side++)
        if (inputs[side] >= 0)
            keep_table(b, inputs[side]);
}

/* Sums the table of the slices over its lowest column until one entry is left; the result is the root. */
static perm_sparse_table add_slices(builder *b, int value_extent, int size_extent) {
    perm_sparse_table table = b->slices;
    for (int count = 1 << b->order->sliced >> 1; count > 0; count /= 2) {
        perm_sparse_instruction *step = add_instruction(b, PERM_SPARSE_SUM_ONE, count);
        step->start = (int32_t)b->index_count;
        step->left = table;
        step->right = (perm_sparse_table){-1, -1};
        b->extent[value_extent].last = b->extent[size_extent].last = b->instruction_count - 1;
        step->result.value = take_places(b, count * b->parts, &value_extent);
        step->result.size = take_places(b, count, &size_extent);
        table = step->result;
        for (int e = 0; e < 2 * count; e++)
            add_index(b, (uint64_t)e);
    }
    b->extent[value_extent].last = b->extent[size_extent].last = b->instruction_count;
    return table;
}

static void make_program(builder *b) {
    int value_extent = 0, size_extent = 0;
    b->instruction_count = b->extent_count = 0;
    b->index_count = b->constant_count = 0;
    if (b->order->sliced > 0) {
        b->slices.value = take_places(b, b->parts << b->order->sliced, &value_extent);
        b->slices.size = take_places(b, 1 << b->order->sliced, &size_extent);
    }
    for (unsigned slice = 0; slice < 1U << b->order->sliced; slice++) {
        b->signs = slice ^ slice >> 1;
        for (int at = 0; at < b->tree.step_count; at++)
            if (perm_sparse_node_changes(&b->tree.node[b->tree.step[at]], slice))
                make_node(b, b->tree.step[at]);
    }
    if (b->order->sliced == 0) {
        b->slices = b->table[b->tree.root];
        value_extent = b->value_extent[b->tree.root];
        size_extent = b->size_extent[b->tree.root];
    }
    b->root = add_slices(b, value_extent, size_extent);
}

/* The tree with the columns numbered by their positions. What was rounded to 0 keeps its place, so that the
 * pattern is the one that was searched. */
static void make_tree(builder *b) {
    const int n = (int)b->grid->n;
    perm_sparse_pattern pattern = {.n = n};
    perm_sparse_order identity = {.low = b->order->low, .sliced = b->order->sliced};
    for (int j = 0; j < n; j++) {
        identity.column[j] = (uint8_t)j;
        for (int i = 0; i < n; i++) {
            const int at = b->order->column[j] * n + i;
            if (b->grid->value[at] != 0 || b->grid->change[at] != 0 ||
                (b->parts == 2 && b->grid->value[n * n + at] != 0)) {
                pattern.row[i] |= UINT64_C(1) << j;
                pattern.column[j] |= UINT64_C(1) << i;
            }
        }
    }
    perm_sparse_tree_make(&pattern, &identity, &b->tree);
}

static int64_t count_nonzeros(const builder *b) {
    const int64_t n = b->grid->n;
    int64_t count = 0;
    for (int64_t at = 0; at < n * n; at++)
        count += b->grid->value[at] != 0 || (b->parts == 2 && b->grid->value[n * n + at] != 0);
    return count;
}

/* x with all signs -1 but the last, and the columns. */
static void fill_columns(const builder *b, double *start, int64_t *column_start, int32_t *row,
                         double *twice) {
    const int64_t n = b->grid->n;
    int64_t count = 0;
    memset(start, 0, (size_t)(n * b->parts) * sizeof *start);
    for (int64_t j = 0; j < n; j++) {
        column_start[j] = count;
        for (int64_t i = 0; i < n; i++) {
            const double value[2] = {grid_entry(b, 0, i, j), b->parts == 2 ? grid_entry(b, 1, i, j) : 0};
            if (value[0] == 0 && value[1] == 0)
                continue;
            for (int part = 0; part < b->parts; part++) {
                start[i * b->parts + part] += j == n - 1 ? value[part] : -value[part];
                twice[count * b->parts + part] = 2 * value[part];
            }
            row[count++] = (int32_t)i;
        }
    }
    column_start[n] = count;
}

base_status perm_sparse_problem_make(base_context *context, const perm_dense_grid *grid,
                                     const perm_sparse_plan *plan, perm_sparse_problem *problem,
                                     void **memory) {
    const int64_t n = grid->n, parts = grid->is_complex ? 2 : 1;
    base_status status = BASE_MACHINE;
    builder *b = base_alloc_zero(context, 1, sizeof *b);
    *memory = NULL;
    if (b == NULL)
        goto done;
    b->grid = grid;
    b->order = &plan->order;
    b->parts = (int)parts;
    make_tree(b);
    make_program(b);
    b->places = perm_sparse_place_extents(b->extent, b->extent_count, (int)(n * parts));
    const int64_t nnz = count_nonzeros(b), doubles = (n + nnz) * parts + b->constant_count;
    const int64_t instruction_bytes = b->instruction_count * (int64_t)sizeof *b->instruction;
    char *start = base_alloc_aligned(
        context, doubles * 8 + (n + 1) * 8 + instruction_bytes + nnz * 4 + b->index_count * 2, 1);
    if (start == NULL)
        goto done;
    double *twice = (double *)start + n * parts;
    b->constant = twice + nnz * parts;
    int64_t *column_start = (int64_t *)(b->constant + b->constant_count);
    perm_sparse_instruction *instructions = (perm_sparse_instruction *)(column_start + n + 1);
    int32_t *row = (int32_t *)((char *)instructions + instruction_bytes);
    b->index = (uint16_t *)(row + nnz);
    make_program(b);
    memcpy(instructions, b->instruction, (size_t)instruction_bytes);
    fill_columns(b, (double *)start, column_start, row, twice);
    *memory = start;
    *problem = (perm_sparse_problem){.n = n,
                                     .low = plan->order.low,
                                     .is_complex = grid->is_complex,
                                     .start = (double *)start,
                                     .column_start = column_start,
                                     .row = row,
                                     .twice = twice,
                                     .instruction_count = b->instruction_count,
                                     .instructions = instructions,
                                     .index = b->index,
                                     .constant = b->constant,
                                     .root = b->root,
                                     .places = b->places,
                                     .operations = b->tree.operations};
    status = BASE_OK;
done:
    free(b);
    return status;
}
