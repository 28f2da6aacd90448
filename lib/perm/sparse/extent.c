/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/extent.h"

#include <stdbool.h>

static bool overlap(const perm_sparse_extent *a, const perm_sparse_extent *b) {
    return a->first <= b->last && b->first <= a->last && a->start < b->start + b->length &&
           b->start < a->start + a->length;
}

/* The lowest start that is free of the `count` extents in `placed`. */
static void place_extent(perm_sparse_extent *extents, const int *placed, int count, int least,
                         perm_sparse_extent *extent) {
    extent->start = least;
    for (int k = 0; k < count; k++) {
        const perm_sparse_extent *other = &extents[placed[k]];
        if (overlap(extent, other)) {
            extent->start = other->start + other->length;
            k = -1; /* it may overlap earlier ones there */
        }
    }
}

/* Large tables first, so that they leave no gaps between them. */
int perm_sparse_place_extents(perm_sparse_extent *extent, int count, int least) {
    int order[PERM_SPARSE_MOST_EXTENTS], end = least;
    for (int k = 0; k < count; k++) {
        int at = k;
        for (; at > 0 && extent[order[at - 1]].length < extent[k].length; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (int k = 0; k < count; k++) {
        perm_sparse_extent *next = &extent[order[k]];
        place_extent(extent, order, k, least, next);
        if (next->start + next->length > end)
            end = next->start + next->length;
    }
    return end;
}
