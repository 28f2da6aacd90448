/* SPDX-License-Identifier: BSD-3-Clause */
/* What a decomposition into terms is asked for, and what it counts (decompose.h says what it does). */
#ifndef PERM_DEGREE_OPTIONS_H
#define PERM_DEGREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum perm_rule {
    PERM_RULE_SWEEP, /* the first row or column with few enough entries, rows and columns in turn, parted so
                        that both matrices together have fewest entries: what is left differs in few places
                        from one matrix to the next, and much of it merges */
    PERM_RULE_FILL,  /* of the rows and columns with fewest entries and the ways to part those, the one that
                        leaves fewest entries in both matrices together */
    PERM_RULE_SUPERMAN, /* as SUperman's program: entries in no perfect matching are dropped once, rows and
                           columns of each block stand as a breadth-first search finds them (breadth.h), and
                           the first one with fewest entries is split, its first two entries, as algorithm 4
                           has it */
    PERM_RULE_PLAIN     /* algorithm 4 alone, with rows and columns as they stand. With these two nothing is
                           merged */
} perm_rule;

/* Whether nothing is done to matrices between the steps of algorithm 4. */
static inline bool perm_rule_is_plain(perm_rule rule) {
    return rule == PERM_RULE_SUPERMAN || rule == PERM_RULE_PLAIN;
}

typedef struct perm_decompose_options {
    perm_rule rule;
    int64_t max_degree;   /* rows and columns of up to that many entries are split; 0 to 2: no splitting */
    int64_t stop_n;       /* a matrix of that order or less is a term */
    int64_t max_terms;    /* 0: no limit */
    int64_t most_waiting; /* matrices held at a time so that equal ones, or such as differ in one row or
                             column only, become one; 0, with complex entries or with `round`: depth first,
                             nothing is merged */
    bool round; /* real entries become the nearest doubles instead of integers times powers of two */
} perm_decompose_options;

typedef struct perm_decompose_stats {
    /* Terms found; matrices left out since they have no perfect matching, with the last two rules those of
     * the order of terms only, which their counts include. */
    int64_t terms, zeros;
    int64_t merged; /* matrices that became part of others */
    double n, nnz;  /* sums over the terms given out */
} perm_decompose_stats;

#endif
