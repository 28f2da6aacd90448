/* SPDX-License-Identifier: BSD-3-Clause */
/* Test matrices: families of random and of well-known matrices. The same options, seed and index give the
 * same matrix on every machine: random numbers are Philox's (base/core/random.h), and everything is done in
 * integer arithmetic and in + - * / sqrt of doubles, which round alike everywhere. Record `index` of a seed
 * depends on no other record.
 *
 *   er           n×m, each entry with probability p (Erdős–Rényi)            random
 *   band         entries inside a bandwidth with probability p               random
 *   block        block diagonal; inside the blocks probability p (diagonals full), above them `fill`   random
 *   rmat         2^s × 2^s with edges·2^s draws (Chakrabarti, Zhan, Faloutsos: R-MAT, SDM 2004)       random
 *   dense        full n×m array                                              random values
 *   vector       n×1 (or n×k) array                                          random values
 *   points       point set in the unit cube, an array of one row per point   random, or a (perturbed) grid
 *   permutation  random permutation matrix                                   random
 *   unitary      n×n complex array with Haar's distribution (unitary.c); O(n³)    random
 *   constant     full n×m array of one value a; permanent n!aⁿ
 *   ones         the same with 1
 *   identity     n×m
 *   tridiagonal  all ones unless `values` says otherwise; permanent F(n+1)
 *   stencil      Laplacian of a grid: 2, 5 or 7 points, 2d and -1
 *   derangement  J - I, ones off the diagonal; permanent: derangements of n
 *   menage       J - I - P, P the cyclic shift; permanent: ménage numbers
 *   circulant    ones where column - row ≡ an offset (mod n)
 *   scheme       the standard algorithm for n×m times m×p, rank nmp
 *
 * A scheme of format n×m×p is an integer coordinate matrix of nm + mp + np rows and one column per product:
 * U over V over W. Rows of U are the entries a(i,j) of A row by row, of V those of B (m×p) row by row, of W
 * those of C = AB (n×p) row by row: C itself, not transposed. It is right when for all indices
 *   Σ_r U[(i,j),r] V[(j',k),r] W[(i',k'),r] = 1 if i = i', j = j', k = k', else 0.
 *
 * A family is a row of the table in trials.c (entries drawn one by one), draws.c (drawn as a whole) or
 * fixed.c (no chance in their structure): its name, its options, how it plans its size, how it pushes its
 * entries. generate.c does what they have in common, values.c draws the values, list.c keeps the entries. */
#ifndef MM_GENERATE_GENERATE_H
#define MM_GENERATE_GENERATE_H

#include "mm/record/record.h"

/* NULL and negative values mean: the family's own default. */
typedef struct mm_generate_options {
    const char *family;
    const char *size;          /* "43", "1000x500", "30x30x30" */
    const char *grid;          /* of points: "32x32": a grid of the unit cube instead of random points */
    const char *values;        /* "uniform", "uniform:LO:HI", "int:LO:HI", "pm1", or a number */
    const char *bandwidth;     /* "L" or "L:U": diagonals below and above the main one */
    const char *offsets;       /* of circulant: "0,1,3" */
    const char *probabilities; /* of rmat: "a,b,c,d" */
    double p;                  /* density of er, band, block */
    double fill;               /* density above the blocks */
    double perturb;            /* of grid points: random shifts, in grid spacings */
    int64_t blocks;            /* number of diagonal blocks */
    int64_t edges;             /* of rmat: draws per row */
    bool diagonal;             /* every diagonal entry is there */
    int field;                 /* mm_field */
    int symmetry;              /* mm_symmetry; of random families the lower triangle is drawn */
    bool over_f2;              /* of scheme: metadata say F2 instead of Z */
    bool numbered;             /* the index is part of the name */
} mm_generate_options;

/* The defaults. */
void mm_generate_options_init(mm_generate_options *options);

/* The families' names with blanks between, for messages and help. */
const char *mm_generate_families(void);

typedef struct mm_generator mm_generator;

/* Checks the options, which must outlive the generator. BASE_USAGE when they make no matrix, BASE_MACHINE
 * when it would exceed context->memory_bytes. */
base_status mm_generator_open(base_context *context, const mm_generate_options *options,
                              mm_generator **generator);

/* Matrix `index` (from 1) of context->seed, with `% name` and `% gen.*`. Entries come column by column, rows
 * ascending. Cost: proportional to the entries and columns; of rmat a sort of the draws. */
base_status mm_generate(base_context *context, mm_generator *generator, int64_t index, mm_record *record);

void mm_generator_close(mm_generator *generator); /* NULL is allowed */

#endif
