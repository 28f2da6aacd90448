/* Warps for the rows of A, as the device kernels of kernels/spmm/tca.h want them (TCA-SpMM, section 4.2). */
#ifndef SPMM_TCA_WARPS_H
#define SPMM_TCA_WARPS_H

#include "base/context.h"
#include "spmm/kernel.h"
#include "spmm/tca.h"

typedef struct spmm_tca_warps {
    int64_t blocks;
    int32_t *row, *warps, *within; /* [block][SPMM_TCA_WARPS] */
} spmm_tca_warps;

/* For products with n columns, with several short rows in a block or a block for each row: a long row gets a
 * block for each 64 entries, but not more than it has tiles of columns. Rows stay in their order; the warps
 * of a row that does not fit a block any more begin the next. Every row has a warp, as empty ones must be
 * written too. O(rows + warps). */
base_status spmm_tca_warps_init(base_context *context, const spmm_csr *a, int64_t n, bool several,
                                spmm_tca_warps *warps);
void spmm_tca_warps_free(spmm_tca_warps *warps); /* NULL is allowed */

#endif
