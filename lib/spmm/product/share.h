/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a product that one device has. */
#ifndef SPMM_PRODUCT_SHARE_H
#define SPMM_PRODUCT_SHARE_H

#include "spmm/problem/spmm.h"

/* What rows are cut at multiples of (product.h). */
enum { SPMM_CUT_ROWS = 128 };

/* The rows of one device. */
typedef struct spmm_share {
    spmm_machine machine;
    spmm_problem problem;
    int64_t first;  /* row of A */
    int64_t *start; /* of problem.a; NULL when it is that of the whole */
    void *plan;     /* NULL when the share is divided */
    spmm_preparation took;
    int64_t block_rows, panel_columns; /* all of them when it is not */
} spmm_share;

/* Rows first … end-1 of the problem; all of them take no copy of row starts. */
base_status spmm_share_open(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                            const spmm_problem *problem, int64_t first, int64_t end, spmm_share *share);
void spmm_share_close(const spmm_kernel *kernel, spmm_share *share);

/* `operands` are those of the whole product. */
base_status spmm_share_load(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                            const spmm_operands *operands);
base_status spmm_share_run(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                           const spmm_operands *operands);

#endif
