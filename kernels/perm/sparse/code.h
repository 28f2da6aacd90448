/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code for one sparse permanent (kernel.h), printed by kernels/gen/sparse.c. */
#ifndef PERM_SPARSE_CODE_H
#define PERM_SPARSE_CODE_H

#include "perm/sparse/kernel.h"

#include <stdio.h>

/* Ways to go through the subsets of a run. */
typedef enum perm_sparse_variant {
    PERM_SPARSE_TABLES,    /* the program of kernel.h */
    PERM_SPARSE_REGISTERS, /* subset by subset, all row sums in registers */
    PERM_SPARSE_HYBRID     /* those of some rows, the others in memory */
} perm_sparse_variant;

/* A launch configuration, and what of the code depends on it. */
typedef struct perm_sparse_launch {
    int threads;  /* of a block; at most 1024 */
    int resident; /* blocks on a multiprocessor at a time, for __launch_bounds__ */
    int unrolled; /* of the columns that change from block to block, those whose changes are code, not loops
                   */
    perm_sparse_variant variant;
    uint64_t register_rows; /* PERM_SPARSE_HYBRID: whose sums are in registers */
} perm_sparse_launch;

/* CUDA C, and C behind kernels/shim.h, as text that the caller frees; NULL without memory. It has one kernel,
 *
 *     perm_sparse(long long first, long long count, double *out)
 *
 * a thread of which computes one run (first + its number; count, a multiple of `threads`, of them) with the
 * operations of kernel.h, and the same bits: out[q * count + number] = high, low (complex: of both
 * parts, high re, low re, high im, low im), magnitude. To be compiled without fusing. A block takes
 * perm_sparse_shared_bytes of dynamic shared memory, for the row sums. */
/* PERM_SPARSE_REGISTERS and PERM_SPARSE_HYBRID are the kernels that Elbek and Kaya generate ("Fully-automated
 * code generation for efficient computation of sparse matrix permanents on GPUs", sections III and V), but
 * with entries exact to the last bit and runs that are powers of two throughout; they need no shared memory
 * and take real matrices only. Their sums round as often as those of the program, at most. */
char *perm_sparse_print_code(const perm_sparse_problem *problem, const perm_sparse_launch *launch);

static inline int64_t perm_sparse_shared_bytes(const perm_sparse_problem *problem,
                                               const perm_sparse_launch *launch) {
    return launch->variant == PERM_SPARSE_TABLES
               ? problem->n * (problem->is_complex ? 16 : 8) * launch->threads
               : 0;
}

/* Doubles a run puts out. */
static inline int64_t perm_sparse_run_doubles(const perm_sparse_problem *problem) {
    return problem->is_complex ? 5 : 3;
}

/* The heads that all these sources have, and the code of gray.c; internal. */
void perm_sparse_print_head(FILE *text);
void perm_sparse_print_gray(const perm_sparse_problem *problem, const perm_sparse_launch *launch, FILE *text);

#endif
