/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/suitesparse.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "order/child.h"
#include "order/graph.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/colamd.h>

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "SuiteSparse's long integers have 64 bits");

base_status order_amd(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status;
    mm_sparse graph = {0};
    SuiteSparse_long n = matrix->ncol;
    int64_t *list = NULL;
    *order = (order_permutation){NULL, NULL};
    BASE_TRY(order_graph_make(context, matrix, &graph));
    list = base_alloc(context, n, sizeof *list);
    if (list == NULL)
        BASE_TRY(BASE_MACHINE);
    base_progress_start(context, "AMD", 0, NULL);
    const int result =
        (int)amd_l_order(n, (const SuiteSparse_long *)graph.start, (const SuiteSparse_long *)graph.index,
                         (SuiteSparse_long *)list, NULL, NULL);
    base_progress_finish(context);
    if (result != AMD_OK)
        BASE_TRY(base_fail(context, BASE_MACHINE, "AMD has not enough memory"));
    status = order_permutation_both(context, list, n, order);
    list = NULL;
done:
    free(list);
    mm_sparse_free(&graph);
    return status;
}

base_status order_colamd(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status = BASE_OK;
    SuiteSparse_long stats[COLAMD_STATS];
    size_t room = colamd_l_recommended(matrix->nnz, matrix->nrow, matrix->ncol);
    *order = (order_permutation){NULL, NULL};
    SuiteSparse_long *index = base_alloc(context, (int64_t)room, sizeof *index);
    order->col = base_alloc(context, matrix->ncol + 1, sizeof *order->col);
    if (index == NULL || order->col == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t p = 0; p < matrix->nnz; p++)
        index[p] = matrix->index[p];
    memcpy(order->col, matrix->start, (size_t)(matrix->ncol + 1) * sizeof *order->col);
    base_progress_start(context, "COLAMD", 0, NULL);
    const bool done_well = colamd_l(matrix->nrow, matrix->ncol, (SuiteSparse_long)room, index,
                                    (SuiteSparse_long *)order->col, NULL, stats);
    base_progress_finish(context);
    if (!done_well)
        BASE_TRY(base_fail(context, BASE_MACHINE, "COLAMD has not enough memory"));
done:
    free(index);
    if (status != BASE_OK)
        order_permutation_free(order);
    return status;
}

typedef struct metis_work {
    mm_sparse *graph;
    int64_t *list;
} metis_work;

static bool work_metis(void *data) {
    const metis_work *work = data;
    cholmod_common common;
    cholmod_l_start(&common);
    common.print = 0;
    cholmod_sparse matrix = {.nrow = (size_t)work->graph->nrow,
                             .ncol = (size_t)work->graph->ncol,
                             .nzmax = (size_t)work->graph->nnz,
                             .p = work->graph->start,
                             .i = work->graph->index,
                             .stype = 1,
                             .itype = CHOLMOD_LONG,
                             .xtype = CHOLMOD_PATTERN,
                             .dtype = CHOLMOD_DOUBLE,
                             .sorted = 1,
                             .packed = 1};
    const bool done_well = cholmod_l_metis(&matrix, NULL, 0, 0, (SuiteSparse_long *)work->list, &common);
    cholmod_l_finish(&common);
    return done_well;
}

/* METIS catches SIGTERM, and what it leaves behind then is no order; CHOLMOD does not ask whether it failed.
 */
static bool is_permutation(const int64_t *list, int64_t n, char *seen) {
    for (int64_t k = 0; k < n; k++)
        if (list[k] < 0 || list[k] >= n || seen[list[k]]++)
            return false;
    return true;
}

static base_status run_metis(base_context *context, mm_sparse *graph, int64_t *list) {
    base_status status = BASE_OK;
    metis_work work = {graph, list};
    const int64_t n = graph->ncol;
    char *seen = base_alloc_zero(context, n, 1);
    if (seen == NULL)
        return BASE_MACHINE;
    base_progress_start(context, "METIS", 0, NULL);
    status = order_in_child(context, "METIS", work_metis, &work, list, (size_t)n * sizeof *list);
    base_progress_finish(context);
    if (status == BASE_OK && !is_permutation(list, n, seen))
        status = base_fail(context, BASE_MACHINE, "METIS failed: it left no order");
    free(seen);
    return status;
}

base_status order_metis(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status;
    mm_sparse graph = {0};
    int64_t n = matrix->ncol, *list = NULL;
    *order = (order_permutation){NULL, NULL};
    BASE_TRY(order_graph_make(context, matrix, &graph));
    list = base_alloc(context, n, sizeof *list);
    if (list == NULL)
        BASE_TRY(BASE_MACHINE);
    if (graph.nnz > 0)
        BASE_TRY(run_metis(context, &graph, list));
    else
        for (int64_t k = 0; k < n; k++)
            list[k] = k;
    status = order_permutation_both(context, list, n, order);
    list = NULL;
done:
    free(list);
    mm_sparse_free(&graph);
    return status;
}
