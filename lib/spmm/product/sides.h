/* Right-hand sides: the dense matrices of a stream, each with its place for messages. */
#ifndef SPMM_PRODUCT_SIDES_H
#define SPMM_PRODUCT_SIDES_H

#include "spmm/product/operands.h"

typedef struct spmm_side {
    spmm_dense dense;
    int64_t record; /* in its file */
} spmm_side;

typedef struct spmm_sides {
    spmm_side *side;
    int64_t count, capacity;
    const char *path;
} spmm_sides;

/* Reads all matrices of a file, rounded to the precision. BASE_FAILED when there is none. `path` must stay.
 */
base_status spmm_sides_read(base_context *context, const char *path, spmm_precision precision,
                            spmm_sides *sides);
void spmm_sides_free(spmm_sides *sides); /* NULL is allowed */

/* BASE_FAILED, naming `what` ("-B"), file and record, unless the side has that shape; -1: any. */
base_status spmm_side_check(base_context *context, const char *what, const spmm_sides *sides, int64_t k,
                            int64_t nrow, int64_t ncol);

#endif
