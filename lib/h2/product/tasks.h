/* Private to tasks.c and pairs.c. */
#ifndef H2_PRODUCT_TASKS_H
#define H2_PRODUCT_TASKS_H

#include "h2/device/product.h"

/* Both kinds of blocks, and what they are multiplied with and added to. */
typedef struct h2_operands {
    const h2_block_list *list;
    const int64_t *row_place, *row_count; /* of the stored rows */
    const int64_t *col_place, *col_count;
} h2_operands;

/* The pairs of both kinds of blocks, their pieces, sums and slots. */
base_status h2_product_pairs_init(base_context *context, const h2_matrix *matrix, const h2_operands *coupling,
                                  const h2_operands *dense, int flags, h2_product_tasks *tasks);

#endif
