/* What the records of a stream have cost so far. Devices that are not asked for are started for small blocks
 * once the processor has had enough of them; from then on their start costs nothing. That depends on the
 * records before a block alone, not on threads, parts or how many are solved together: records are counted in
 * windows, and each knows of those before the window before its own. */
#ifndef PERM_SOLVE_COST_HISTORY_H
#define PERM_SOLVE_COST_HISTORY_H

#include "perm/chunks/answer.h"

/* Records of a window, at most, and of the first one. */
enum { PERM_SPENT_WINDOW = 1024, PERM_SPENT_FIRST_WINDOW = 16 };

typedef struct perm_spent {
    double seconds;      /* expected on one core, of all complete windows but the last one */
    double last, recent; /* of that one and of the window that is not complete */
    int64_t records;
} perm_spent;

/* Whether a window ends after so many records: 16, 32, 64 and on to 1024, 2048, 3072. */
static inline bool perm_spent_is_end(int64_t records) {
    return records % PERM_SPENT_WINDOW == 0 ||
           (records >= PERM_SPENT_FIRST_WINDOW && (records & (records - 1)) == 0);
}

/* To choose a method for a block takes about n^2 times so long. */
#define PERM_SPENT_PLAN_SECONDS 1e-6

/* The next record's answer, or what there is of it. */
static inline void perm_spent_add(perm_spent *spent, const perm_answer *answer) {
    const double n = answer->n < 64 ? (double)answer->n : 64;
    for (int64_t i = 0; i < answer->count; i++)
        spent->recent += answer->leaf[i].cost_seconds + n * n * PERM_SPENT_PLAN_SECONDS;
    if (!perm_spent_is_end(++spent->records))
        return;
    spent->seconds += spent->last;
    spent->last = spent->recent;
    spent->recent = 0;
}

/* What record number `record`, from 0 on, knows, where at most the windows of it and before it are not
 * complete. */
static inline perm_spent perm_spent_before(const perm_spent *spent, int64_t record) {
    bool is_behind = false;
    for (int64_t end = spent->records + 1; end <= record && !is_behind; end++)
        is_behind = perm_spent_is_end(end);
    return (perm_spent){.seconds = spent->seconds + (is_behind ? spent->last : 0), .records = record};
}

#endif
