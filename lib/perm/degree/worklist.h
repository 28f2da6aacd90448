/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrices that a decomposition has still to work on, each with a factor. Two that differ in one row
 * or column only become one (scaled.h): the permanent is linear in it. Internal to terms.c. */
#ifndef PERM_DEGREE_WORKLIST_H
#define PERM_DEGREE_WORKLIST_H

#include "perm/degree/scaled.h"

typedef struct perm_worklist_slot {
    perm_scaled scaled;
    int64_t newer, older; /* of the same order; -1: none. Of free slots, `older` is the next one */
} perm_worklist_slot;

typedef struct perm_worklist {
    int64_t most; /* matrices held before the smallest go first; 0: none are merged, the latest goes first */
    int64_t largest; /* order */
    perm_worklist_slot *slot;
    int64_t capacity, count, unused; /* slots; those in use; the first free one */
    int64_t *newest, *oldest;        /* largest + 1: of each order; without merging all are of order 0 */
    uint64_t *hash;                  /* capacity × 2·largest: perm_scaled_hash */
    int64_t *next;                   /* the same: the next with that hash in its bucket */
    int64_t *bucket;                 /* bucket_count, a power of two */
    int64_t bucket_count;
    int64_t merged; /* matrices that became part of others */
} perm_worklist;

/* For matrices up to an order. */
base_status perm_worklist_init(base_context *context, int64_t largest, int64_t most, perm_worklist *worklist);
void perm_worklist_free(perm_worklist *worklist); /* NULL is allowed */

/* Takes `scaled`, normalised where matrices are merged. Expected O(nnz + n) with the first comparison of
 * each row and column, and again for each merge. */
base_status perm_worklist_put(base_context *context, perm_worklist *worklist, perm_scaled *scaled);

/* Gives out one of the largest, so that what may still merge does; where more than `most` are held, the
 * oldest of the smallest. False when there is none. */
bool perm_worklist_take(perm_worklist *worklist, perm_scaled *scaled);

#endif
