/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/rcm.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "order/graph.h"

#include <stdlib.h>

typedef struct search {
    mm_sparse graph;
    int64_t *order;   /* vertices in the order in which they are reached */
    int64_t *visited; /* the number of the last search that reached a vertex; -1: its place is final */
    int64_t searches;
} search;

/* What a breadth-first search found: its levels, and a vertex of least degree in the last one. */
typedef struct levels {
    int64_t count, end; /* levels; the component is order[first] … order[end - 1] */
    int64_t farthest;
} levels;

static int64_t degree_of(const search *s, int64_t vertex) {
    return s->graph.start[vertex + 1] - s->graph.start[vertex];
}

/* Ascending degree, then number: insertion suits lists that are mostly short; long ones are sorted in halves.
 */
static void sort_by_degree(const search *s, int64_t *list, int64_t length, int64_t *room) {
    if (length < 12) {
        for (int64_t i = 1; i < length; i++) {
            int64_t vertex = list[i], k = i;
            for (; k > 0 && degree_of(s, list[k - 1]) > degree_of(s, vertex); k--)
                list[k] = list[k - 1];
            list[k] = vertex;
        }
        return;
    }
    int64_t half = length / 2, a = 0, b = half;
    sort_by_degree(s, list, half, room);
    sort_by_degree(s, list + half, length - half, room);
    for (int64_t k = 0; k < length; k++)
        room[k] = b == length || (a < half && degree_of(s, list[a]) <= degree_of(s, list[b])) ? list[a++]
                                                                                              : list[b++];
    for (int64_t k = 0; k < length; k++)
        list[k] = room[k];
}

/* From `root`, into order[first] …; neighbours by degree if there is room to sort them. */
static levels search_from(base_context *context, search *s, int64_t root, int64_t first, int64_t *room) {
    levels found = {.count = 0, .end = first + 1};
    int64_t mark = ++s->searches, level = first;
    s->order[first] = root;
    s->visited[root] = mark;
    while (level < found.end) {
        int64_t level_end = found.end;
        base_progress_add(context, level_end - level);
        found.count++;
        found.farthest = s->order[level];
        for (int64_t k = level; k < level_end; k++) {
            int64_t vertex = s->order[k], before = found.end;
            if (degree_of(s, vertex) < degree_of(s, found.farthest))
                found.farthest = vertex;
            for (int64_t p = s->graph.start[vertex]; p < s->graph.start[vertex + 1]; p++) {
                int64_t next = s->graph.index[p];
                if (s->visited[next] == mark)
                    continue;
                s->visited[next] = mark;
                s->order[found.end++] = next;
            }
            if (room != NULL)
                sort_by_degree(s, s->order + before, found.end - before, room);
        }
        level = level_end;
    }
    return found;
}

/* Orders a component into order[first] … and returns its end. */
static int64_t order_component(base_context *context, search *s, int64_t root, int64_t first, int64_t *room) {
    levels found = search_from(context, s, root, first, NULL);
    for (;;) {
        levels farther = search_from(context, s, found.farthest, first, NULL);
        root = s->order[first];
        if (farther.count <= found.count)
            break;
        found = farther;
    }
    int64_t end = search_from(context, s, root, first, room).end;
    for (int64_t k = first; k < end; k++)
        s->visited[s->order[k]] = -1;
    return end;
}

base_status order_rcm(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status;
    search s = {.searches = 0};
    int64_t n = matrix->ncol, placed = 0;
    int64_t *room = NULL;
    *order = (order_permutation){NULL, NULL};
    BASE_TRY(order_graph_make(context, matrix, &s.graph));
    s.order = base_alloc(context, n, sizeof *s.order);
    s.visited = base_alloc_zero(context, n, sizeof *s.visited);
    room = base_alloc(context, n, sizeof *room);
    if (s.order == NULL || s.visited == NULL || room == NULL)
        BASE_TRY(BASE_MACHINE);
    /* How many searches a component needs is not known before. */
    base_progress_start(context, "RCM", 0, "vertices reached");
    for (int64_t root = 0; root < n; root++)
        if (s.visited[root] >= 0)
            placed = order_component(context, &s, root, placed, room);
    base_progress_finish(context);
    for (int64_t k = 0; k < n / 2; k++) {
        int64_t vertex = s.order[k];
        s.order[k] = s.order[n - 1 - k];
        s.order[n - 1 - k] = vertex;
    }
    status = order_permutation_both(context, s.order, n, order);
    s.order = NULL;
done:
    mm_sparse_free(&s.graph);
    free(s.order);
    free(s.visited);
    free(room);
    return status;
}
