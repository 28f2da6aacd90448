/* SPDX-License-Identifier: BSD-3-Clause */
/* What the records of a stream have cost so far. Devices that are not asked for are started for small blocks
 * once the processor has had enough of them; from then on their start costs nothing. That depends on the
 * records before a block alone, not on threads, parts or how many are solved together: records are counted in
 * windows, and each knows of those before the window before its own. */
#ifndef PERM_SOLVE_COST_HISTORY_H
#define PERM_SOLVE_COST_HISTORY_H

#include "perm/chunks/partial_result.h"

/* Records of a window, at most, and of the first one. */
enum { PERM_COST_HISTORY_WINDOW = 1024, PERM_COST_HISTORY_FIRST_WINDOW = 16 };

typedef struct perm_cost_history {
    double seconds;      /* expected on one core, of all complete windows but the last one */
    double last, recent; /* of that one and of the window that is not complete */
    int64_t records;
} perm_cost_history;

/* Whether a window ends after so many records: 16, 32, 64 and on to 1024, 2048, 3072. */
static inline bool perm_cost_history_is_end(int64_t records) {
    return records % PERM_COST_HISTORY_WINDOW == 0 ||
           (records >= PERM_COST_HISTORY_FIRST_WINDOW && (records & (records - 1)) == 0);
}

/* To choose a method for a block takes about n^2 times so long. */
#define PERM_COST_HISTORY_PLAN_SECONDS 1e-6

/* The next record's result, or what there is of it. */
static inline void perm_cost_history_add(perm_cost_history *cost_history,
                                         const perm_partial_result *partial_result) {
    const double n = partial_result->n < 64 ? (double)partial_result->n : 64;
    for (int64_t i = 0; i < partial_result->count; i++)
        cost_history->recent +=
            partial_result->block_result[i].cost_seconds + n * n * PERM_COST_HISTORY_PLAN_SECONDS;
    if (!perm_cost_history_is_end(++cost_history->records))
        return;
    cost_history->seconds += cost_history->last;
    cost_history->last = cost_history->recent;
    cost_history->recent = 0;
}

/* What record number `record`, from 0 on, knows, where at most the windows of it and before it are not
 * complete. */
static inline perm_cost_history perm_cost_history_before(const perm_cost_history *cost_history,
                                                         int64_t record) {
    bool is_behind = false;
    for (int64_t end = cost_history->records + 1; end <= record && !is_behind; end++)
        is_behind = perm_cost_history_is_end(end);
    return (perm_cost_history){.seconds = cost_history->seconds + (is_behind ? cost_history->last : 0),
                               .records = record};
}

#endif
