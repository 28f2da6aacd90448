/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches for augmenting paths in depth, with lookahead (Pothen, Fan 1990). */
#include "base/run/progress.h"
#include "dm/matching.h"
#include "dm/search.h"

#include <string.h>

enum { TOLD_SEARCHES = 64 };

void dm_search_tell(dm_search *search) {
    const int64_t size = search->matching->size;
    if (size <= search->told || search->matrix->nnz < DM_LONG_ENTRIES)
        return;
    base_progress_add(search->context, size - search->told);
    search->told = size;
}

void dm_search_augment(dm_search *search, int64_t depth, int64_t row) {
    dm_matching *matching = search->matching;
    for (; depth >= 0; depth--) {
        int64_t column = search->path[depth];
        int64_t taken = matching->row_of_column[column];
        matching->row_of_column[column] = row;
        matching->column_of_row[row] = column;
        row = taken;
    }
    matching->size++;
}

void dm_search_greedily(dm_search *search) {
    const int64_t *start = search->matrix->start, *index = search->matrix->index;
    int64_t *column_of_row = search->matching->column_of_row;
    int64_t size = 0, nunmatched = 0;
    memset(column_of_row, -1, (size_t)search->matrix->nrow * sizeof *column_of_row);
    for (int64_t j = 0; j < search->matrix->ncol; j++) {
        int64_t k = start[j], end = start[j + 1];
        while (k < end && column_of_row[index[k]] >= 0)
            k++;
        search->next[j] = k;
        if (k < end) {
            search->matching->row_of_column[j] = index[k];
            column_of_row[index[k]] = j;
            size++;
        } else {
            search->matching->row_of_column[j] = -1;
            if (end > start[j])
                search->unmatched[nunmatched++] = j;
        }
    }
    search->matching->size = size;
    search->nunmatched = nunmatched;
}

void dm_search_restart(dm_search *search) {
    search->nunmatched = 0;
    for (int64_t j = 0; j < search->matrix->ncol; j++) {
        search->next[j] = search->matrix->start[j];
        if (search->matching->row_of_column[j] < 0 && search->matrix->start[j + 1] > search->matrix->start[j])
            search->unmatched[search->nunmatched++] = j;
    }
}

/* A free row of the column, or -1. Matched rows stay matched, so over all phases this reads an entry once. */
static int64_t look_ahead(dm_search *search, int64_t column) {
    const int64_t *index = search->matrix->index, *column_of_row = search->matching->column_of_row;
    int64_t k = search->next[column], end = search->matrix->start[column + 1];
    while (k < end && column_of_row[index[k]] >= 0)
        k++;
    search->next[column] = k;
    return k < end ? index[k] : -1;
}

/* One depth-first search. Searches count upwards; those of one phase begin at `phase_first`. */
typedef struct attempt {
    int64_t number, phase_first;
    bool upwards;
    bool blocked; /* it met a row that another search of this phase has seen */
    int64_t nseen;
} attempt;

/* The mark of rows that lead to no free row, now and later: alternating paths from them stay among them. */
static const int64_t DEAD = INT64_MAX;

static bool is_seen(const dm_search *search, attempt *attempt, int64_t row) {
    int64_t visited = search->visited[row];
    attempt->blocked |= visited >= attempt->phase_first && visited < attempt->number;
    return visited >= attempt->phase_first;
}

/* The next row of the path's last column that this phase has not seen, or -1. */
static int64_t next_row(dm_search *search, attempt *attempt, int64_t depth) {
    const int64_t *index = search->matrix->index;
    int64_t column = search->path[depth], k = search->position[depth];
    if (attempt->upwards) {
        int64_t end = search->matrix->start[column + 1];
        while (k < end && is_seen(search, attempt, index[k]))
            k++;
        search->position[depth] = k + 1;
        return k < end ? index[k] : -1;
    }
    int64_t end = search->matrix->start[column];
    while (k >= end && is_seen(search, attempt, index[k]))
        k--;
    search->position[depth] = k - 1;
    return k >= end ? index[k] : -1;
}

static void enter(dm_search *search, const attempt *attempt, int64_t depth, int64_t column) {
    const int64_t *start = search->matrix->start;
    search->path[depth] = column;
    search->position[depth] = attempt->upwards ? start[column] : start[column + 1] - 1;
}

static bool augment_from(dm_search *search, attempt *attempt, int64_t root) {
    int64_t depth = 0;
    enter(search, attempt, 0, root);
    while (depth >= 0) {
        int64_t column = search->path[depth];
        int64_t row = look_ahead(search, column);
        if (row >= 0) {
            dm_search_augment(search, depth, row);
            return true;
        }
        row = next_row(search, attempt, depth);
        if (row >= 0) {
            search->visited[row] = attempt->number;
            search->seen[attempt->nseen++] = row;
            enter(search, attempt, ++depth, search->matching->column_of_row[row]);
        } else
            depth--;
    }
    return false;
}

/* A search that failed without meeting another one has seen all that its column can ever reach. */
static bool may_succeed_later(dm_search *search, const attempt *attempt) {
    if (attempt->blocked)
        return true;
    for (int64_t k = 0; k < attempt->nseen; k++)
        search->visited[search->seen[k]] = DEAD;
    return false;
}

bool dm_search_depth_first(dm_search *search, int64_t limit) {
    int64_t nrow = search->matrix->nrow, ncol = search->matrix->ncol;
    int64_t full = nrow < ncol ? nrow : ncol, number = 0;
    memset(search->visited, 0, (size_t)nrow * sizeof *search->visited);
    for (int64_t phase = 1; phase <= limit; phase++) {
        int64_t kept = 0, size = search->matching->size, phase_first = number + 1;
        int64_t alone = phase > 1 ? nrow / 4 : 0; /* see below */
        for (int64_t k = 0; k < search->nunmatched && search->matching->size < full; k++) {
            number++;
            if (k % TOLD_SEARCHES == 0)
                dm_search_tell(search);
            /* A search that ignores what the others of its phase have seen decides for good when it fails,
             * which pays where few columns can still be matched; rows seen before a success may be seen
             * again, so there is a limit to it. */
            if (alone > 0)
                phase_first = number;
            /* With one direction for all phases, the same unlucky paths would be tried again and again. */
            attempt attempt = {.number = number, .phase_first = phase_first, .upwards = phase & 1};
            int64_t column = search->unmatched[k];
            if (augment_from(search, &attempt, column))
                alone -= attempt.nseen;
            else if (may_succeed_later(search, &attempt))
                search->unmatched[kept++] = column;
        }
        if (search->matching->size == full || search->matching->size == size || kept == 0)
            return true;
        search->nunmatched = kept;
    }
    return false;
}
