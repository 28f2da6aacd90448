/* What the records of a stream have cost so far. Devices that are not asked for are started for small blocks
 * once the processor has had enough of them; from then on their start costs nothing. That depends on the
 * records before a block alone, not on threads, parts or how many are solved together. */
#ifndef PERM_SPENT_H
#define PERM_SPENT_H

#include "perm/answer.h"

/* Records of a stream that are solved together, at most. */
enum { PERM_SPENT_WINDOW = 1024 };

typedef struct perm_spent {
    double seconds; /* expected on one core, of all windows of records that are complete */
    double recent;  /* of the last one */
    int64_t records;
} perm_spent;

/* The next record's answer, or what there is of it. */
static inline void perm_spent_add(perm_spent *spent, const perm_answer *answer) {
    for (int64_t i = 0; i < answer->count; i++)
        spent->recent += answer->leaf[i].cost_seconds;
    if (++spent->records % PERM_SPENT_WINDOW == 0) {
        spent->seconds += spent->recent;
        spent->recent = 0;
    }
}

#endif
