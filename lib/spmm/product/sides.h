/* SPDX-License-Identifier: BSD-3-Clause */
/* Right-hand sides: the dense matrices of a stream, each with its place for messages. They come from the host
 * or lie on a device already, and go to each device once for all sparse matrices. */
#ifndef SPMM_PRODUCT_SIDES_H
#define SPMM_PRODUCT_SIDES_H

#include "base/core/hash.h"
#include "spmm/product/operands.h"
#include "spmm/product/product.h"

typedef struct spmm_side {
    spmm_dense dense;                /* `value` is NULL while its numbers lie on a device alone, … */
    mm_record left;                  /* … in this record, which is empty otherwise */
    int64_t record;                  /* in its file */
    struct spmm_device_array *array; /* [BASE_DEVICES], for each share of a product; NULL: never sent */
} spmm_side;

typedef struct spmm_sides {
    spmm_side *side;
    int64_t count, capacity;
    const char *path;
    char hash[BASE_HASH_TEXT]; /* of all its records as they were read from the host; empty: there is none */
} spmm_sides;

/* Reads all matrices of a file, rounded to the precision; `leaves`: what lies on a device stays there.
 * BASE_FAILED when there is none. `path` must stay. */
base_status spmm_sides_read(base_context *context, const char *path, spmm_precision precision, bool leaves,
                            spmm_sides *sides);
void spmm_sides_free(spmm_sides *sides); /* NULL is allowed */

void spmm_side_free(spmm_side *side); /* a zero one is allowed */

/* Bytes that a side takes on a device, as products take it and as it lies there. */
int64_t spmm_side_bytes(const spmm_side *side);

/* Has it in the host's memory, or on all devices of a product that is whole (side->array, which is freed when
 * devices are closed at the latest). BASE_FAILED for numbers beyond the range of the precision. */
base_status spmm_side_to_host(base_context *context, spmm_precision precision, spmm_side *side);
base_status spmm_side_to_devices(base_context *context, const spmm_product *product, spmm_side *side);

/* BASE_FAILED, naming `what` ("-B"), file and record, unless the side has that shape; -1: any. */
base_status spmm_side_check(base_context *context, const char *what, const spmm_sides *sides, int64_t k,
                            int64_t nrow, int64_t ncol);

#endif
