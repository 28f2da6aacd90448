/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes and flop of a product's phases. */
#include "h2/product/internal.h"

void h2_mv_note(h2_product_plan *plan, h2_phases *phases) {
    plan->phases = phases;
}

static void count(const h2_matrix *matrix, const char *name, int64_t level, double numbers, double each,
                  h2_phases *phases) {
    h2_phases_count(phases, name, level, numbers * (double)matrix->head.value_bytes, each * numbers);
}

/* Counts the work of the blocks of a level. With half storage a block off the diagonal stands for two. */
static void count_blocks(const h2_matrix *matrix, const h2_block_list *list, const char *name, int64_t level,
                         int64_t vectors, int64_t to, h2_phases *phases) {
    const int64_t first = list->start[matrix->tree.level[level]],
                  last = list->start[matrix->tree.level[level + 1]];
    double numbers = (double)(list->offset[last] - list->offset[first]), twice = 0;
    for (int64_t k = first; k < last && h2_is_symmetric(matrix); k++)
        if (list->row[k] != list->col[k])
            twice += (double)(list->offset[k + 1] - list->offset[k]);
    h2_phases_count(phases, name, to, numbers * (double)matrix->head.value_bytes,
                    2 * (double)vectors * (numbers + twice));
}

void h2_mv_count(const h2_matrix *matrix, bool transposed, int64_t vectors, bool by_level,
                 h2_phases *phases) {
    const h2_tree *tree = &matrix->tree;
    const bool turned = transposed && !h2_is_symmetric(matrix);
    const h2_basis *in = turned ? &matrix->row : &matrix->col, *out = turned ? &matrix->col : &matrix->row;
    const int64_t last = tree->levels - 1, leaves = tree->level[last + 1] - tree->first_leaf;
    const double each = 2 * (double)vectors;
    for (int64_t level = 0; level <= last; level++) {
        const int64_t first = tree->level[level], end = tree->level[level + 1], to = by_level ? level : -1;
        count(matrix, "up", to,
              (double)(level == last
                           ? in->leaf_offset[leaves]
                           : in->transfer_offset[tree->level[level + 2]] - in->transfer_offset[end]),
              each, phases);
        count(matrix, "down", to,
              (double)(out->transfer_offset[end] - out->transfer_offset[first] +
                       (level == last ? out->leaf_offset[leaves] : 0)),
              each, phases);
        count_blocks(matrix, &matrix->coupling, "coupling", level, vectors, to, phases);
    }
    count_blocks(matrix, &matrix->dense, "dense", last, vectors, by_level ? last : -1, phases);
}
