/* SPDX-License-Identifier: BSD-3-Clause */
/* A variant of a device kernel of kernels/spmm, and A in its format. */
#ifndef SPMM_DEVICE_VARIANT_H
#define SPMM_DEVICE_VARIANT_H

#include "spmm/common/gpu.h"
#include "spmm/device/matrix.h"

typedef struct spmm_device_code spmm_device_code;     /* family.h */
typedef struct spmm_device_family spmm_device_family; /* family.h */

/* Which device kernel, and how A is cut for it. What the numbers mean each family says. */
typedef struct spmm_device_variant {
    const spmm_device_code *code;   /* NULL: of a family that has no variants */
    int lanes, subwarps, depth;     /* threads side by side, those that share rows, loads under way */
    int threads, resident;          /* of a block, and blocks of a multiprocessor */
    int tall, width, groups, warps; /* of windows: 16 rows each, 0 standing for 8; then as for names */
    bool dense;                     /* windows with zeros stored */
    bool tiles_first;               /* a tile of C for all of A after the other */
    int64_t most;                   /* entries, chunks or tiles that a worker has, or parts, or chunks of B */
} spmm_device_variant;

typedef struct spmm_device_product {
    spmm_device_variant variant;
    spmm_precision precision;
    base_device_function function, second; /* the latter: B for splits, parts of rows for merge_… */
    int64_t worker_count;                  /* segments, partitions or pieces, … */
    int64_t long_count;                    /* … and segments that have blocks of their own */
    int64_t part_count, nrow, ncol;
    int64_t steps; /* of panels, bands and splits; bstationary_…: chunks of B */
    int resident;  /* bstationary_…, rings_… and blocks_…: blocks of a multiprocessor */
    uint64_t worker, part, row, column, start, position, value; /* addresses in the matrix or in `own` */
    base_device_buffer own;
    base_device_buffer partial, arrived, halves;
    spmm_device_entries entries; /* of rows_… and merge_…; borrowed */
    double prepare_seconds;      /* that making the format took */
} spmm_device_product;

static inline int spmm_device_product_bytes(const spmm_device_product *product) {
    return (int)spmm_format_bytes(spmm_format_of(product->precision));
}

/* Addresses of the device as arguments of kernels. */
#define SPMM_DEVICE_PLACE(address) ((void *)(uintptr_t)(address))
#define SPMM_DEVICE_POINTER(type, address) ((type *)(uintptr_t)(address))

#endif
