/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/graph.h"

base_status order_graph_make(base_context *context, const mm_sparse *matrix, mm_sparse *graph) {
    base_status status = BASE_OK;
    int64_t n = matrix->ncol;
    mm_sparse pattern = mm_sparse_pattern(matrix), transpose = {0};
    *graph = (mm_sparse){.nrow = n, .ncol = n, .field = MM_PATTERN};
    if (matrix->nrow != n)
        return base_fail(context, BASE_FAILED,
                         "this order needs a square matrix, not one of %lld rows and %lld columns; colamd "
                         "and spmm take any",
                         (long long)matrix->nrow, (long long)n);
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_COLUMNS, &transpose));
    graph->nnz = 2 * pattern.nnz;
    BASE_TRY(mm_sparse_alloc(context, graph, n, false));
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t p = pattern.start[j], q = transpose.start[j];
        while (p < pattern.start[j + 1] || q < transpose.start[j + 1]) {
            int64_t a = p < pattern.start[j + 1] ? pattern.index[p] : n;
            int64_t b = q < transpose.start[j + 1] ? transpose.index[q] : n;
            int64_t i = a < b ? a : b;
            p += a == i;
            q += b == i;
            if (i != j)
                graph->index[count++] = i;
        }
        graph->start[j + 1] = count;
    }
    graph->nnz = count;
done:
    mm_sparse_free(&transpose);
    if (status != BASE_OK)
        mm_sparse_free(graph);
    return status;
}
