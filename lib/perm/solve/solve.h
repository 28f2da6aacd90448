/* The permanent of a matrix from start to end: Dulmage-Mendelsohn blocks, reduction, a method for what is
 * left of each. */
#ifndef PERM_SOLVE_SOLVE_H
#define PERM_SOLVE_SOLVE_H

#include "perm/chunks/work.h"
#include "perm/plan/precision.h"
#include "perm/solve/cost_history.h"
#include "perm/subsets/devices.h"

/* 30 days: what starts by mistake would run for years. */
#define PERM_USUAL_MOST_SECONDS (30 * 86400.0)

typedef struct perm_counts perm_counts;

typedef struct perm_result perm_result;

typedef struct perm_batch perm_batch;

typedef struct perm_options {
    const char *kernel; /* NULL: the best for each block */
    bool raw;           /* no blocks, no reduction */
    bool list;          /* only tell what the kernels would cost */
    /* With `list`: takes the source of each block's kernel instead (sparse/emit.h); may be NULL. */
    base_status (*emit)(base_context *context, void *data, const char *source);
    perm_precision precision;
    const char *row_list,
        *column_list; /* multiplicities of lines (matrix/multiplicities.h); NULL: as the record says */
    /* Told about blocks, prices and work before it begins; may be NULL. `detail`: of interest to few. */
    void (*tell)(void *data, bool detail, const char *line);
    void *data;
    base_device_search *devices; /* to compute on; NULL: none */
    perm_spent *spent;           /* by the records of the stream so far; NULL: each is alone */
    perm_batch *batch;           /* takes blocks (batch.h); NULL: they are computed at once */
    perm_work *work;             /* part, checkpoint, time limit of perm_solve_record; may be NULL */
    perm_work *notes;            /* without work: verify and note of it are heeded; may be NULL */
    double most_seconds; /* refuse a block that is expected to take longer on context->threads; 0: no limit */
    /* Asked instead of computing; may be NULL. */
    base_status (*answer)(base_context *context, void *data, const mm_record *record, perm_result *result);
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

void perm_result_init(perm_result *result);
void perm_result_free(perm_result *result); /* NULL is allowed */

/* A matrix by columns, of any shape; `counts`, the multiplicities of its lines, may be NULL. Patterns and
 * integers give an exact integer, or BASE_FAILED with the estimates when the machine is too small for that;
 * others a value with a bound of its error, and so do all with an inexact precision. */
base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       const perm_counts *counts, perm_result *result);

/* The same for a record, which becomes part of options->work. */
base_status perm_solve_record(base_context *context, const mm_record *record, const perm_options *options,
                              perm_result *result);

/* What options->work->part has of it; `answer` is initialised. */
base_status perm_solve_part(base_context *context, const mm_record *record, const perm_options *options,
                            perm_answer *answer);

/* The permanent of a matrix whose answer is complete. */
void perm_solve_finish(const perm_answer *answer, perm_result *result);

#endif
