/* One sparse matrix and its products with any number of dense ones of the same width. What exceeds the memory
 * of the device is done in blocks of rows of A and C and panels of columns of B and C. */
#ifndef SPMM_PRODUCT_H
#define SPMM_PRODUCT_H

#include "spmm/spmm.h"

typedef struct spmm_product {
    const spmm_kernel *kernel;
    const spmm_machine *machine;
    const spmm_problem *problem;
    void *plan;                        /* of the whole product; NULL when it is divided */
    int64_t block_rows, panel_columns; /* all of them when it is not */
    double prepare_seconds;            /* that making the plan took */
} spmm_product;

/* Prepares products; machine and problem must outlive it. BASE_MACHINE when even a row and a column need more
 * than machine->memory_bytes. */
base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product);
/* C = alpha A B + beta C. 2 nnz n flop. A divided product is prepared again each time. */
base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands);
void spmm_product_close(spmm_product *product); /* NULL is allowed */

#endif
