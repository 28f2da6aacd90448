/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a GPU with one of the device kernels of kernels/spmm/common/gpu.h. */
#ifndef SPMM_DEVICE_PRODUCT_H
#define SPMM_DEVICE_PRODUCT_H

#include "spmm/common/gpu.h"
#include "spmm/device/matrix.h"

typedef struct spmm_device_code spmm_device_code;     /* family.h */
typedef struct spmm_device_family spmm_device_family; /* family.h */

/* Which device kernel, and how A is cut for it. What the numbers mean each family says. */
typedef struct spmm_device_variant {
    const spmm_device_code *code;   /* NULL: of a family that has no variants */
    int lanes, subwarps, depth;     /* threads side by side, those that share rows, loads under way */
    int threads;                    /* of a block */
    int tall, width, groups, warps; /* of windows: 16 rows each, 0 standing for 8; then as for names */
    bool dense;                     /* windows with zeros stored */
    bool tiles_first;               /* a tile of C for all of A after the other */
    int64_t most;                   /* entries, chunks or tiles that a worker has, or parts */
} spmm_device_variant;

typedef struct spmm_device_product {
    spmm_device_variant variant;
    spmm_precision precision;
    base_device_function function, second; /* the latter: B for splits, parts of rows for merge_… */
    int64_t worker_count;                  /* segments, partitions or pieces, … */
    int64_t long_count;                    /* … and segments that have blocks of their own */
    int64_t part_count, nrow, ncol;
    int64_t steps; /* of panels and bands */
    int resident;  /* bstationary_…, rings_… and blocks_…: blocks of a multiprocessor */
    uint64_t worker, part, row, column, start, position, value; /* addresses in the matrix or in `own` */
    base_device_buffer own;
    base_device_buffer partial, arrived, halves;
    spmm_device_entries entries; /* of rows_… and merge_…; borrowed */
    double prepare_seconds;      /* that making the format took */
} spmm_device_product;

/* A in the variant's format. `entries` are needed for rows_… and merge_… and
 * must stay, as must the matrix. O(nnz) on the device, which is waited for. */
base_status spmm_device_product_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_precision precision, const spmm_device_variant *variant,
                                     const spmm_device_entries *entries, spmm_device_product *product);
void spmm_device_product_free(spmm_device_product *product); /* NULL is allowed */

/* Dense matrices on the device, rows at multiples of 16 bytes, that many bytes apart, padding included. */
typedef struct spmm_device_operands {
    uint64_t b, c;
    int64_t n; /* columns */
    int64_t b_stride, c_stride;
    double alpha, beta;
    bool wide; /* C in fp32 for fp16 and bf16 */
} spmm_device_operands;

/* Submits a product. The first for a number of columns allocates room for the sums of parts. */
base_status spmm_device_product_run(base_context *context, spmm_device_product *product,
                                    const spmm_device_operands *operands, base_device_stream *stream);

/* The kernel's name: rows_half_4_8_4. */
void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]);

/* Columns of a tile. */
int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant);

/* Loads the code of a variant, which a product does else when it begins. */
base_status spmm_device_product_load(base_context *context, base_device *device, spmm_precision precision,
                                     const spmm_device_variant *variant, base_device_function *function,
                                     base_device_function *second);

static inline int spmm_device_product_bytes(const spmm_device_product *product) {
    return (int)spmm_format_bytes(spmm_format_of(product->precision));
}

/* Addresses of the device as arguments of kernels. */
#define SPMM_DEVICE_PLACE(address) ((void *)(uintptr_t)(address))
#define SPMM_DEVICE_POINTER(type, address) ((type *)(uintptr_t)(address))

#endif
