/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/report.h"

#include <math.h>

/* Of the nodes first … last-1 that have a rank. */
static void report_ranks(mm_report *report, const h2_matrix *matrix, int64_t first, int64_t last) {
    int64_t least = INT64_MAX, most = 0, count = 0;
    double sum = 0;
    for (int64_t node = first; node < last; node++) {
        const int64_t rank = matrix->row.rank[node];
        if (rank == 0)
            continue;
        least = rank < least ? rank : least;
        most = rank > most ? rank : most;
        sum += (double)rank;
        count++;
    }
    mm_report_integer(report, "rank_min", count > 0 ? least : 0);
    mm_report_integer(report, "rank_max", most);
    mm_report_real(report, "rank_mean", count > 0 ? sum / (double)count : 0);
}

/* The most blocks in a row, the transposed ones counted. */
static int64_t most_in_row(const h2_matrix *matrix, const h2_block_list *list) {
    int64_t most = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++) {
        int64_t count = list->start[node + 1] - list->start[node];
        if (h2_is_symmetric(matrix))
            count += list->incoming_start[node + 1] - list->incoming_start[node];
        most = count > most ? count : most;
    }
    return most;
}

void h2_report_matrix(mm_report *report, const h2_matrix *matrix) {
    static const char *const splits[] = {"median", "mean"}, *const rules[] = {"center", "box"};
    const h2_header *head = &matrix->head;
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    mm_report_integer(report, "n", head->n);
    mm_report_integer(report, "dim", head->dim);
    mm_report_text(report, "function", h2_function_name((h2_function_kind)head->function));
    mm_report_real(report, "length", head->length);
    mm_report_real(report, "nugget", head->nugget);
    mm_report_text(report, "split", splits[head->split == H2_MEAN]);
    mm_report_text(report, "admissibility", rules[head->admissibility == H2_BOX]);
    mm_report_real(report, "eta", head->eta);
    mm_report_integer(report, "order", head->order);
    mm_report_integer(report, "leaf_size", head->leaf_size);
    mm_report_integer(report, "levels", head->levels);
    mm_report_integer(report, "nodes", head->nodes);
    mm_report_text(report, "storage", h2_is_symmetric(matrix) ? "half" : "full");
    mm_report_integer(report, "value_bytes", head->value_bytes);
    mm_report_text(report, "orthogonal", (head->flags & H2_ORTHOGONAL) != 0 ? "yes" : "no");
    mm_report_integer(report, "coupling_blocks", head->coupling);
    mm_report_integer(report, "dense_blocks", head->dense);
    mm_report_integer(report, "row_coupling_max", most_in_row(matrix, &matrix->coupling));
    mm_report_integer(report, "row_dense_max", most_in_row(matrix, &matrix->dense));
    report_ranks(report, matrix, 0, matrix->tree.nodes);
    mm_report_integer(report, "leaf_bytes", sizes.leaf_bytes);
    mm_report_integer(report, "transfer_bytes", sizes.transfer_bytes);
    mm_report_integer(report, "coupling_bytes", sizes.coupling_bytes);
    mm_report_integer(report, "dense_bytes", sizes.dense_bytes);
    mm_report_integer(report, "bytes", matrix->payload_bytes);
    mm_report_real(report, "compression_error", head->error);
}

void h2_report_level(mm_report *report, const h2_matrix *matrix, int64_t level) {
    const h2_tree *tree = &matrix->tree;
    const int64_t first = tree->level[level], last = tree->level[level + 1], bytes = matrix->head.value_bytes;
    const h2_block_list *coupling = &matrix->coupling, *dense = &matrix->dense;
    mm_report_integer(report, "level", level);
    mm_report_integer(report, "nodes", last - first);
    report_ranks(report, matrix, first, last);
    mm_report_integer(report, "coupling_blocks", coupling->start[last] - coupling->start[first]);
    mm_report_integer(
        report, "coupling_bytes",
        bytes * (coupling->offset[coupling->start[last]] - coupling->offset[coupling->start[first]]));
    mm_report_integer(report, "transfer_bytes",
                      bytes * (matrix->row.transfer_offset[last] - matrix->row.transfer_offset[first]));
    mm_report_integer(report, "dense_blocks", dense->start[last] - dense->start[first]);
    mm_report_integer(report, "dense_bytes",
                      bytes * (dense->offset[dense->start[last]] - dense->offset[dense->start[first]]));
}

const char *const *h2_report_names(bool levels) {
    static const char *const of_level[] = {
        "name",           "level",        "nodes",           "rank_min",
        "rank_max",       "rank_mean",    "coupling_blocks", "coupling_bytes",
        "transfer_bytes", "dense_blocks", "dense_bytes",     NULL};
    static const char *const of_matrix[] = {"name",
                                            "n",
                                            "dim",
                                            "function",
                                            "length",
                                            "nugget",
                                            "split",
                                            "admissibility",
                                            "eta",
                                            "order",
                                            "leaf_size",
                                            "levels",
                                            "nodes",
                                            "storage",
                                            "value_bytes",
                                            "orthogonal",
                                            "coupling_blocks",
                                            "dense_blocks",
                                            "row_coupling_max",
                                            "row_dense_max",
                                            "rank_min",
                                            "rank_max",
                                            "rank_mean",
                                            "leaf_bytes",
                                            "transfer_bytes",
                                            "coupling_bytes",
                                            "dense_bytes",
                                            "bytes",
                                            "compression_error",
                                            "norm",
                                            "sampled_error",
                                            NULL};
    return levels ? of_level : of_matrix;
}
