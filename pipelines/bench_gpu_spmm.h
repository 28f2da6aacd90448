/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of bench_gpu_spmm share. */
#ifndef BENCH_GPU_SPMM_H
#define BENCH_GPU_SPMM_H

#include "pipelines/bench_spmm_cuda.h"
#include "spmm/dispatch/work.h"

enum { TABLE = 1048573, CHECKED = 48, MOST_RUNS = 40, MOST_BEST = 400, MOST_COLUMNS = 8 };

typedef struct best_known {
    char matrix[16], precision[8], system[32];
    int n;
    double microseconds;
} best_known;

typedef struct bench {
    base_context context;
    base_device *device;
    spmm_device_matrix matrix; /* the case's A */
    base_device_stream *stream;
    base_device_event *event[2 * MOST_RUNS];
    base_device_buffer b, c, scratch;
    const char *matrices, *precisions, *kinds;
    int64_t columns[MOST_COLUMNS]; /* of B */
    int column_counts;
    int runs;
    bool all;
    best_known best[MOST_BEST];
    int best_count;
    /* the case at hand */
    const char *name;
    spmm_precision precision;
    spmm_csr a;
    int64_t n;
    spmm_problem problem; /* inspected once a matrix */
    double *numbers;      /* B: number i is numbers[i % TABLE] */
    int64_t checked[CHECKED];
    double *wanted;
    /* C of the checked rows */
    double chosen, tuned, ours, sparse, dense;
    char chosen_name[80], ours_name[80], sparse_name[16];
    double inspect_seconds, prepare_seconds;       /* of the chosen kernel */
    double natural[SPMM_PRECISIONS][MOST_COLUMNS]; /* the times of the chosen kernels */
    double order_gain;                             /* above 0: these are the rows in mm-order's order */
    int families, late_families;                   /* tried in all; prepared in more than ten products … */
    char late_names[4096];                         /* … these */
} bench;

/* What a case can be done with. */
typedef struct candidate {
    enum { CHOSEN, TUNED, OURS, SPARSE, DENSE } kind;
    spmm_device_work *work; /* or: */
    spmm_device_product *product;
    const bench_spmm_case *library;
} candidate;

/* B, the table over and over, and room for C, both in it->b and it->c. */
base_status bench_spmm_fill_b(bench *it);

/* A's values, of floats, as the precision has them, in `value`: room for A's nnz doubles. */
void bench_spmm_round_values(bench *it, const spmm_csr *exact, void *value);

/* A as the libraries want it; the buffers are to be freed. */
base_status bench_spmm_fill_library(bench *it, base_device_buffer *start, base_device_buffer *column,
                                    base_device_buffer *value, base_device_buffer *dense,
                                    bench_spmm_case *library);

/* Of doubles, for qsort. */
int bench_spmm_compare(const void *a, const void *b);

/* Whether a list of words with commas has this one; NULL has all. */
bool bench_spmm_among(const char *list, const char *word);

/* C of the checked rows, in doubles. */
void bench_spmm_find_wanted(bench *it);

/* Times and checks; the fastest of a kind is kept. */
base_status bench_spmm_try(bench *it, const candidate *candidate, const char *name, double prepare);

/* A line with what the price of a variant is made of, for fit_spmm_prices.py. */
void bench_spmm_print_counts(const bench *it, const spmm_problem *problem, const spmm_device_family *family,
                             const spmm_device_variant *variant);

/* What the program chooses, prepared anew. */
base_status bench_spmm_try_chosen(bench *it);

/* What --tune takes, but for what surrounds products: the fastest of SPMM_TUNED variants (spmm_tune_rank),
 * timed once more. */
base_status bench_spmm_try_tuned(bench *it);

/* The kernels of the program's table, those for comparison too, each in the shape that the program gives it;
 * not what looks hopeless. */
base_status bench_spmm_try_families(bench *it);

/* The rows of A, whose values are floats, in the order of mm-order --for spmm, where it changes anything, and
 * what that promises in it->order_gain. */
base_status bench_spmm_order(bench *it, const spmm_csr *a, spmm_csr *ordered);

/* Our kernels of those kinds that are asked for. */
base_status bench_spmm_try_ours(bench *it, const spmm_device_entries *entries, spmm_device_product *products,
                                const spmm_device_variant *variants, int count);

/* Shapes of windows that promise something for the matrix: at most BENCH_SPMM_WINDOWS. */
enum { BENCH_SPMM_WINDOWS = 64 };
int bench_spmm_list_windows(bench *it, spmm_device_variant *variants);

/* A line for the case at hand, counted for the summary; or for it after mm-order, beside its natural time. */
void bench_spmm_print_header(void);
void bench_spmm_print_case(bench *it);
void bench_spmm_print_ordered(const bench *it, double natural);
void bench_spmm_print_means(const bench *it);

#endif
