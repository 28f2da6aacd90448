/* The permanent of a matrix from start to end: Dulmage-Mendelsohn blocks, reduction, a method for what is
 * left of each. */
#ifndef PERM_SOLVE_H
#define PERM_SOLVE_H

#include "perm/value.h"

typedef struct perm_options {
    const char *kernel; /* NULL: the best for each block */
    bool raw;           /* no blocks, no reduction */
    bool list;          /* only tell what the kernels would cost */
    /* Told about blocks, prices and work before it begins; may be NULL. `detail`: of interest to few. */
    void (*tell)(void *data, bool detail, const char *line);
    void *data;
} perm_options;

typedef struct perm_result {
    perm_value value;
    int64_t blocks;  /* irreducible blocks that a kernel worked on */
    char method[32]; /* of the most expensive one; "reduction" when nothing was left for a kernel, "structure"
                        when no perfect matching exists */
    double states, transitions, subsets;
    int64_t bytes; /* of the largest tables */
    double cost;   /* seconds that the method's block was expected to take */
} perm_result;

void perm_result_init(perm_result *result);
void perm_result_free(perm_result *result); /* NULL is allowed */

/* A square matrix by columns. Patterns and integers give an exact integer, or BASE_FAILED with the estimates
 * when the machine is too small for that; others a value with a bound of its error. */
base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       perm_result *result);

#endif
