/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/spmm: the work on one matrix of a stream. */
#ifndef SPMM_PRODUCT_JOB_H
#define SPMM_PRODUCT_JOB_H

#include "spmm/product/options.h"

typedef struct spmm_job_state {
    spmm_stream *stream;
    const mm_record *record;
    char *name;
    spmm_matrix matrix, exact; /* the latter in doubles, for --bench */
    spmm_problem problem;
    spmm_plan plan;
    spmm_product product; /* for right-hand sides of problem.n columns, once there is one */
} spmm_job_state;

/* The product with right-hand side k, as a record for options->emit. */
base_status spmm_job_multiply(base_context *context, spmm_job_state *job, spmm_side *side, int64_t k);

/* Lines of times for options->output. */
base_status spmm_job_measure(base_context *context, spmm_job_state *job, const spmm_dense *b,
                             const spmm_dense *exact_b);

#endif
