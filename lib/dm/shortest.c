/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortest augmenting paths, phase by phase (Hopcroft, Karp 1973). */
#include "dm/matching.h"
#include "dm/search.h"

#include <string.h>

/* Levels of the columns reachable from the unmatched ones by alternating paths, into `level` (the workspace
 * `next`), up to the level where the first free row shows; that level, or -1 when the matching is maximum.
 * Sets `position` for the search that follows. */
static int64_t find_levels(dm_search *search, int64_t *level) {
    const mm_sparse *matrix = search->matrix;
    const int64_t *column_of_row = search->matching->column_of_row;
    int64_t *queue = search->path, tail = 0, last = -1;
    memset(level, -1, (size_t)matrix->ncol * sizeof *level);
    for (; tail < search->nunmatched; tail++) {
        queue[tail] = search->unmatched[tail];
        level[queue[tail]] = 0;
    }
    for (int64_t head = 0; head < tail; head++) {
        int64_t column = queue[head];
        if (last >= 0 && level[column] > last)
            break;
        search->position[column] = matrix->start[column];
        for (int64_t k = matrix->start[column]; k < matrix->start[column + 1]; k++) {
            int64_t reached = column_of_row[matrix->index[k]];
            if (reached < 0) {
                last = level[column];
                break;
            }
            if (level[reached] < 0) {
                level[reached] = level[column] + 1;
                queue[tail++] = reached;
            }
        }
    }
    return last;
}

/* Augments along one path of `last` + 1 columns from the root, if there is one disjoint from those before. */
static bool augment_shortest(dm_search *search, int64_t *level, int64_t root, int64_t last) {
    const mm_sparse *matrix = search->matrix;
    int64_t depth = 0;
    search->path[0] = root;
    while (depth >= 0) {
        int64_t column = search->path[depth], k = search->position[column], descend = -1;
        for (; k < matrix->start[column + 1] && descend < 0; k++) {
            int64_t row = matrix->index[k], reached = search->matching->column_of_row[row];
            if (depth == last && reached < 0) {
                dm_search_augment(search, depth, row);
                return true;
            }
            if (depth < last && reached >= 0 && level[reached] == depth + 1)
                descend = reached;
        }
        search->position[column] = k;
        if (descend >= 0) {
            level[descend] = -1;
            search->path[++depth] = descend;
        } else
            depth--;
    }
    return false;
}

void dm_search_shortest(dm_search *search) {
    int64_t *level = search->next, last;
    while ((last = find_levels(search, level)) >= 0) {
        int64_t kept = 0;
        dm_search_tell(search);
        for (int64_t k = 0; k < search->nunmatched; k++)
            if (!augment_shortest(search, level, search->unmatched[k], last))
                search->unmatched[kept++] = search->unmatched[k];
        search->nunmatched = kept;
    }
}
