/* SPDX-License-Identifier: BSD-3-Clause */
/* What a permanent is solved with, and what comes of it (solve.h). */
#ifndef PERM_SOLVE_OPTIONS_H
#define PERM_SOLVE_OPTIONS_H

#include "perm/chunks/work.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/method/method.h"
#include "perm/solve/cost_history.h"
#include "perm/subsets/devices.h"

/* 30 days: what starts by mistake would run for years. */
#define PERM_USUAL_MOST_SECONDS (30 * 86400.0)

/* What a matrix may be expected to take: `seconds`, or that default where it is 0. */
static inline double perm_most_seconds(double seconds) {
    return seconds > 0 ? seconds : PERM_USUAL_MOST_SECONDS;
}

typedef struct perm_counts perm_counts;

typedef struct perm_result perm_result;

typedef struct perm_batch perm_batch;

typedef struct perm_options {
    const char *kernel; /* NULL: the best for each block */
    bool raw;           /* no blocks, no reduction */
    bool certify;       /* errors count by their bounds; there are no estimates */
    bool list;          /* only say what the kernels would cost */
    /* With `list`: takes the source of each block's kernel instead (perm/method/method.h); may be NULL. */
    base_status (*emit)(base_context *context, void *data, const char *source);
    perm_precision precision;
    const char *row_list, *column_list; /* multiplicities of rows and columns (matrix/multiplicities.h); NULL:
                                           as the record says */
    perm_log
        log; /* of blocks, prices and work before it begins; its data are those of `emit` and `compute` */
    base_device_search *devices;     /* to compute on; NULL: none */
    perm_cost_history *cost_history; /* by the records of the stream so far; NULL: each is alone */
    /* Takes blocks for devices (batch.h) on any thread; their sums will be in the block results after the
     * others. Where that leaves fewer than `bits` bits, the record will be solved alone; 0: any will do. n is
     * at most PERM_DENSE_BATCH_LARGEST. */
    base_status (*defer)(base_context *context, perm_batch *batch, const perm_dense_matrix *entries,
                         perm_partial_result *partial_result, int64_t block_result, int64_t bits);
    perm_batch *batch;   /* NULL: there is none, blocks are computed at once */
    perm_work *work;     /* part, checkpoint, time limit of perm_solve_record; may be NULL */
    perm_work *notes;    /* without work: verify and note of it are heeded; may be NULL */
    double most_seconds; /* refuse a block that is expected to take longer on context->threads; 0: no limit */
    double limit_seconds; /* stop a record that takes longer, with BASE_STOPPED; 0: no limit */
    bool keep_going;      /* with BASE_FAILED instead: the next record follows */
    /* Asked instead of computing; may be NULL. */
    base_status (*compute)(base_context *context, void *data, const mm_record *record, perm_result *result);
} perm_options;

struct perm_result {
    perm_value value;
    int64_t n, nnz;  /* of the matrix, without explicit zeros */
    int64_t blocks;  /* irreducible blocks that a kernel worked on */
    char method[32]; /* of the most expensive one; "reduction" when nothing was left for a kernel, "structure"
                        when no perfect matching exists */
    double states, transitions, subsets;
    int64_t bytes;  /* of the largest tables */
    int64_t digits; /* to print (perm_value_print_digits) */
    double cost;    /* seconds that the method's block was expected to take */
};

#endif
