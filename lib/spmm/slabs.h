/* A in groups of 16 entries with columns of 16 bits, as the device kernels slabs_… take it
 * (kernels/spmm/gpu.h). */
#ifndef SPMM_SLABS_H
#define SPMM_SLABS_H

#include "base/context.h"
#include "spmm/gpu.h"
#include "spmm/kernel.h"

typedef struct spmm_slabs {
    int64_t group_count;
    int32_t *start;   /* [row], and the end: groups */
    uint16_t *column; /* [group][16] */
    void *value;      /* [group][16], in the precision's format */
} spmm_slabs;

/* BASE_FAILED: more than 2^16 columns or 2^31 groups. O(nnz + rows). */
base_status spmm_slabs_init(base_context *context, const spmm_csr *a, spmm_precision precision,
                            spmm_slabs *slabs);
void spmm_slabs_free(spmm_slabs *slabs); /* NULL is allowed */

#endif
