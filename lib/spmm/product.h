/* One sparse matrix and its products with any number of dense ones of the same width. */
#ifndef SPMM_PRODUCT_H
#define SPMM_PRODUCT_H

#include "spmm/spmm.h"

typedef struct spmm_product {
    const spmm_kernel *kernel;
    const spmm_problem *problem;
    void *plan;
    double prepare_seconds; /* that making the plan took */
} spmm_product;

/* The kernel of that name, or the cheapest when `name` is NULL. BASE_USAGE when there is none of that name,
 * BASE_FAILED, with the reason, when it does not fit. */
base_status spmm_pick(base_context *context, const char *name, const spmm_machine *machine,
                      const spmm_problem *problem, const spmm_kernel **kernel);

/* Prepares products; machine and problem must outlive it. */
base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product);
/* C = alpha A B + beta C. 2 nnz n flop. */
base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands);
void spmm_product_close(spmm_product *product); /* NULL is allowed */

#endif
